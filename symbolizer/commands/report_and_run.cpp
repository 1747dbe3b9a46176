#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "symbolizer/commands/commands.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/number_checks.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/misuse.h"
#include "symbolizer/names/demangle/clone_suffix.h"

/// File: the options of `run`, `attach` and `report`, and what follows from them. Options write
/// into Choices while CLI11 parses; Settle then derives the settings that depend on several
/// options.

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kRunNotes[] =
    "Everything after -- is the program. One report goes to stderr or to FILE.\n"
    "Exit status: the program's (128 + signal); 1 no libagent.so, or no place for spools; 2 wrong\n"
    "use, or EVENTS or the baseline cannot be used: the program is not started; 3 with\n"
    "--fail-if-slower, if the program's own is 0; 126 not executable, 127 not found.\n"
    "Example: csink run -e cycles,instructions -- ./app --fast";
constexpr char kReportNotes[] =
    "Without arguments: lists all spools.\n"
    "Exit status: 0; 1 nothing to report or not readable; 2 wrong use; 3 with --fail-if-slower.\n"
    "Examples: csink report $(pidof app); eval \"$(csink report --config FILE)\"";

constexpr char kAttachNotes[] =
    "Samples all threads and later children of a running process until it ends, Ctrl-C or\n"
    "--duration, and prints a report. The process is not stopped, changed or restarted.\n"
    "--wait needs the right to trace the process; docs/attach.md has all rights.\n"
    "Exit status: 0; 1 not possible, or nothing was sampled; 2 wrong use; 3 with "
    "--fail-if-slower.\n"
    "Example: csink attach --duration 10 $(pidof app)";

/// Options about the form and the destination of a report.
void AddOutputOptions(CLI::App& command, Choices& choices, OutputOptions& output) {
  AddFormatOption(command, choices.format);
  AddColourOption(command, output.colour);
  command.add_option("--top", output.top, "Rows of the main table (20)")
      ->check(CountUpTo(kMostRows))
      ->type_name("N");
  command.add_flag("--verbose", output.verbose,
                   "All lines about precision and wall time, also of a short run");
  command
      .add_option("--min-share", choices.min_share_percent,
                  "Functions below this percentage share one row (1)")
      ->check(NumberIn(0, 100))
      ->type_name("PERCENT");
  command
      .add_option("-o,--output", output.file,
                  "Output file; %p pid, %e program, %h host, %g generation, %t time,\n"
                  "%r rank, %j job, %n number, %{NAME} variable")
      ->type_name("FILE");
}

/// Separates the program from the arguments of `csink run`: the program follows "--", or is the
/// first word that is not an option of csink. Returns false if there is no program or an option is
/// unknown, and an error was printed.
bool TakeProgram(const CLI::App& app, std::vector<std::string> behind_dashes, RunOptions& run) {
  std::vector<std::string> words = app.get_subcommand("run")->remaining();
  // CLI11 leaves all words from the first unknown one on. An unknown option is a mistake, not a
  // program; so is a word in front of "--".
  const bool stray = !words.empty() && (words[0].rfind("-", 0) == 0 || !behind_dashes.empty());
  if (stray) {
    Complain("unknown word " + words[0] + Nearest(app, words[0]) + " (csink run --help)");
    return false;
  }
  run.command = words.empty() ? std::move(behind_dashes) : std::move(words);
  if (!run.command.empty()) return true;
  Complain(
      "the program is missing; usage: csink run [OPTIONS] -- PROGRAM [ARG...] (csink run --help)");
  return false;
}

/// Copies the settings of the view that the writers need.
void PassView(View& view, OutputOptions& output) {
  output.by = view.by;
  output.sort = view.sort;
  // Text sorts the rows that it shows (main_table.cpp); the other formats show all.
  view.sort_all = output.format != ReportFormat::kText;
  // Text shows one table, and only that of functions has the program's own lines.
  view.own_lines = view.needs.own_lines &&
                   (output.format != ReportFormat::kText || view.by == report::By::kFunctions);
}

/// The format that --format names. Without it a file called *.html gets the page: a browser shows
/// files by their ending.
ReportFormat FormatFor(const std::string& name, const std::string& file) {
  // --format wins, also over the ending.
  const bool is_page = name.empty() && file.ends_with(NameOf(ReportFormat::kHtml).suffix);
  return is_page ? ReportFormat::kHtml : FormatNamed(name).value_or(ReportFormat::kText);
}

/// Derives settings from other settings of the command line. Must run before any check of the
/// output.
void Settle(Choices& choices, OutputOptions& output, View& view) {
  output.format = FormatFor(choices.format, output.file);
  output.min_share = choices.min_share_percent / 100;
  output.per_thread = view.per_thread;
  output.time_line = view.time_line;
  view.needs = report::NeedsOf(output.format);
  PassView(view, output);
}

/// CSV has one table, the one that --by names. Returns false if there is no such table; an error
/// was printed.
bool ChooseCsvTable(const View& view, OutputOptions& output) {
  using report::By;
  using report::CsvTable;
  if (output.format != ReportFormat::kCsv || view.by == By::kFunctions) return true;
  static const std::map<By, CsvTable> kTables = {{By::kLines, CsvTable::kLines},
                                                 {By::kThreads, CsvTable::kThreads},
                                                 {By::kProcesses, CsvTable::kProcesses}};
  const auto table = kTables.find(view.by);
  if (table != kTables.end()) {
    output.details.table = table->second;
    return true;
  }
  Complain(std::string("--by ") + (view.by == By::kModules ? "modules" : "inlines") +
           " is only possible in text reports; --format csv has functions, lines, threads and "
           "processes");
  return false;
}

/// Whether --fail-if-slower has a baseline. Prints an error and returns false if not.
bool HasBaselineForLimit(const View& view) {
  if (view.fail_if_slower < 0 || !view.baseline.empty()) return true;
  Complain("--fail-if-slower needs --baseline FILE");
  return false;
}

}  // namespace

void AddRun(CLI::App& app, Choices& choices) {
  CLI::App& run = *app.add_subcommand("run", "Run a program and report its whole process tree");
  AddProfilingOptions(run, choices.run.profiling);
  AddViewOptions(run, choices.run.view);
  AddOutputOptions(run, choices, choices.run.output);
  run.add_flag("--keep", choices.run.keep, "Keep the spools");
  run.prefix_command();  // From the first unknown word on, everything belongs to the program
  run.formatter(std::make_shared<Usage>(" -- PROGRAM [ARG...]"));
  run.footer(kRunNotes);
}

void AddReport(CLI::App& app, Choices& choices) {
  CLI::App& report = *app.add_subcommand("report", "Report spools or running processes");
  AddOutputOptions(report, choices, choices.report.output);
  report.add_flag("--stacks", choices.report.view.stacks, "Show the hottest call paths, too");
  report.add_flag("--flat", choices.report.view.flat, "Omit callers");
  report.add_flag("--merge-clones", choices.merge_clones,
                  "Count f.cold, f.part.0, f.isra.0, ... as f");
  AddViewOptions(report, choices.report.view);
  report
      .add_flag("--annotate", choices.report.annotate,
                "Show the hottest function by line and instruction, too; --annotate=N: N functions")
      ->check(CountUpTo(kMostRows));
  AddAnnotateChoices(report, choices.report.annotate_choices);
  report.add_flag("--clean", choices.report.clean,
                  "Without arguments: remove spools of killed programs older than seven days");
  report.add_flag("--config", choices.report.configuration,
                  "Print the settings of the run, as lines that a shell can source");
  report.add_flag("--raw", choices.report.raw,
                  "Print every record of the files as it is, to look for a fault");
  // For calls by the agent; hidden from users.
  report.add_flag("--at-exit", choices.report.at_exit)->group("");
  report.add_flag("--keep-modules", choices.report.keep_modules)->group("");
  report.add_flag("--keep", choices.report.keep)->group("");
  report.add_flag("--as-named", choices.report.as_named)->group("");
  report.add_flag("--only-reports", choices.report.output.only_reports)->group("");
  report.add_option("--min-samples", choices.report.min_samples)->group("");
  report
      .add_option("targets", choices.report.targets, "Spools, folders of spools, process numbers")
      ->type_name("FILE|FOLDER|PID");
  report.formatter(std::make_shared<Usage>(" [FILE|FOLDER|PID...]"));
  report.footer(kReportNotes);
}

void AddAttach(CLI::App& app, Choices& choices) {
  CLI::App& attach = *app.add_subcommand("attach", "Sample a running process from outside");
  AddAttachOptions(attach, choices.attach.profiling);
  AddViewOptions(attach, choices.attach.report.view);
  AddOutputOptions(attach, choices, choices.attach.report.output);
  attach.add_flag("--keep", choices.attach.keep, "Keep the spools");
  attach.add_option("pid", choices.attach.pid, "The process number")->required()->type_name("PID");
  attach.formatter(std::make_shared<Usage>(" PID"));
  attach.footer(kAttachNotes);
}

int DoAttach(const CLI::App& /*app*/, Choices& choices, const report::Resolver& resolve) {
  ReportOptions& report = choices.attach.report;
  Settle(choices, report.output, report.view);
  report.output.call_tree = true;  // where stacks were recorded
  if (!HasPlaceFor(report.output) || !ChooseCsvTable(report.view, report.output)) {
    return kExitUsage;
  }
  if (!HasBaselineForLimit(report.view)) return kExitUsage;
  return RunAttach(choices.attach, resolve);
}

int DoRun(const CLI::App& app, Choices& choices, const report::Resolver& resolve) {
  RunOptions& run = choices.run;
  Settle(choices, run.output, run.view);
  run.output.call_tree = true;  // where stacks were recorded
  // The agents must keep threads apart, or there would be nothing to show.
  if (run.view.per_thread) run.profiling[Setting::kPerThread] = "1";
  run.output.fd = 2;  // stdout is the program's
  if (!HasPlaceFor(run.output) || !ChooseCsvTable(run.view, run.output)) return kExitUsage;
  if (!TakeProgram(app, std::move(choices.behind_dashes), run)) return kExitUsage;
  if (!HasBaselineForLimit(run.view)) return kExitUsage;
  return RunProgram(run, resolve);
}

int DoReport(const CLI::App& /*app*/, Choices& choices, const report::Resolver& resolve) {
  ReportOptions& report = choices.report;
  Settle(choices, report.output, report.view);
  report.output.call_tree = report.view.stacks;
  report.targets.insert(report.targets.end(), choices.behind_dashes.begin(),
                        choices.behind_dashes.end());
  if (!HasBaselineForLimit(report.view)) return kExitUsage;
  if (report.at_exit) {
    report.output.fd = 2;
    // A file named for one snapshot is written under exactly this name.
    report.output.of_one_process = !report.as_named;
    report.output.only_older = !report.output.only_reports;
    if (report.targets.size() != 1) {
      Complain("--at-exit needs exactly one spool");
      return kExitUsage;
    }
  }
  if (!HasPlaceFor(report.output)) return kExitUsage;
  if (!ChooseCsvTable(report.view, report.output)) return kExitUsage;
  // Clones are merged behind the resolver, so that all tables see one function.
  if (!choices.merge_clones) return RunReport(report, resolve);
  return RunReport(report, [&](const symbolizer::ModuleRequest& request) {
    symbolizer::ModuleAnswer answer = resolve(request);
    symbolizer::MergeClones(answer);
    return answer;
  });
}

}  // namespace csink::tool
