#include <CLI/CLI.hpp>
#include <memory>

#include "symbolizer/commands/commands.h"
#include "symbolizer/commands/console/number_checks.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/launch/run_options.h"

namespace csink::tool {
namespace {

/// Texts behind the options in --help.
constexpr char kDiffNotes[] =
    "A and B: spools, folders of spools, merged files or JSON reports.\n"
    "With three or more runs on each side, changes are tested: a marked change is larger than the\n"
    "error of sampling and the differences from run to run (bench makes such runs itself).\n"
    "--by waits compares what threads waited for, of runs with CSINK_WAIT=1.\n"
    "Exit status: 0; 1 not readable, or no event in common; 2 wrong use; 3 with --fail-if-slower.\n"
    "Examples: csink diff before.json after.json; csink diff --a before/* --b after/*;\n"
    "csink diff -o changes.html A B";

constexpr char kTopNotes[] =
    "Shows the last interval, or with --cumulative everything since the start; reads only the\n"
    "program's spool. Keys: q quits, p pauses, c switches between both. Ends with the program.\n"
    "Exit status: 0; 1 no such process, it is not profiled, or it is another user's; 2 wrong use.";

}  // namespace

void AddDiffCommand(CLI::App& app, DiffOptions& options) {
  CLI::App& diff = *app.add_subcommand("diff", "Compare runs");
  diff.add_option("--a", options.a, "The earlier runs")->type_name("RUN...");
  diff.add_option("--b", options.b, "The later runs")->type_name("RUN...");
  // Positional words are two runs; more runs need --a and --b, because their side would not be
  // known.
  diff.add_option("runs", options.both, "A and B")->expected(0, 2)->type_name("A B");
  // The kinds of rows that CompareRuns compares.
  AddByOption(diff, options.by, {"functions", "lines", "modules", "waits"});
  diff.add_option("--format", options.format, "text, json, csv or html")
      ->check(CLI::IsMember({"text", "json", "csv", "html"}))
      ->type_name("FORMAT");
  diff.add_option("--top", options.top, "Maximum number of rows (20)")
      ->check(CountUpTo(kMostRows))
      ->type_name("N");
  diff.add_option("--min-share", options.min_share_percent,
                  "Rows below this percentage are shown only if they changed (1)")
      ->check(NumberIn(0, 100))
      ->type_name("PERCENT");
  diff.add_option(
          "--fail-if-slower", options.fail_if_slower,
          "Exit with 3 if the CPU time of B is proven to be more than this percentage above "
          "that of A")
      ->check(NumberIn(0, 1e6))
      ->type_name("PERCENT");
  diff.add_option("-o,--output", options.file, "Output file; FILE.html is a page for a browser")
      ->type_name("FILE");
  diff.add_option("--why", options.why,
                  "Show the code of a function in both builds, side by side (text and json)")
      ->type_name("FUNCTION");
  AddColourOption(diff, options.colour);
  diff.add_flag("--quiet", options.quiet, "Do not show progress on stderr");
  diff.formatter(std::make_shared<Usage>(" A B"));
  diff.footer(kDiffNotes);
}

void AddTopCommand(CLI::App& app, TopOptions& options) {
  CLI::App& top = *app.add_subcommand("top", "Watch a running program");
  top.add_option("pid", options.pid, "The process number")->required()->type_name("PID");
  // The agent drains every 100 to 200 ms; looking more often shows nothing new.
  top.add_option("--interval", options.interval_seconds, "Seconds between two updates (1)")
      ->check(NumberIn(0.1, 86400))
      ->type_name("SECONDS");
  top.add_flag("--once", options.once, "Show one interval, then exit");
  top.add_flag("--cumulative", options.cumulative,
               "Show everything since the start, not the last interval");
  top.add_flag("--tree", options.tree, "Include the descendants, with a row for each process");
  AddByOption(top, options.by, {"functions", "lines", "modules", "threads", "processes"});
  top.add_option("--sort", options.sort, "Column by which rows are sorted")->type_name("COLUMN");
  top.add_option("--event", options.events, "Only this event; may be repeated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  top.add_option("--top", options.top, "Maximum number of rows (20; on a terminal as many as fit)")
      ->check(CountUpTo(kMostRows))
      ->type_name("N");
  AddColourOption(top, options.colour);
  top.formatter(std::make_shared<Usage>(" PID"));
  top.footer(kTopNotes);
}

}  // namespace csink::tool
