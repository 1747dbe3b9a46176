#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "symbolizer/annotate/annotation.h"

/// File: annotated functions for programs. docs/annotate.md is the schema.

namespace csink::annotate {

/// One function: what "annotations" of the JSON report and "functions" of csink annotate list.
nlohmann::ordered_json AnnotationJson(const Annotation& annotation);

/// The answer of `csink annotate --format json`. Ends in a newline.
std::string WriteAnnotationsJson(const report::Report& report,
                                 const std::vector<Annotation>& annotations);

/// The JSON report with these as its "annotations".
std::string WriteReportWithAnnotations(const report::Report& report,
                                       const std::vector<Annotation>& annotations);

}  // namespace csink::annotate
