/// File: the region calls of PAPI 7.0's high level. Begin and end of a region take no lock and look
/// up nothing but the thread's own regions.

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/highlevel/region_recorder.h"

using csink::papi::AtCBoundary;
using csink::papi::Complain;
using csink::papi::RegionRecorder;

namespace {

int NoName() noexcept { return Complain(PAPI_EINVAL, "a region needs a name"); }

/// `make`: as for RegionRecorder::Get.
/// `what` is the recorder's function; it gets the name of the region.
int OfRegion(const char* region, bool make, int (RegionRecorder::*what)(const char*)) {
  return AtCBoundary([&] {
    RegionRecorder* recorder = nullptr;
    if (region == nullptr) return NoName();
    const int code = RegionRecorder::Get(make, &recorder);
    return code == PAPI_OK ? (recorder->*what)(region) : code;
  });
}

}  // namespace

int PAPI_hl_region_begin(const char* region) {
  return OfRegion(region, true, &RegionRecorder::Begin);
}
int PAPI_hl_read(const char* region) { return OfRegion(region, false, &RegionRecorder::Read); }
int PAPI_hl_region_end(const char* region) { return OfRegion(region, false, &RegionRecorder::End); }

int PAPI_hl_stop(void) {
  return AtCBoundary([] {
    RegionRecorder* recorder = nullptr;
    const int code = RegionRecorder::Get(false, &recorder);
    // Whatever the reason, nothing counts: PAPI has one code for that.
    return code == PAPI_OK ? recorder->Stop() : PAPI_ENOEVNT;
  });
}
