#pragma once

#include <string>

namespace csink::papi {

class RegionRecorder;

struct RegionReport {
  std::string text;
  unsigned ended = 0;    ///< Regions in it
  unsigned unended = 0;  ///< Regions that began and are not in it
};

/// The report of PAPI_hl_*: the JSON that PAPI 7.0 writes, field for field and line for line, so
/// that papi_hl_output_writer reads it. Every number is a string; a region's id is its place in the
/// order in which the thread's regions began. Names are escaped, bytes that are not UTF-8 become
/// U+FFFD. Threads: any, while others go on; what ends meanwhile may be missing.
RegionReport WriteRegionReport(const RegionRecorder& recorder);

}  // namespace csink::papi
