#pragma once

#include <string>

#include "core/util/report_format.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink symbolize` (docs/inlines.md).

namespace csink::tool {

struct SymbolizeOptions {
  /// The file: a program, library, object file, kernel module or separate debug file.
  std::string module;
  /// Addresses are relative to the start of this section. If empty, they are the file's own.
  std::string section;
  /// Only names, no lines.
  bool functions = false;
  /// Also inlined functions. Wins over `functions`.
  bool inlines = false;
  /// kText or kJson.
  ReportFormat format = ReportFormat::kText;
};

/// Runs `csink symbolize`: reads addresses in a file's own address space from stdin, one
/// hexadecimal number per line, and writes what they refer to, in their order, to stdout. Answers
/// are written as the input arrives, so that a program can write an address to a pipe and wait for
/// the answer. Each address of a batch is looked up once. Returns the exit status: 0; kExitNothing
/// if the file cannot be read or a line is not an address (the addresses before it are answered).
int RunSymbolize(const SymbolizeOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool
