#pragma once

#include <string>

#include "symbolizer/report/report.h"
#include "symbolizer/tool/output.h"

namespace csink::tool {

struct SymbolizeOptions {
  std::string module;      ///< The file
  bool functions = false;  ///< Names alone
  bool inlines = false;    ///< Also what was inlined
  ReportFormat format = ReportFormat::kText;
};

/// `csink symbolize`: addresses of a file's own, one hexadecimal number a line, from stdin; what
/// lies there, in their order, to stdout. Every address once is looked up once, however often it
/// comes. Returns the exit status: 0; kExitNothing when the file cannot be read or a line is no
/// address.
int RunSymbolize(const SymbolizeOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool
