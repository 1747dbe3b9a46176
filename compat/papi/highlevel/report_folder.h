#pragma once

#include <string>
#include <string_view>

namespace csink::papi {

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
