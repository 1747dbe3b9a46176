#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/sample_table.h"

/// File: writes the tidy table as newline-delimited JSON.

namespace csink::report {

/// The tidy table as JSON, an object a line (newline-delimited JSON).
Result<void> WriteNdjson(const Report& report, const FormatOptions& options, Sink& sink) {
  WriteSampleTable(report, options, RowForm::kNdjson, sink);
  return {};
}

}  // namespace csink::report
