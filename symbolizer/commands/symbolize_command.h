#pragma once

#include <string>

#include "symbolizer/commands/output.h"
#include "symbolizer/report/tables/report.h"

namespace csink::tool {

struct SymbolizeOptions {
  std::string module;      ///< The file
  std::string section;     ///< Addresses are relative to its start; empty: they are the file's own
  bool functions = false;  ///< Only names
  bool inlines = false;    ///< Also inlined functions
  ReportFormat format = ReportFormat::kText;
};

/// Runs `csink symbolize`: reads addresses in a file's own address space from stdin, one
/// hexadecimal number per line, and writes what they refer to, in their order, to stdout. Answers
/// are written as the input arrives, so that a program can write an address to a pipe and wait for
/// the answer. Each address of a batch is looked up once. Returns the exit status: 0; kExitNothing
/// if the file cannot be read or a line is not an address (the addresses before it are answered).
int RunSymbolize(const SymbolizeOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool
