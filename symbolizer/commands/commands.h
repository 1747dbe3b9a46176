#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/commands/bench/bench_command.h"
#include "symbolizer/commands/inspect/ctl_command.h"
#include "symbolizer/commands/inspect/merge_command.h"
#include "symbolizer/commands/inspect/papi_command.h"
#include "symbolizer/commands/inspect/symbolize_command.h"
#include "symbolizer/commands/live/top_command.h"
#include "symbolizer/commands/live/view_command.h"
#include "symbolizer/commands/mcp/mcp_command.h"
#include "symbolizer/commands/push/push_command.h"
#include "symbolizer/commands/run/attach_command.h"
#include "symbolizer/commands/run/run_command.h"
#include "symbolizer/commands/show/annotate_command.h"
#include "symbolizer/commands/show/diff_command.h"
#include "symbolizer/commands/show/export_command.h"
#include "symbolizer/commands/show/report_command.h"
#include "symbolizer/commands/show/show_command.h"
#include "symbolizer/report/tables/report.h"

/// File: the commands of csink, in one table. A new command needs one line there, and its options
/// (ARCHITECTURE.md, "Where to add").

namespace csink::tool {

/// The parsed command line. Only the member of the command that was given is filled in.
struct Choices {
  /// --format of any command, a name of core/util/report_format.h; empty: not given.
  std::string format;
  /// --min-share of `report` and `run`, 0 to 100.
  double min_share_percent = 1;
  /// The options of each command, filled in by the parser.
  RunOptions run;
  ReportOptions report;
  AttachOptions attach;
  CtlOptions ctl;
  MergeCommandOptions merge;
  AnnotateOptions annotate;
  ShowOptions show;
  SymbolizeOptions symbolize;
  /// --merge-clones of `report`.
  bool merge_clones = false;
  ExportOptions exporting;
  DiffOptions diff;
  BenchOptions bench;
  TopOptions top;
  ViewOptions view;
  PushOptions push;
  PapiOptions papi;
  McpOptions mcp;
  /// --events and --event of `doctor`.
  bool events = false;
  /// The event that `doctor --event` explains; "" without the option.
  std::string event;
  /// "show" or "clear".
  std::string cache_action;
  /// The arguments behind "--", which are not parsed: the program of `csink run`, or files.
  std::vector<std::string> behind_dashes;
};

/// One row of the table.
struct Command {
  /// As on the command line.
  const char* name;
  const char* missing;  ///< Message for a missing argument; null: none is required
  /// Creates the command's options, which write into `choices`.
  void (*add)(CLI::App& app, Choices& choices);
  /// Runs the command. Returns the exit status of csink.
  int (*run)(const CLI::App& app, Choices& choices, const report::Resolver& resolve);
};

/// The commands in the order of --help. The table is constant.
std::span<const Command> Commands();

/// The options of `csink run` and `csink report`, the two commands with all options of a report
/// (report_and_run.cpp).
void AddRun(CLI::App& app, Choices& choices);
void AddReport(CLI::App& app, Choices& choices);
/// `csink attach`, which has most of them.
void AddAttach(CLI::App& app, Choices& choices);
int DoAttach(const CLI::App& app, Choices& choices, const report::Resolver& resolve);
/// The two commands themselves. They check what the parser cannot check: that there is a program,
/// that the format has a place, and that --fail-if-slower has a baseline.
int DoRun(const CLI::App& app, Choices& choices, const report::Resolver& resolve);
int DoReport(const CLI::App& app, Choices& choices, const report::Resolver& resolve);

/// Adds the command `diff` with its options, which write into `options` (diff_options.cpp, apart
/// from the command itself, so that its source needs no parser).
void AddDiffCommand(CLI::App& app, DiffOptions& options);
/// The same for the command `top`.
void AddTopCommand(CLI::App& app, TopOptions& options);

}  // namespace csink::tool
