#include "symbolizer/tool/tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "core/util/parse.h"
#include "symbolizer/tool/ctl_command.h"
#include "symbolizer/tool/doctor_command.h"
#include "symbolizer/tool/event_command.h"
#include "symbolizer/tool/merge_command.h"
#include "symbolizer/tool/report_command.h"
#include "symbolizer/tool/run_command.h"

namespace csink::tool {
namespace {

constexpr char kAbout[] =
    "csink shows where a program's CPU time and hardware events go.\n"
    "Without this tool: LD_PRELOAD=libagent.so ./app";

/// Text of --help behind the options.
constexpr char kRunNotes[] =
    "Everything behind -- is the program. One report of its whole process tree goes to stderr,\n"
    "or to FILE. csink exits as the program did (128 + signal); 2 when EVENTS or the baseline\n"
    "cannot be used: the program is not started then.\n"
    "Example: csink run -e cycles,instructions -- ./app --fast";
constexpr char kReportNotes[] =
    "Without arguments: lists the spools there are.\n"
    "Exit status: 0; 1 nothing to report or not readable; 2 wrong use; 3 with --fail-if-slower.\n"
    "Examples: csink report $(pidof app); eval \"$(csink report --config FILE)\"";

constexpr char kCtlNotes[] =
    "Commands: pause, resume, snapshot [FILE], reset, mark TEXT, status, stop.\n"
    "Exit status: 0; 1 the program refuses; 2 wrong use; 3 nobody there, or no answer in time.\n"
    "Example: csink ctl $(pidof app) mark solve";

constexpr char kMergeNotes[] =
    "Writes the sum of many spools into one file, which csink report takes for a spool.\n"
    "Exit status: 0; 1 nothing to merge, or a spool could not be read (the others are merged).\n"
    "Example: csink merge -o all.csink /scratch/spools";

/// CLI11 knows nothing of what stands behind "--".
class Usage : public CLI::Formatter {
 public:
  explicit Usage(std::string arguments) : arguments_(std::move(arguments)) {}
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "Usage: " + name + " [OPTIONS]" + arguments_ + "\n";
  }

 private:
  std::string arguments_;
};

struct Choices {
  std::string format = "text";
  double min_share_percent = 1;
  RunOptions run;
  ReportOptions report;
  CtlOptions ctl;
  MergeCommandOptions merge;
  bool events = false;
  std::string event;
};

void AddOutputOptions(CLI::App& command, Choices& choices, OutputOptions& output) {
  command.add_option("--format", choices.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command.add_option("--top", output.top, "Rows of the function table (20)")->type_name("N");
  command
      .add_option("--min-share", choices.min_share_percent,
                  "Functions below this percentage share one row (1)")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  command
      .add_option("-o,--output", output.file,
                  "Where the report goes; %p pid, %e program, %h host, %g generation, %t time,\n"
                  "%r rank, %j job, %n number, %{NAME} variable")
      ->type_name("FILE");
}

void AddRun(CLI::App& app, Choices& choices) {
  CLI::App& run = *app.add_subcommand("run", "Run a program and report its whole process tree");
  AddProfilingOptions(run, choices.run.profiling);
  AddViewOptions(run, choices.run.view);
  AddOutputOptions(run, choices, choices.run.output);
  run.add_flag("--keep", choices.run.keep, "Keep the spools");
  run.prefix_command();  // from the first word that is not ours on, everything is the program's
  run.formatter(std::make_shared<Usage>(" -- PROGRAM [ARG...]"));
  run.footer(kRunNotes);
}

void AddReport(CLI::App& app, Choices& choices) {
  CLI::App& report = *app.add_subcommand("report", "Report spools or running processes");
  AddOutputOptions(report, choices, choices.report.output);
  report.add_flag("--stacks", choices.report.view.stacks, "Also the hottest call paths");
  report.add_flag("--flat", choices.report.view.flat, "Leave callers out");
  AddViewOptions(report, choices.report.view);
  report.add_flag("--config", choices.report.configuration,
                  "Print the settings of the run, as lines that a shell can source");
  // How the agent calls us; of no use to people.
  report.add_flag("--at-exit", choices.report.at_exit)->group("");
  report.add_flag("--keep", choices.report.keep)->group("");
  report.add_option("--min-samples", choices.report.min_samples)->group("");
  report
      .add_option("targets", choices.report.targets, "Spools, folders of spools, process numbers")
      ->type_name("FILE|FOLDER|PID");
  report.formatter(std::make_shared<Usage>(" [FILE|FOLDER|PID...]"));
  report.footer(kReportNotes);
}

void AddMerge(CLI::App& app, Choices& choices) {
  CLI::App& merge = *app.add_subcommand("merge", "Add many spools up in one file");
  merge.add_option("-o,--output", choices.merge.output, "The file")->required()->type_name("FILE");
  merge
      .add_option("--max-processes", choices.merge.max_processes,
                  "Rows of processes that are kept; the rest share one (4096)")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  merge.add_option("targets", choices.merge.targets, "Spools, folders of spools, process numbers")
      ->type_name("FILE|FOLDER|PID");
  merge.formatter(std::make_shared<Usage>(" -o FILE SPOOL|FOLDER..."));
  merge.footer(kMergeNotes);
}

void AddDoctor(CLI::App& app, Choices& choices) {
  CLI::App& doctor = *app.add_subcommand(
      "doctor", "Tell what csink can measure here, why, and what would improve it");
  doctor.add_flag("--events", choices.events, "List the events that can be sampled");
  doctor.add_option("--event", choices.event, "Explain one event: its unit masks and modifiers")
      ->type_name("EVENT");
  doctor.add_option("--format", choices.format, "Of --event: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
}

void AddCtl(CLI::App& app, Choices& choices) {
  CLI::App& ctl = *app.add_subcommand("ctl", "Steer a running program through CSINK_CONTROL");
  ctl.add_option("--timeout", choices.ctl.timeout_seconds, "Seconds to wait for the answer (30)")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  ctl.add_option("target", choices.ctl.target, "The fifo, or the process number")
      ->required()
      ->type_name("PID|FIFO");
  ctl.add_option("command", choices.ctl.command, "What it shall do")
      ->required()
      ->type_name("COMMAND");
  ctl.footer(kCtlNotes);
}

/// Whether this command was named; CLI11 throws for one that it does not have.
bool Got(const CLI::App& app, const char* command) {
  for (const CLI::App* parsed : app.get_subcommands()) {
    if (parsed->get_name() == command) return true;
  }
  return false;
}

/// All long options and subcommands that are valid where `word` stood.
std::vector<std::string> Candidates(const CLI::App& app) {
  std::vector<std::string> names;
  const auto add = [&](const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  };
  bool chosen = false;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->parsed()) continue;
    add(*command);
    chosen = true;
  }
  if (chosen) return names;
  add(app);
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// "; did you mean --top?" for the nearest known word, or nothing.
std::string Nearest(const CLI::App& app, const std::string& word) {
  constexpr unsigned kMostEdits = 3;
  unsigned least = kMostEdits + 1;
  std::string nearest;
  const std::string plain = word.substr(0, word.find('='));
  for (const std::string& name : Candidates(app)) {
    const unsigned distance = EditDistance(plain, name, kMostEdits);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest.empty() || least * 2 > plain.size() ? "" : "; did you mean " + nearest + "?";
}

int ExplainMisuse(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  const auto words = app.remaining(true);
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!words.empty() && (is_extra || is_required)) {
    text = "unknown word " + words[0] + Nearest(app, words[0]);
  } else if (is_required) {
    if (words.empty() && Got(app, "merge")) {
      text = "which file? csink merge -o FILE SPOOL|FOLDER...";
    } else if (Got(app, "ctl")) {
      text = "which program, and what shall it do? csink ctl PID|FIFO COMMAND";
    } else {
      text = "say what to do: run, report, merge, ctl or doctor";
    }
  }
  for (char& c : text) c = c == '\n' ? ' ' : c;
  Complain(text + " (csink --help)");
  return kExitUsage;
}

/// Takes the program out of what `csink run` was given. False: there is none, or
/// an option is not one of ours; said so.
bool TakeProgram(const CLI::App& app, std::vector<std::string> behind_dashes, RunOptions& run) {
  std::vector<std::string> words = app.get_subcommand("run")->remaining();
  const bool stray = !words.empty() && (words[0].rfind("-", 0) == 0 || !behind_dashes.empty());
  if (stray) {
    Complain("unknown word " + words[0] + Nearest(app, words[0]) + " (csink run --help)");
    return false;
  }
  run.command = words.empty() ? std::move(behind_dashes) : std::move(words);
  if (!run.command.empty()) return true;
  Complain("which program? csink run [OPTIONS] -- PROGRAM [ARG...] (csink run --help)");
  return false;
}

/// A closed 0, 1 or 2 would become the first file that we open.
void FillStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
  }
}

int Dispatch(const CLI::App& app, Choices& choices, std::vector<std::string> behind_dashes,
             const report::Resolver& resolve) {
  for (OutputOptions* output : {&choices.run.output, &choices.report.output}) {
    output->format = choices.format == "json" ? Format::kJson : Format::kText;
    output->min_share = choices.min_share_percent / 100;
  }
  choices.report.output.call_tree = choices.report.view.stacks;
  choices.report.output.per_thread = choices.report.view.per_thread;
  choices.run.output.call_tree = true;  // where stacks were recorded
  choices.run.output.per_thread = choices.run.view.per_thread;
  choices.run.profiling.per_thread = choices.run.view.per_thread;
  if (Got(app, "run")) {
    choices.run.output.fd = 2;  // stdout is the program's
    if (!TakeProgram(app, std::move(behind_dashes), choices.run)) return kExitUsage;
    if (choices.run.view.fail_if_slower >= 0 && choices.run.view.baseline.empty()) {
      Complain("--fail-if-slower needs --baseline FILE");
      return kExitUsage;
    }
    return RunProgram(choices.run, resolve);
  }
  if (Got(app, "doctor")) {
    if (choices.event.empty()) return RunDoctor(choices.events);
    return RunEventDoctor(choices.event, choices.report.output.format);
  }
  if (Got(app, "ctl")) return RunCtl(choices.ctl);
  if (Got(app, "merge")) {
    auto& targets = choices.merge.targets;
    targets.insert(targets.end(), behind_dashes.begin(), behind_dashes.end());
    if (targets.empty()) {
      Complain("which spools? csink merge -o FILE SPOOL|FOLDER... (csink merge --help)");
      return kExitUsage;
    }
    return RunMerge(choices.merge);
  }
  if (choices.report.view.fail_if_slower >= 0 && choices.report.view.baseline.empty()) {
    Complain("--fail-if-slower needs --baseline FILE");
    return kExitUsage;
  }
  if (choices.report.at_exit) {
    choices.report.output.fd = 2;
    choices.report.output.of_one_process = true;
    if (choices.report.targets.size() != 1) {
      Complain("--at-exit takes one spool");
      return kExitUsage;
    }
  }
  return RunReport(choices.report, resolve);
}

}  // namespace

int RunTool(int argc, char** argv, const report::Resolver& resolve) {
  if (argc == 2 && std::string_view(argv[1]) == kNothingCommand) return 0;
  FillStandardDescriptors();
  CLI::App app(kAbout, "csink");
  Choices choices;
  app.set_version_flag("--version", "csink " CSINK_VERSION);
  app.require_subcommand(1);
  // Options of the other commands are left out where one is named: the parser's objects would
  // cost each report at a program's exit half as much as its start.
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto wants = [&](std::string_view command) {
    const bool is_command = first == "run" || first == "report" || first == "merge" ||
                            first == "ctl" || first == "doctor";
    return !is_command || first == command;
  };
  if (wants("run")) AddRun(app, choices);
  if (wants("report")) AddReport(app, choices);
  if (wants("merge")) AddMerge(app, choices);
  if (wants("ctl")) AddCtl(app, choices);
  if (wants("doctor")) AddDoctor(app, choices);
  // What stands behind "--" is none of the parser's business.
  int ours = 1;
  while (ours < argc && std::string_view(argv[ours]) != "--") ++ours;
  std::vector<std::string> behind_dashes;
  for (int i = ours + 1; i < argc; ++i) behind_dashes.push_back(argv[i]);
  try {
    app.parse(ours, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return ExplainMisuse(app, error);
  }
  if (Got(app, "report")) {
    auto& targets = choices.report.targets;
    targets.insert(targets.end(), behind_dashes.begin(), behind_dashes.end());
    behind_dashes.clear();
  }
  return Dispatch(app, choices, std::move(behind_dashes), resolve);
}

}  // namespace csink::tool
