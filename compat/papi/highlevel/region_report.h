#pragma once

#include <string>
#include <string_view>

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

// What is done with the text of a report (report_folder.cpp).

/// The folder for the report: papi_hl_output in PAPI_OUTPUT_DIRECTORY or in the working directory.
/// A folder of an earlier run (last changed at least a second ago) is renamed to
/// papi_hl_output-YYYYMMDD-hhmmss, as PAPI 7.0 does. If renaming fails: a line on stderr.
std::string ReportFolder();

/// Writes rank_NNNNNN.json into the folder, which is made with its parents. The number is the MPI
/// rank (the first of OMPI_COMM_WORLD_RANK, ALPS_APP_PE, PMI_RANK and SLURM_PROCID that is a
/// number), otherwise one that no other file in the folder has. If that fails: a line on stderr.
void SaveReport(const std::string& folder, std::string_view text);

/// Prints the report on stdout (PAPI_REPORT is set).
void PrintReport(std::string_view text);

}  // namespace csink::papi
