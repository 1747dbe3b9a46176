#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/annotate/annotation_text.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink annotate` and the option --annotate of `csink report`.

namespace CLI {
class App;
}

namespace csink::tool {

/// How annotated functions are shown, as given on the command line.
struct AnnotateChoices {
  /// "att" or "intel".
  std::string syntax = "att";
  /// "both", "mixed", "source" or "code".
  std::string show = "both";
  /// FROM=TO, checked by the option.
  std::vector<std::string> prefixes;
  /// Rows around sampled ones, 0 to 1000.
  std::uint32_t context = 4;
  /// Show a long function completely.
  bool all = false;
};

/// The options of `csink annotate`.
struct AnnotateOptions {
  OutputOptions output;
  View view;
  AnnotateChoices choices;
  /// FUNCTION or MODULE:FUNCTION (annotate/function_choice.h).
  std::string function;
  /// Files, folders, pids. If empty, the spools of the process that wrote last are used.
  std::vector<std::string> targets;
};

/// The settings of the annotation. Prefixes of the command line come before those of
/// CSINK_SOURCE_PREFIX, so they win. Prints a warning for each prefix of the variable that is
/// wrong.
annotate::Settings SettingsOf(const AnnotateChoices& choices);

/// Adds --source-prefix.
void AddSourcePrefix(CLI::App& command, AnnotateChoices& choices);
/// Adds the options of AnnotateChoices, which `csink report --annotate` has, too.
void AddAnnotateChoices(CLI::App& command, AnnotateChoices& choices);
/// Adds the command `annotate` with all its options. `format` is the format's name, which the
/// parsed command line has in common for all commands.
void AddAnnotate(CLI::App& app, std::string& format, AnnotateOptions& options);

/// Runs `csink annotate`. Returns the exit status: 0, 1 (nothing to show, or no such function), 2
/// (wrong use).
int RunAnnotate(const AnnotateOptions& options, const report::Resolver& resolve);

/// Writes a report and below it the annotated `count` functions with most samples. The report must
/// have its addresses (BuildOptions::keep_addresses). Returns false as WriteReport does.
bool WriteAnnotatedReport(const report::Report& report, std::size_t count,
                          const AnnotateChoices& choices, const OutputOptions& output,
                          const report::Resolver& resolve);

}  // namespace csink::tool
