#pragma once

#include <string>
#include <string_view>

namespace csink::papi {

/// Where the report of regions will be: papi_hl_output in PAPI_OUTPUT_DIRECTORY, or else in the
/// working folder. One that is there from an earlier run, whose last change is a second ago or
/// longer, is renamed to papi_hl_output-YYYYMMDD-hhmmss, as PAPI 7.0 does it; a line on stderr if
/// that fails.
std::string ReportFolder();

/// Writes rank_NNNNNN.json there, and makes the folder and those above. The rank is that of MPI
/// (OMPI_COMM_WORLD_RANK, ALPS_APP_PE, PMI_RANK, SLURM_PROCID: the first that is a number), without
/// it one that no other file there has. Failing, a line on stderr.
void SaveReport(const std::string& folder, std::string_view text);

/// PAPI_REPORT: to stdout.
void PrintReport(std::string_view text);

}  // namespace csink::papi
