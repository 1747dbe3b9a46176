#include "symbolizer/tool/tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "core/util/parse.h"
#include "symbolizer/tool/doctor_command.h"
#include "symbolizer/tool/event_command.h"
#include "symbolizer/tool/report_command.h"
#include "symbolizer/tool/run_command.h"

namespace csink::tool {
namespace {

constexpr char kAbout[] =
    "csink shows where a program's CPU time and hardware events go.\n"
    "Without this tool: LD_PRELOAD=libagent.so ./app";

/// Text of --help behind the options.
constexpr char kRunNotes[] =
    "csink run [OPTIONS] -- PROGRAM [ARG...]\n"
    "Everything behind -- is the program. One report of its whole process tree goes to stderr,\n"
    "or to FILE. csink exits as the program did (128 + signal).\n"
    "Example: csink run -e cycles,instructions -- ./app --fast";
constexpr char kReportNotes[] =
    "Without arguments: lists the spools there are.\n"
    "Exit status: 0; 1 nothing to report or not readable; 2 wrong use.\n"
    "Example: csink report $(pidof app)";

struct Choices {
  std::string format = "text";
  double min_share_percent = 1;
  RunOptions run;
  ReportOptions report;
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
                  "Where the report goes; %p pid, %e program, %h host, %g generation")
      ->type_name("FILE");
}

void AddRun(CLI::App& app, Choices& choices) {
  CLI::App& run = *app.add_subcommand("run", "Run a program and report its whole process tree");
  run.add_option("-e,--events", choices.run.events,
                 "What to sample: name, name@period or name@4kHz, separated by commas")
      ->type_name("EVENTS");
  run.add_option("--source", choices.run.source, "auto, ring or timer")
      ->check(CLI::IsMember({"auto", "ring", "timer"}))
      ->type_name("SOURCE");
  AddOutputOptions(run, choices, choices.run.output);
  run.add_flag("--keep", choices.run.keep, "Keep the spools");
  run.prefix_command();  // from the first word that is not ours on, everything is the program's
  run.footer(kRunNotes);
}

void AddReport(CLI::App& app, Choices& choices) {
  CLI::App& report = *app.add_subcommand("report", "Report spools or running processes");
  AddOutputOptions(report, choices, choices.report.output);
  // How the agent calls us; of no use to people.
  report.add_flag("--at-exit", choices.report.at_exit)->group("");
  report.add_flag("--keep", choices.report.keep)->group("");
  report.add_option("--min-samples", choices.report.min_samples)->group("");
  report
      .add_option("targets", choices.report.targets, "Spools, folders of spools, process numbers")
      ->type_name("FILE|FOLDER|PID");
  report.footer(kReportNotes);
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
    text = "say what to do: run, report or doctor";
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
  if (app.got_subcommand("run")) {
    choices.run.output.fd = 2;  // stdout is the program's
    if (!TakeProgram(app, std::move(behind_dashes), choices.run)) return kExitUsage;
    return RunProgram(choices.run, resolve);
  }
  if (app.got_subcommand("doctor")) {
    if (choices.event.empty()) return RunDoctor(choices.events);
    return RunEventDoctor(choices.event, choices.report.output.format);
  }
  if (choices.report.at_exit) {
    choices.report.output.fd = 2;
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
  AddRun(app, choices);
  AddReport(app, choices);
  AddDoctor(app, choices);
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
  if (!app.got_subcommand("run")) {
    auto& targets = choices.report.targets;
    targets.insert(targets.end(), behind_dashes.begin(), behind_dashes.end());
    behind_dashes.clear();
  }
  return Dispatch(app, choices, std::move(behind_dashes), resolve);
}

}  // namespace csink::tool
