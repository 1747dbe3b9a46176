#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "symbolizer/annotate/annotation.h"

/// File: annotated functions as JSON. docs/annotate.md is the schema.

namespace csink::annotate {

/// One function: an element of "annotations" in the JSON report and of "functions" in `csink
/// annotate`.
nlohmann::ordered_json AnnotationJson(const Annotation& annotation);

/// The output of `csink annotate --format json`. Ends in a newline.
std::string WriteAnnotationsJson(const report::Report& report,
                                 const std::vector<Annotation>& annotations);

/// The JSON report with `annotations` as its member "annotations".
std::string WriteReportWithAnnotations(const report::Report& report,
                                       const std::vector<Annotation>& annotations);

}  // namespace csink::annotate
