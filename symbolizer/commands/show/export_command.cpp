#include "symbolizer/commands/show/export_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/number_checks.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/targets.h"
#include "symbolizer/commands/show/page_output.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/select_events.h"

/// File: `csink export`: a report with everything that the format needs (report::NeedsOf), written
/// in that format without leaving rows out.

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kExportNotes[] =
    "docs/formats.md describes each format.\n"
    "Exit status: 0; 1 nothing to export or not readable; 2 wrong use.\n"
    "Examples: csink export --format=pprof -o prof.pb.gz FILE; go tool pprof -top prof.pb.gz\n"
    "          csink export --format=svg -o flame.svg FILE";

/// The words of --table.
const std::map<std::string, report::CsvTable> kTables = {
    {"samples", report::CsvTable::kSamples},
    {"functions", report::CsvTable::kFunctions},
    {"lines", report::CsvTable::kLines},
    {"threads", report::CsvTable::kThreads},
    {"processes", report::CsvTable::kProcesses}};

/// --format is required, so it is in the usage line.
class ExportUsage : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "Usage: " + name + " --format=FORMAT [OPTIONS] FILE|FOLDER|PID...\n";
  }
};

/// Finds the column for an event name (FindEvent). Returns false if there is none, and an error was
/// printed.
bool ChooseEvent(const Profile& profile, const std::string& name,
                 std::vector<std::size_t>& chosen) {
  const std::size_t event = report::FindEvent(profile, name);
  if (event < profile.events.size()) {
    chosen = {event};
    return true;
  }
  Complain("no event " + name + " in this profile; the events are: " + report::EventNames(profile));
  return false;
}

/// Chooses the table of CSV, and checks the options that only tables have. Prints an error and
/// returns false for an option that the format does not use.
bool ChooseTable(const ExportOptions& options, ReportFormat format,
                 report::FormatOptions& details) {
  const bool is_csv = format == ReportFormat::kCsv;
  if (!options.table.empty() && !is_csv) {
    Complain("--table is only possible with --format=csv");
    return false;
  }
  // An export is of the whole profile, so its table is the one that leaves nothing out.
  details.table = options.table.empty() ? report::CsvTable::kSamples : kTables.at(options.table);
  const bool is_tidy =
      format == ReportFormat::kNdjson || (is_csv && details.table == report::CsvTable::kSamples);
  if (!details.label.empty() && !is_tidy) {
    Complain("--label is only possible with --format=ndjson, and --format=csv --table=samples");
    return false;
  }
  return true;
}

/// Whether the profile has a module of this name or path. Prints an error if not.
bool HasModule(const Profile& profile, const std::string& name) {
  const auto is_it = [&](const Module& module) {
    return module.path == name || report::DisplayName(module) == name;
  };
  if (std::any_of(profile.modules.begin(), profile.modules.end(), is_it)) return true;
  Complain("no module " + name + " in this profile; csink report shows the modules");
  return false;
}

}  // namespace

void AddFormatOption(CLI::App& command, std::string& format) {
  // The table of formats is the one that the agent's CSINK_FORMAT uses.
  std::vector<std::string> names;
  for (const ReportFormatName& name : kReportFormats) names.emplace_back(name.name);
  command.add_option("--format", format, kReportFormatWords.data())
      ->check(CLI::IsMember(names))
      ->type_name("FORMAT");
}

void AddExport(CLI::App& app, std::string& format, ExportOptions& options) {
  CLI::App& command = *app.add_subcommand("export", "Write profiles in formats of other programs");
  AddFormatOption(command, format);
  // Other commands have a default for it; an export without a format has no meaning.
  command.get_option("--format")->required();
  command
      .add_option("-o,--output", options.output.file,
                  "Output file, a template as for csink report (stdout)")
      ->type_name("FILE");
  command
      .add_option("--event", options.event,
                  "Only this event (default: all, or the first if the format has one)")
      ->type_name("NAME");
  command.add_flag("--inlines", options.view.inlines, "Show inlined functions as separate frames");
  command.add_flag("--flat", options.view.flat, "Omit callers");
  command.add_option("--phase", options.view.phase, "Only samples after the mark of this name")
      ->type_name("NAME");
  command
      .add_option("--module", options.output.details.module,
                  "gmon: the module whose code is exported (the program)")
      ->type_name("NAME");
  command
      .add_option("--table", options.table,
                  "csv: samples (default, as ndjson), functions, lines, threads or processes")
      ->check(CLI::IsMember(kTables))
      ->type_name("TABLE");
  command
      .add_option("--label", options.output.details.label,
                  "csv and ndjson: text of the column label, for instance a release")
      ->type_name("TEXT");
  command
      .add_option("--top", options.output.top,
                  "markdown: rows of the table; the other functions share one row (20)")
      ->check(CountUpTo(kMostRows))
      ->type_name("N");
  command.add_option("targets", options.targets, "Spools, folders of spools, process numbers")
      ->type_name("FILE|FOLDER|PID");
  command.formatter(std::make_shared<ExportUsage>());
  command.footer(kExportNotes);
}

bool HasPlaceFor(const OutputOptions& output) {
  if (!NameOf(output.format).is_binary || !output.file.empty()) return true;
  // Into a pipe or a file, binary output is what the user wants.
  if (output.fd == 1 && !isatty(1)) return true;
  const char* const why = output.format == ReportFormat::kHtml ? " is for a browser" : " is binary";
  Complain("--format " + std::string(NameOf(output.format).name) + why + " and needs -o FILE");
  return false;
}

int RunExport(ExportOptions options, const report::Resolver& resolve) {
  if (options.targets.empty()) {
    Complain(
        "no spool was given; usage: csink export --format=FORMAT FILE|FOLDER|PID... (csink report "
        "lists spools)");
    return kExitUsage;
  }
  auto& details = options.output.details;
  if (!ChooseTable(options, options.output.format, details)) return kExitUsage;
  if (!HasPlaceFor(options.output)) return kExitUsage;
  // The format decides what is kept apart and resolved: threads, addresses, inlined functions.
  options.view.needs = report::NeedsOf(options.output.format, details.table);
  options.view.own_lines = options.view.needs.own_lines;
  details.inlines = options.view.inlines;
  std::size_t failed = 0;
  const std::vector<std::string> paths = SpoolsOfAll(options.targets, failed);
  // SpoolsOfAll has printed why.
  if (paths.empty()) return kExitNothing;
  Profile profile = LoadProfile(paths, failed, MergeOptionsOf(options.view));
  if (profile.processes.empty() || !HasSamples(profile, options.view, paths[0])) {
    return kExitNothing;
  }
  if (!options.event.empty() && !ChooseEvent(profile, options.event, details.events)) {
    return kExitUsage;
  }
  // Checked before the names are resolved, which may take long.
  if (!details.module.empty() && !HasModule(profile, details.module)) return kExitUsage;
  const report::Report report = MakeReport(std::move(profile), options.view, {}, resolve);
  return WriteReportWithSources(report, options.output, resolve) && failed == 0 ? 0 : kExitNothing;
}

}  // namespace csink::tool
