#pragma once

#include <string>

#include "symbolizer/commands/output.h"
#include "symbolizer/report/tables/report.h"

namespace csink::tool {

struct SymbolizeOptions {
  std::string module;      ///< The file
  std::string section;     ///< Addresses begin at its start; empty: they are the file's own
  bool functions = false;  ///< Names alone
  bool inlines = false;    ///< Also what was inlined
  ReportFormat format = ReportFormat::kText;
};

/// `csink symbolize`: addresses of a file's own, one hexadecimal number a line, from stdin; what
/// lies there, in their order, to stdout. Answers as the input arrives: whoever writes an address
/// into a pipe and waits gets its answer. Every address of one batch is looked up once, however
/// often it comes. Returns the exit status: 0; kExitNothing when the file cannot be read or a line
/// is no address; those before it are answered.
int RunSymbolize(const SymbolizeOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool
