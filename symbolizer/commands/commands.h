#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/commands/annotate_command.h"
#include "symbolizer/commands/ctl_command.h"
#include "symbolizer/commands/diff_command.h"
#include "symbolizer/commands/export_command.h"
#include "symbolizer/commands/merge_command.h"
#include "symbolizer/commands/report_command.h"
#include "symbolizer/commands/run_command.h"
#include "symbolizer/commands/symbolize_command.h"
#include "symbolizer/commands/top_command.h"
#include "symbolizer/report/tables/report.h"

/// File: the commands of csink, in one table. A new command needs one line there, and its options.

namespace csink::tool {

/// The parsed command line.
struct Choices {
  std::string format = "text";
  double min_share_percent = 1;
  RunOptions run;
  ReportOptions report;
  CtlOptions ctl;
  MergeCommandOptions merge;
  AnnotateOptions annotate;
  SymbolizeOptions symbolize;
  bool merge_clones = false;
  ExportOptions exporting;
  DiffOptions diff;
  TopOptions top;
  bool events = false;
  std::string event;
  std::string cache_action;
  std::vector<std::string> behind_dashes;  ///< The arguments behind "--"
};

struct Command {
  const char* name;
  const char* missing;  ///< Message for a missing argument; null: none is required
  void (*add)(CLI::App& app, Choices& choices);
  int (*run)(const CLI::App& app, Choices& choices, const report::Resolver& resolve);
};

/// The commands in the order of --help.
std::span<const Command> Commands();

/// `csink run` and `csink report`: the two commands with all options of a report.
void AddRun(CLI::App& app, Choices& choices);
void AddReport(CLI::App& app, Choices& choices);
int DoRun(const CLI::App& app, Choices& choices, const report::Resolver& resolve);
int DoReport(const CLI::App& app, Choices& choices, const report::Resolver& resolve);

}  // namespace csink::tool
