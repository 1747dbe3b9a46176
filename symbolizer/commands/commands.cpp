#include "symbolizer/commands/commands.h"

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/number_checks.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/inspect/cache_command.h"
#include "symbolizer/commands/inspect/doctor_command.h"

/// File: the table of commands, with the options of the smaller commands. `run` and `report` are in
/// report_and_run.cpp, the options of `diff` and `top` in diff_options.cpp. A command's options are
/// created only if the command may be the one that was given (main.cpp), because CLI11's objects
/// cost much of a short report's time.

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kCtlNotes[] =
    "Commands: pause, resume, snapshot [FILE], reset, mark TEXT, status, stop.\n"
    "Exit status: 0; 1 the program refuses; 2 wrong use; 3 no program listens, or no answer in "
    "time.\n"
    "Example: csink ctl $(pidof app) mark solve";

constexpr char kCacheNotes[] =
    "Reports keep the names and lines of large modules in XDG_CACHE_HOME/csink (~/.cache/csink).\n"
    "CSINK_CACHE=FOLDER selects another folder, CSINK_CACHE=0 turns the cache off. "
    "CSINK_CACHE_SIZE\n"
    "is the maximum size (256M): the least recently used files are removed first.\n"
    "Exit status: 0; 1 there is no cache.";

constexpr char kPapiNotes[] =
    "libpapi and PAPI's utilities are installed in a folder of their own, so that they replace no\n"
    "other PAPI of the machine. The program, which replaces csink, and its children get this\n"
    "folder first in LD_LIBRARY_PATH and PATH.\n"
    "Exit status: the program's; 126 not executable, 127 not found; 1 libpapi is not installed.\n"
    "Example: csink papi -- papi_avail";

constexpr char kMergeNotes[] =
    "Exit status: 0; 1 nothing to merge, or a spool could not be read (the others are merged).\n"
    "Example: csink merge -o all.csink spools";

constexpr char kSymbolizeNotes[] =
    "Addresses are those of the file, as nm shows them, in hexadecimal, one per line. For each: "
    "the\n"
    "address, then function and file:line of every frame, innermost first. For object files and\n"
    "kernel modules, addresses are offsets in --section, or in the first section that is long "
    "enough.\n"
    "Exit status: 0; 1 the file cannot be read, or a line is not an address.\n"
    "Example: echo 4011a6 | csink symbolize --module ./app --inlines";

/// Each function of this kind creates one command with its options, which write into `choices`.
void AddMerge(CLI::App& app, Choices& choices) {
  CLI::App& merge = *app.add_subcommand(
      "merge", "Merge many spools into one file, which csink report reads like a spool");
  merge.add_option("-o,--output", choices.merge.output, "Output file")
      ->required()
      ->type_name("FILE");
  merge
      .add_option("--max-processes", choices.merge.max_processes,
                  "Maximum number of processes with a row; the others share one row (4096)")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  merge.add_flag("--per-thread", choices.merge.per_thread,
                 "Keep the functions of each thread (a larger file)");
  merge.add_option("targets", choices.merge.targets, "Spools, folders of spools, process numbers")
      ->type_name("FILE|FOLDER|PID");
  // CLI11's own usage line does not show that -o and a target are needed.
  merge.formatter(std::make_shared<Usage>(" -o FILE SPOOL|FOLDER..."));
  merge.footer(kMergeNotes);
}

void AddSymbolize(CLI::App& app, Choices& choices) {
  CLI::App& symbolize =
      *app.add_subcommand("symbolize", "Symbolize addresses of a file, read from standard input");
  symbolize
      .add_option("--module", choices.symbolize.module,
                  "The program, library, object file, kernel module or separate debug file")
      ->required()
      ->type_name("FILE");
  symbolize
      .add_option("--section", choices.symbolize.section,
                  "Addresses are offsets in this section, .text for example")
      ->type_name("NAME");
  symbolize.add_flag("--functions", choices.symbolize.functions, "Function names only, no lines");
  symbolize.add_flag("--inlines", choices.symbolize.inlines, "Show inlined functions, too");
  symbolize.add_option("--format", choices.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  symbolize.formatter(std::make_shared<Usage>(" --module FILE < ADDRESSES"));
  symbolize.footer(kSymbolizeNotes);
}

void AddDoctor(CLI::App& app, Choices& choices) {
  CLI::App& doctor = *app.add_subcommand(
      "doctor", "Show what csink can measure on this machine, the reasons, and improvements");
  doctor.add_flag("--events", choices.events, "List the events that can be sampled");
  doctor.add_option("--event", choices.event, "Explain one event: its unit masks and modifiers")
      ->type_name("EVENT");
  doctor.add_option("--format", choices.format, "text or json; --events always prints text")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
}

void AddCtl(CLI::App& app, Choices& choices) {
  CLI::App& ctl =
      *app.add_subcommand("ctl", "Send a command to a running program through CSINK_CONTROL");
  ctl.add_option("--timeout", choices.ctl.timeout_seconds, "Seconds to wait for the answer (30)")
      ->check(NumberIn(0.001, 1e9))
      ->type_name("SECONDS");
  ctl.add_option("target", choices.ctl.target, "The fifo or the process number")
      ->required()
      ->type_name("PID|FIFO");
  ctl.add_option("command", choices.ctl.command, "The command")->required()->type_name("COMMAND");
  ctl.formatter(std::make_shared<Usage>(" PID|FIFO COMMAND"));
  ctl.footer(kCtlNotes);
}

void AddCache(CLI::App& app, Choices& choices) {
  CLI::App& cache =
      *app.add_subcommand("cache", "Show or clear the cache of function names on disk");
  cache.add_option("action", choices.cache_action, "show or clear")
      ->default_val("show")
      ->check(CLI::IsMember({"show", "clear"}))
      ->type_name("ACTION");
  cache.formatter(std::make_shared<Usage>(" [show|clear]"));
  cache.footer(kCacheNotes);
}

void AddPapi(CLI::App& app, Choices& choices) {
  CLI::App& papi = *app.add_subcommand("papi", "Run a program with the libpapi of csink");
  papi.add_flag("--prefix", choices.papi.print_prefix,
                "Print the folder that has its lib, bin and include, and run nothing");
  papi.formatter(std::make_shared<Usage>(" -- PROGRAM [ARG...]"));
  papi.footer(kPapiNotes);
}

/// Appends the words behind "--": they are files, even if they begin with '-'.
void TakeWords(Choices& choices, std::vector<std::string>& targets) {
  targets.insert(targets.end(), choices.behind_dashes.begin(), choices.behind_dashes.end());
}

/// Functions of this kind take the parsed options, check what the parser cannot, and run the
/// command.
int DoDiff(const CLI::App& /*app*/, Choices& choices, const report::Resolver& resolve) {
  TakeWords(choices, choices.diff.both);
  return RunDiff(choices.diff, resolve);
}

int DoView(const CLI::App& /*app*/, Choices& choices, const report::Resolver& resolve) {
  TakeWords(choices, choices.view.targets);
  return RunView(choices.view, resolve);
}

int DoAnnotate(const CLI::App& /*app*/, Choices& choices, const report::Resolver& resolve) {
  TakeWords(choices, choices.annotate.targets);
  choices.annotate.output.format =
      choices.format == "json" ? ReportFormat::kJson : ReportFormat::kText;
  return RunAnnotate(choices.annotate, resolve);
}

int DoExport(const CLI::App& /*app*/, Choices& choices, const report::Resolver& resolve) {
  TakeWords(choices, choices.exporting.targets);
  // The parser has checked the name.
  choices.exporting.output.format = FormatNamed(choices.format).value_or(ReportFormat::kText);
  choices.exporting.output.min_share = choices.min_share_percent / 100;
  return RunExport(choices.exporting, resolve);
}

int DoMerge(const CLI::App& /*app*/, Choices& choices, const report::Resolver& /*resolve*/) {
  TakeWords(choices, choices.merge.targets);
  if (choices.merge.targets.empty()) {
    Complain("no spool was given; usage: csink merge -o FILE SPOOL|FOLDER... (csink merge --help)");
    return kExitUsage;
  }
  return RunMerge(choices.merge);
}

/// --event and --events win over --format.
int DoDoctor(const CLI::App& /*app*/, Choices& choices, const report::Resolver& /*resolve*/) {
  const ReportFormat format = FormatNamed(choices.format).value_or(ReportFormat::kText);
  if (!choices.event.empty()) return RunEventDoctor(choices.event, format);
  if (choices.events) return RunDoctor(Findings::kEvents);
  return RunDoctor(format == ReportFormat::kJson ? Findings::kJson : Findings::kText);
}

int DoSymbolize(const CLI::App& /*app*/, Choices& choices, const report::Resolver& resolve) {
  choices.symbolize.format = FormatNamed(choices.format).value_or(ReportFormat::kText);
  return RunSymbolize(choices.symbolize, resolve);
}

/// In the order of --help. The second column is the message for a missing argument.
constexpr Command kCommands[] = {
    {"run", nullptr, AddRun, DoRun},
    {"attach", "the process number is missing; usage: csink attach [OPTIONS] PID", AddAttach,
     DoAttach},
    {"report", nullptr, AddReport, DoReport},
    {"diff", nullptr, [](CLI::App& app, Choices& choices) { AddDiffCommand(app, choices.diff); },
     DoDiff},
    {"bench", nullptr, [](CLI::App& app, Choices& choices) { AddBench(app, choices.bench); },
     [](const CLI::App&, Choices& choices, const report::Resolver& resolve) {
       return RunBench(choices.bench, choices.behind_dashes, resolve);
     }},
    {"top", "the process number is missing; usage: csink top PID",
     [](CLI::App& app, Choices& choices) { AddTopCommand(app, choices.top); },
     [](const CLI::App&, Choices& choices, const report::Resolver& resolve) {
       return RunTop(choices.top, resolve);
     }},
    {"view", nullptr, [](CLI::App& app, Choices& choices) { AddView(app, choices.view); }, DoView},
    {"annotate", "the function is missing; usage: csink annotate FUNCTION [FILE|FOLDER|PID...]",
     [](CLI::App& app, Choices& choices) { AddAnnotate(app, choices.format, choices.annotate); },
     DoAnnotate},
    {"show", "the profile or the id is missing; usage: csink show FILE|FOLDER|PID ID",
     [](CLI::App& app, Choices& choices) { AddShow(app, choices.format, choices.show); },
     [](const CLI::App&, Choices& choices, const report::Resolver& resolve) {
       choices.show.output.format = FormatNamed(choices.format).value_or(ReportFormat::kText);
       return RunShow(choices.show, resolve);
     }},
    {"export", "the format is missing; usage: csink export --format=FORMAT FILE|FOLDER|PID...",
     [](CLI::App& app, Choices& choices) { AddExport(app, choices.format, choices.exporting); },
     DoExport},
    {"merge", "the output file is missing; usage: csink merge -o FILE SPOOL|FOLDER...", AddMerge,
     DoMerge},
    {"push", nullptr, [](CLI::App& app, Choices& choices) { AddPush(app, choices.push); },
     [](const CLI::App&, Choices& choices, const report::Resolver& resolve) {
       TakeWords(choices, choices.push.targets);
       return RunPush(choices.push, resolve);
     }},
    {"ctl", "the target or the command is missing; usage: csink ctl PID|FIFO COMMAND", AddCtl,
     [](const CLI::App&, Choices& choices, const report::Resolver&) {
       return RunCtl(choices.ctl);
     }},
    {"doctor", nullptr, AddDoctor, DoDoctor},
    {"mcp", nullptr, [](CLI::App& app, Choices& choices) { AddMcp(app, choices.mcp); },
     [](const CLI::App&, Choices& choices, const report::Resolver&) {
       return RunMcp(choices.mcp);
     }},
    {"papi", nullptr, AddPapi,
     [](const CLI::App&, Choices& choices, const report::Resolver&) {
       return RunPapi(choices.papi, choices.behind_dashes);
     }},
    {"symbolize", "the file is missing; usage: csink symbolize --module FILE < ADDRESSES",
     AddSymbolize, DoSymbolize},
    {"cache", nullptr, AddCache,
     [](const CLI::App&, Choices& choices, const report::Resolver&) {
       return RunCache(choices.cache_action);
     }},
};

}  // namespace

std::span<const Command> Commands() { return kCommands; }

}  // namespace csink::tool
