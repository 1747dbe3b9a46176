#pragma once

#include <string>
#include <vector>

#include "compat/atime/run_result.h"

/// File: the results as OpenMetrics text, for the textfile collector of a node exporter.

namespace csink::atime {

/// The text, as the OpenMetrics specification 1.0 defines it: families with TYPE, UNIT and HELP,
/// gauges only, `# EOF` at the end, no timestamps (the textfile collector refuses them). `runs` is
/// not empty. `idle`: the total of the idle time, if it was measured.
std::string OpenMetricsText(const std::vector<RunResult>& runs,
                            const std::optional<EnergyTotal>& idle);

/// Writes `text` to a new file beside `path` and renames the new file to `path`, so that a reader
/// never sees a part. False, with a line on stderr: it could not be written, and `path` is as
/// before.
bool ReplaceFile(const char* path, const std::string& text);

}  // namespace csink::atime
