#pragma once

#include <string>

namespace csink::papi {

class RegionRecorder;

/// The report and what it contains.
struct RegionReport {
  std::string text;      ///< JSON
  unsigned ended = 0;    ///< Regions in the report
  unsigned unended = 0;  ///< Regions that began and have not ended
};

/// Makes the report of PAPI_hl_*: the JSON that PAPI 7.0 writes, with the same fields and lines, so
/// that papi_hl_output_writer can read it. Every number is a string. A region's id is its index
/// among the regions of its thread. Names are escaped; bytes that are not UTF-8 become U+FFFD.
/// Threads are numbered from 0 in the order of their first regions.
/// Threads: any, while others go on; regions that end meanwhile may be missing.
RegionReport WriteRegionReport(const RegionRecorder& recorder);

}  // namespace csink::papi
