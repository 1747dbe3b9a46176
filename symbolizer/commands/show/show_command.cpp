#include "symbolizer/commands/show/show_command.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/targets.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/report/annotate/name_facts.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kNotes[] =
    "ID: as --format digest has it, or the name of a function or lock. At most 4,000 bytes: "
    "shares,\n"
    "callers, callees, lines, code, waits, holders.\n"
    "Exit status: 0; 1 nothing to show, or no such name; 2 wrong use.\n"
    "Example: csink show /tmp/spools n1a2b3c4";

}  // namespace

void AddShow(CLI::App& app, std::string& format, ShowOptions& options) {
  CLI::App& show = *app.add_subcommand("show", "Show what a profile knows of one name, in short");
  show.add_option("--format", format, "text (Markdown) or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  AddSourcePrefix(show, options.choices);
  show.add_option("target", options.target, "Spool, folder of spools, or process number")
      ->required()
      ->type_name("FILE|FOLDER|PID");
  show.add_option("name", options.name, "The id or the name")->required()->type_name("ID");
  show.formatter(std::make_shared<Usage>(" FILE|FOLDER|PID ID"));
  show.footer(kNotes);
}

int RunShow(const ShowOptions& options, const report::Resolver& resolve) {
  std::size_t failed = 0;
  const std::vector<std::string> paths = SpoolsOfAll({options.target}, failed);
  // SpoolsOfAll has printed why.
  if (paths.empty()) return kExitNothing;
  View view;
  // Inlined functions have lines of their own, and the digest's lines are the program's own.
  view.needs = {.addresses = true, .callers = true, .inlines = true};
  view.quiet = true;
  Profile profile = LoadProfile(paths, failed, MergeOptionsOf(view));
  if (profile.processes.empty()) return kExitNothing;
  const report::Report report = MakeReport(std::move(profile), view, {}, resolve);
  const std::vector<annotate::NameFacts> names =
      annotate::FactsOfName(report, options.name, resolve, SettingsOf(options.choices));
  if (names.empty()) {
    Complain("no name " + report::OneLine(options.name) +
             " in this profile; csink report --format digest has names with their ids");
    return kExitNothing;
  }
  const bool written = WriteMade(report.profile, options.output, [&](const report::TextStyle&) {
    return options.output.format == ReportFormat::kJson ? annotate::WriteNameFactsJson(names)
                                                        : annotate::WriteNameFacts(names);
  });
  return written && failed == 0 ? 0 : kExitNothing;
}

}  // namespace csink::tool
