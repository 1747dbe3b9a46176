#pragma once

#include <cstdint>
#include <string>

#include "core/util/result.h"
#include "symbolizer/report/report.h"
#include "symbolizer/report/table.h"

/// File: where a report goes and how it is dressed there.

namespace csink::tool {

enum class Format { kText, kJson };

struct OutputOptions {
  Format format = Format::kText;
  std::string file;             ///< Template (core/util/output_template.h); empty: `fd`
  bool of_one_process = false;  ///< Others may write theirs under the same template.
  int fd = 1;                   ///< Where it goes without a file.
  std::size_t top = 20;
  double min_share = 0.01;
  bool call_tree = false;   ///< Also the tree of call paths (text; JSON has it always).
  bool per_thread = false;  ///< Also a table of threads (likewise).
};

/// Writes all of `text`. Errors: with errno.
Result<void> WriteAll(int fd, const std::string& text);

/// Writes the report as asked. When the file cannot be written: one line, and the
/// report goes to stderr. False in that case, and when stdout is gone.
bool WriteReport(const report::Report& report, const OutputOptions& options);

/// One line "csink: error: ..." (or warn) on stderr; unprintable bytes are replaced.
void Complain(const std::string& text);
void Warn(const std::string& text);

}  // namespace csink::tool
