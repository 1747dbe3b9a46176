#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>

#include "core/machine/clocks.h"
#include "core/version/version.h"
#include "symbolizer/commands/commands.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/inspect/debuginfod.h"
#include "symbolizer/commands/inspect/doctor_command.h"
#include "symbolizer/commands/misuse.h"
#include "symbolizer/names/cache/cached_resolver.h"
#include "symbolizer/names/cache/folder.h"

namespace csink::tool {
namespace {

constexpr char kAbout[] =
    "csink shows where a program's CPU time and hardware events go.\n"
    "Profiling without this tool: LD_PRELOAD=libagent.so ./app";

/// If descriptor 0, 1 or 2 is closed, the next opened file would get its number, and output would
/// be written to it. So these are opened as /dev/null.
void FillStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
  }
}

/// The csink program: parses its arguments and runs a command. Exit codes: 0; 1: nothing to report,
/// or not readable; 2: wrong use; commands may have others. `run` exits with the program's status.
/// `resolve` names addresses.
int RunTool(int argc, char** argv, const report::Resolver& resolve) {
  if (argc == 2 && std::string_view(argv[1]) == kNothingCommand) return 0;
  FillStandardDescriptors();
  CLI::App app(kAbout, "csink");
  Choices choices;
  app.set_version_flag("--version", std::string("csink ") + VersionText(),
                       "Print the version and exit");
  app.require_subcommand(1);
  // The other commands' options are not created if a command is named: the parser's objects would
  // cost each report at exit half as much CPU time as its whole start.
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto commands = Commands();
  const auto named = std::find_if(commands.begin(), commands.end(),
                                  [&](const Command& command) { return first == command.name; });
  for (const Command& command : commands) {
    if (named == commands.end() || &command == &*named) command.add(app, choices);
  }
  // The arguments behind "--" are not parsed.
  int ours = 1;
  while (ours < argc && std::string_view(argv[ours]) != "--") ++ours;
  for (int i = ours + 1; i < argc; ++i) choices.behind_dashes.push_back(argv[i]);
  try {
    app.parse(ours, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return ExplainMisuse(app, error);
  }
  const std::string chosen = app.get_subcommands().at(0)->get_name();
  // The parser accepts exactly the commands of the table, so the search always finds one.
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const Command& one) { return chosen == one.name; });
  const int status = command->run(app, choices, resolve);
  // `csink run` has the status of its program, also where nobody reads the report.
  if (status == kExitNothing && chosen != "run" && !choices.report.at_exit) EndByClosedPipe();
  return status;
}

}  // namespace
}  // namespace csink::tool

/// Wires the resolver: debuginfod, the cache on disk, the symbolizer.
int main(int argc, char** argv) {
  using csink::symbolizer::ModuleRequest;
  csink::LearnTimeNamespace();
  csink::symbolizer::Options options;
  options.fetch = csink::tool::DebuginfodFetcher(argc, argv);
  bool is_set = false;  // Initialised on demand: a report without modules needs no cache
  const auto resolve = [&](const ModuleRequest& request) {
    if (!is_set) {
      std::string problem;
      const auto cache = csink::symbolizer::cache::SettingsFromEnvironment(&problem);
      if (!problem.empty()) csink::tool::Complain(problem);
      options.cache_folder = cache.folder;
      options.cache_bytes = cache.max_bytes;
      is_set = true;
    }
    return csink::symbolizer::ResolveModuleCached(request, options);
  };
  return csink::tool::RunTool(argc, argv, resolve);
}
