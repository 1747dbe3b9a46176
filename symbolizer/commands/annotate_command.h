#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/annotate/annotation.h"
#include "symbolizer/annotate/annotation_text.h"
#include "symbolizer/commands/output.h"
#include "symbolizer/commands/view.h"
#include "symbolizer/report/tables/report.h"

namespace CLI {
class App;
}

namespace csink::tool {

/// How annotated functions are shown, as given on the command line.
struct AnnotateChoices {
  std::string syntax = "att";
  std::string show = "both";
  std::vector<std::string> prefixes;  ///< FROM=TO
  std::uint32_t context = 4;
  bool all = false;
};

struct AnnotateOptions {
  OutputOptions output;
  View view;
  AnnotateChoices choices;
  std::string function;
  std::vector<std::string> targets;  ///< Files, folders, pids; none: the newest spool
};

/// Adds the options of AnnotateChoices, which `csink report --annotate` has, too.
void AddAnnotateChoices(CLI::App& command, AnnotateChoices& choices);
/// Adds all options of `csink annotate`.
void AddAnnotate(CLI::App& app, std::string& format, AnnotateOptions& options);

/// Runs `csink annotate`. Returns the exit status: 0, 1 (nothing to show, or no such function), 2
/// (wrong use).
int RunAnnotate(const AnnotateOptions& options, const report::Resolver& resolve);

/// Writes a report and below it the annotated `count` functions with most samples. The report must
/// have its addresses. False: as for WriteReport.
bool WriteAnnotatedReport(const report::Report& report, std::size_t count,
                          const AnnotateChoices& choices, const OutputOptions& output,
                          const report::Resolver& resolve);

}  // namespace csink::tool
