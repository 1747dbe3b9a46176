#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "symbolizer/report/annotate/annotation.h"

/// File: annotated functions as JSON. docs/report.schema.json has them. Text that is not UTF-8
/// becomes U+FFFD. Members keep the order of the schema.

namespace csink::annotate {

/// One function: an element of "annotations" in the JSON report and of "functions" in `csink
/// annotate`. Rows that are kept only for a mixed listing (SourceLine::is_context) are left out.
nlohmann::ordered_json AnnotationJson(const Annotation& annotation);

/// The output of `csink annotate --format json`: the events with their precision, and the
/// functions. `report` supplies the events and the command. Ends in a newline.
std::string WriteAnnotationsJson(const report::Report& report,
                                 const std::vector<Annotation>& annotations);

/// The complete JSON report (docs/json.md) with `annotations` as an additional member
/// "annotations". Ends in a newline.
std::string WriteReportWithAnnotations(const report::Report& report,
                                       const std::vector<Annotation>& annotations);

}  // namespace csink::annotate
