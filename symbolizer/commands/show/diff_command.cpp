#include "symbolizer/commands/show/diff_command.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/util/unique_fd.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/progress.h"
#include "symbolizer/commands/load/load_run.h"
#include "symbolizer/commands/load/run_causes.h"
#include "symbolizer/commands/load/sum_of_runs.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/annotate_command.h"
#include "symbolizer/commands/show/diff_page.h"
#include "symbolizer/commands/show/export_command.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/annotate/function_choice.h"
#include "symbolizer/report/causes/code_pair_text.h"
#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/text/diff_writers.h"

/// File: `csink diff`. Runs become Baselines, whether they are spools or JSON reports; CompareRuns
/// does the rest. The order of the command line is the order of time: A is the earlier side.

namespace csink::tool {
namespace {

/// The runs of one side.
using Runs = std::vector<report::Baseline>;

/// The runs of one side. Returns nullopt if one of them cannot be read.
std::optional<Runs> Load(const std::vector<std::string>& targets, const report::Resolver& resolve,
                         const DiffOptions& options) {
  Progress progress(options.quiet);
  report::BuildOptions build;
  build.detail = symbolizer::Detail::kInlines;
  build.inlines = true;  // To find functions that moved between inlined and not inlined
  build.progress = [&](const std::string& path, std::size_t done, std::size_t of) {
    progress.SayModule(path, done, of);
  };
  Runs runs;
  bool good = true;
  for (const std::string& target : targets) {
    // All runs are read even if one fails, so that all errors are printed at once.
    for (const std::string& path : RunsIn(target)) {
      auto run = LoadRun(path, "", resolve, build);
      good = good && run;
      if (run) runs.push_back(std::move(*run));
    }
  }
  return good ? std::optional(std::move(runs)) : std::nullopt;
}

/// Replaces what the runs computed by what they waited for. Returns false if a run has not recorded
/// it; an error was printed.
bool KeepWaits(Runs& runs, const char* side) {
  for (report::Baseline& run : runs) {
    run = report::WaitsOf(std::move(run));
    if (!run.events.empty()) continue;
    Complain(std::string("--by waits: a run of ") + side +
             " has no waits; record it with csink run --wait (CSINK_WAIT=1)");
    return false;
  }
  return true;
}

/// How the side is called in the output.
std::string NameOf(const std::vector<std::string>& targets) {
  return targets.size() == 1 ? targets[0]
                             : targets[0] + " and " + std::to_string(targets.size() - 1) + " more";
}

/// A comparison and what it was made of.
struct Compared {
  report::Comparison comparison;
  Runs now;
  Runs then;
  /// The sums of the runs of A and B, where causes or a page need them.
  std::optional<report::Report> was;
  std::optional<report::Report> is;
  std::optional<report::CodeOfBoth> code;  ///< Of --why
};

/// Looks for causes, where rows are functions. A page needs the sums in any case.
void Explain(Compared& compared, const DiffOptions& options, const report::Resolver& resolve) {
  report::Comparison& comparison = compared.comparison;
  const bool is_page = options.format == "html";
  if (options.by != report::By::kFunctions || options.format == "csv") return;
  const report::WantedCode wanted = report::CodeWanted(comparison, compared.now, compared.then);
  if (is_page || !options.why.empty() || !wanted.now.empty()) {
    compared.was = SumOfRuns(options.a, options.quiet, resolve);
    compared.is = SumOfRuns(options.b, options.quiet, resolve);
  }
  comparison.causes =
      CausesOf(comparison, {compared.now, compared.is, compared.now.size()},
               {compared.then, compared.was, compared.then.size()}, wanted, resolve);
}

/// The function of --why in one side. nullopt: no samples. Prints why a name fits nothing.
std::optional<annotate::Annotation> CodeIn(const report::Report& side, const std::string& wanted,
                                           const char* name, const report::Resolver& resolve) {
  const auto functions = annotate::SampledFunctions(side);
  const annotate::Choice choice = annotate::ChooseFunction(functions, wanted);
  if (choice.functions.empty()) {
    std::string text = std::string("--why ") + wanted + ": " +
                       (choice.is_ambiguous ? "several functions of " : "no function of ") + name;
    for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
      text += (i == 0 ? (choice.is_ambiguous ? ": " : "; nearest: ") : ", ") + choice.candidates[i];
    }
    Warn(text);
    return std::nullopt;
  }
  annotate::Settings settings = SettingsOf(AnnotateChoices{});
  settings.show_all = true;
  return annotate::Annotate(side, functions[choice.functions[0]], resolve, settings);
}

/// Reads the code of --why. Returns false if no side has the function; an error was printed.
bool ReadWhy(Compared& compared, const DiffOptions& options, const report::Resolver& resolve) {
  if (!compared.was || !compared.is) {
    Complain("--why needs spools on both sides: JSON reports have no samples of instructions");
    return false;
  }
  report::CodeOfBoth& code = compared.code.emplace();
  code.name = options.why;
  code.was = CodeIn(*compared.was, options.why, "A", resolve);
  code.now = CodeIn(*compared.is, options.why, "B", resolve);
  code.was_runs = compared.then.size();
  code.now_runs = compared.now.size();
  if (code.now) code.name = code.now->function;
  return code.was || code.now;
}

/// The comparison in the chosen format; `fd` is where it goes.
std::string TextOf(const Compared& compared, const DiffOptions& options, int fd) {
  const report::Comparison& comparison = compared.comparison;
  if (options.format == "json") {
    return compared.code ? WriteDiffJson(comparison, CodePairJson(*compared.code))
                         : WriteDiffJson(comparison);
  }
  if (options.format == "csv") return WriteDiffCsv(comparison);
  report::TextStyle style;
  style.width = SizeOf(fd).columns;
  style.colour = MayColour(fd, options.colour);
  style.top = options.top;
  style.min_share = options.min_share_percent / 100;
  return WriteDiffText(comparison, style) +
         (compared.code ? "\n" + CodePairText(*compared.code, style) : "");
}

/// Writes the comparison in the chosen format to `fd`.
Result<void> WriteTo(int fd, const Compared& compared, const DiffOptions& options,
                     const report::Resolver& resolve) {
  if (options.format == "html") {
    return WriteDiffPage(fd,
                         {compared.comparison, compared.now, compared.then, options.a, options.b,
                          compared.was, compared.is},
                         resolve);
  }
  return WriteAll(fd, TextOf(compared, options, fd));
}

/// Writes the comparison to the file or to stdout. Prints an error and returns false if that fails.
bool Write(const Compared& compared, const DiffOptions& options, const report::Resolver& resolve) {
  if (options.file.empty()) {
    const auto written = WriteTo(1, compared, options, resolve);
    if (!written) ComplainUnwritten(written.error());
    return written.has_value();
  }
  const auto complain = [&](int error) {
    Complain("cannot write " + options.file + " (" + std::strerror(error) + ")");
    return false;
  };
  // Opened before the text is made, because a terminal's width and colours depend on where it goes.
  // The name is taken as it is, not as a template.
  const UniqueFd file(open(options.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) return complain(errno);
  const auto written = WriteTo(file.get(), compared, options, resolve);
  return written || complain(written.error().sys_errno);
}

/// Chooses the format where --format is missing. Returns false if the format is not possible with
/// the other options; an error was printed.
bool ChooseFormat(DiffOptions& options) {
  if (options.format.empty()) options.format = options.file.ends_with(".html") ? "html" : "text";
  if (!options.why.empty() && (options.by != report::By::kFunctions ||
                               (options.format != "text" && options.format != "json"))) {
    Complain("--why is possible with functions, as text or json");
    return false;
  }
  if (options.format != "html") return true;
  if (options.by != report::By::kFunctions) {
    Complain("--by is not possible with --format html, which compares functions");
    return false;
  }
  OutputOptions output;
  output.format = ReportFormat::kHtml;
  output.file = options.file;
  return HasPlaceFor(output);
}

}  // namespace

int RunDiff(DiffOptions options, const report::Resolver& resolve) {
  if (options.both.size() == 2 && options.a.empty() && options.b.empty()) {
    options.a = {options.both[0]};
    options.b = {options.both[1]};
  } else if (!options.both.empty() || options.a.empty() || options.b.empty()) {
    Complain(
        "two runs are needed; usage: csink diff A B, or csink diff --a A1 A2 --b B1 B2 (csink diff "
        "--help)");
    return kExitUsage;
  }
  if (!ChooseFormat(options)) return kExitUsage;
  if (options.a == options.b) Warn("A and B are the same: there is nothing to compare");
  auto then = Load(options.a, resolve, options);
  auto now = Load(options.b, resolve, options);
  if (!then || !now) return kExitNothing;
  if (options.by == report::By::kWaits && !(KeepWaits(*then, "A") && KeepWaits(*now, "B"))) {
    return kExitNothing;
  }
  // A, the earlier side, is the second argument: CompareRuns takes now and then.
  Compared compared{report::CompareRuns(*now, *then, options.by),
                    std::move(*now),
                    std::move(*then),
                    std::nullopt,
                    std::nullopt,
                    std::nullopt};
  report::Comparison& comparison = compared.comparison;
  comparison.baseline = comparison.was.name = NameOf(options.a);
  comparison.now.name = NameOf(options.b);
  Explain(compared, options, resolve);
  if (!options.why.empty() && !ReadWhy(compared, options, resolve)) return kExitNothing;
  if (!Write(compared, options, resolve)) return kExitNothing;
  // CPU times can be compared although no event is in all runs.
  if (options.fail_if_slower >= 0) return JudgeSpeed(comparison, options.fail_if_slower);
  if (!comparison.event.empty()) return 0;
  Complain("A and B sampled different events: only their CPU times can be compared");
  return kExitNothing;
}

}  // namespace csink::tool
