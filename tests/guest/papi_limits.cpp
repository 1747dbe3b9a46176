/// File: what the guest's PMU can and cannot count at once, and whether libpapi says so.

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "compat/papi/include/csink_papi.h"
#include "tests/guest/papi_counts.h"

namespace guest {
namespace {

/// Each of the set's events counts a loop of a million instructions.
bool AllCount(int set, int events) {
  std::vector<long long> counts(static_cast<std::size_t>(events));
  if (PAPI_start(set) != PAPI_OK) return false;
  Spin(500'000);
  if (PAPI_stop(set, counts.data()) != PAPI_OK) return false;
  for (const long long count : counts) {
    if (count < 1'000'000 || count > 1'002'000) return false;
  }
  return true;
}

void CheckConflict(int counters) {
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  const std::vector<std::string>& names = NamesOfInstructions();
  bool six = true;
  for (std::size_t i = 0; i < 6; ++i) {
    const int code = PAPI_add_named_event(set, names[i].c_str());
    if (code != PAPI_OK) Check(false, names[i].c_str(), "%s", PAPI_strerror(code));
    six = six && code == PAPI_OK;
  }
  Check(six && AllCount(set, 6), "conflict", "six events of instructions count together");
  const int seventh = CodeOf(names[6].c_str());
  const int refused = PAPI_add_event(set, seventh);
  Check(refused == PAPI_ECNFLCT, "conflict", "the seventh is refused when it is added: %s",
        PAPI_strerror(refused));
  int state = 0, number = 6, listed[8] = {};
  PAPI_state(set, &state);
  PAPI_list_events(set, listed, &number);
  Check(PAPI_num_events(set) == 6 && number == 6 && state == PAPI_STOPPED, "conflict",
        "%d events are left in state %d", number, state);
  bool same = true;
  for (int i = 0; i < 6; ++i) {
    same = same && listed[i] == CodeOf(names[static_cast<std::size_t>(i)].c_str());
  }
  Check(same && AllCount(set, 6), "conflict", "they are the same, and count as before");
  const int cycles = PAPI_add_named_event(set, "PAPI_TOT_CYC");
  Check(cycles == PAPI_OK && AllCount(set, 7), "conflict", "cycles have a counter of their own");
  Check(counters == 7, "counters", "%d, as many as count together", counters);
  Destroy(set);
}

/// The guest's PMU counts instructions and cycles; whatever else is opened stays at 0.
void CheckPresets(int said) {
  int available = 0, code = PAPI_PRESET_MASK;
  bool counts = true;
  PAPI_enum_event(&code, PAPI_ENUM_FIRST);
  do {
    if (PAPI_query_event(code) != PAPI_OK) continue;
    ++available;
    char name[PAPI_MAX_STR_LEN] = "";
    PAPI_event_code_to_name(code, name);
    int set = PAPI_NULL;
    PAPI_create_eventset(&set);
    const bool added = PAPI_add_event(set, code) == PAPI_OK;
    const bool counted = added && AllCount(set, 1);
    if (!counted) std::printf("available, but it does not count: %s\n", name);
    counts = counts && counted;
    if (added) PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
  } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
  Check(available >= 2 && counts, "presets", "%d are available, and each of them counts",
        available);
  Check(said == available, "presets", "the component says %d", said);
  Check(PAPI_query_event(PAPI_L1_DCM) == PAPI_ENOEVNT, "presets", "PAPI_L1_DCM is not to be had");
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  const int added = PAPI_add_event(set, PAPI_L2_DCM);
  Check(added == PAPI_ENOEVNT && PAPI_num_events(set) == 0, "presets",
        "one that would stay at 0 is refused: %s", PAPI_strerror(added));
  const int native = PAPI_add_named_event(set, "arm_ac57::L1D_READ_REFILL");
  Check(native == PAPI_ENOEVNT && PAPI_num_events(set) == 0, "presets", "so is a native one: %s",
        PAPI_strerror(native));
  PAPI_destroy_eventset(&set);
}

int OpenMeter() {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_INSTRUCTIONS;
  attr.disabled = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/// Instructions, the kernel's too, of one PAPI_read of `set`; counted outside libpapi.
double CostOfRead(int set) {
  constexpr int kReads = 20'000;
  const int meter = OpenMeter();
  long long values[4] = {}, counted = -1;
  if (meter < 0 || PAPI_start(set) != PAPI_OK) return -1;
  PAPI_read(set, values);
  ioctl(meter, PERF_EVENT_IOC_ENABLE, 0);
  for (int i = 0; i < kReads; ++i) PAPI_read(set, values);
  ioctl(meter, PERF_EVENT_IOC_DISABLE, 0);
  if (read(meter, &counted, sizeof counted) != sizeof counted) counted = -1;
  close(meter);
  PAPI_stop(set, nullptr);
  return static_cast<double>(counted) / kReads;
}

}  // namespace

void CheckCapability(bool user_reads) {
  const PAPI_component_info_t* info = PAPI_get_component_info(0);
  Check(!info->disabled && info->disabled_reason[0] == '\0', "component", "counts: %s",
        info->disabled_reason);
  Check(info->fast_counter_read == (user_reads ? 1u : 0u), "component",
        "says %s reads without a system call", info->fast_counter_read ? "yes to" : "no to");
  Check(PAPI_num_hwctrs() == info->num_cntrs, "counters", "both calls say %d", info->num_cntrs);
  CheckConflict(info->num_cntrs);
  CheckPresets(info->num_preset_events);
}

void CheckMultiplex() {
  constexpr double kCount = 400'000'000;
  int set = PAPI_NULL;
  Check(PAPI_multiplex_init() == PAPI_OK, "multiplex", "starts");
  PAPI_create_eventset(&set);
  PAPI_assign_eventset_component(set, 0);
  bool added = PAPI_set_multiplex(set) == PAPI_OK;
  for (const std::string& name : NamesOfInstructions()) {
    added = added && PAPI_add_named_event(set, name.c_str()) == PAPI_OK;
  }
  Check(added && PAPI_num_events(set) == 9, "multiplex", "nine events on six counters");
  std::vector<long long> counts(9);
  if (!added || PAPI_start(set) != PAPI_OK) return;
  Spin(static_cast<std::uint64_t>(kCount / 2));
  Check(PAPI_stop(set, counts.data()) == PAPI_OK, "multiplex", "stops");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double ratio = static_cast<double>(counts[i]) / kCount;
    Check(ratio > 0.999 && ratio < 1.001, "multiplex", "%s: %.5f of the truth",
          NamesOfInstructions()[i].c_str(), ratio);
  }
  // Six counters take turns among nine events, which have as many of them at each moment.
  std::vector<double> shares(9);
  const bool known = csink_papi_counted_shares(set, shares.data()) == PAPI_OK;
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  Check(known && *least > 0.4 && *most < 0.95 && all > 5.8 && all < 6.2, "multiplex",
        "counted for %.3f to %.3f of the time, %.3f counters at a time", *least, *most, all);
  Destroy(set);
}

void MeasureReads() {
  const int one = SetOf({"PAPI_TOT_INS"});
  const int two = SetOf({"PAPI_TOT_INS", "PAPI_TOT_CYC"});
  std::printf("reads fast=%u one=%.1f two=%.1f\n", PAPI_get_component_info(0)->fast_counter_read,
              CostOfRead(one), CostOfRead(two));
  Destroy(one);
  Destroy(two);
}

}  // namespace guest
