#pragma once

#include <string_view>
#include <vector>

#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/html/sample_rows.h"
#include "symbolizer/report/tables/report.h"

/// File: the data of the page: one JSON object. docs/page.schema.json is the schema.

namespace csink::report {

/// Writes the object. `rows` were made of `report`. Everything is escaped for a script element.
void WritePageData(const Report& report, const SampleRows& rows,
                   const std::vector<annotate::Annotation>& annotations, Sink& sink);

/// How the object begins, up to its first profile.
inline constexpr std::string_view kPageDataBegin =
    R"({"format":"csink-page","version":1,"profiles":[)";

/// Writes an element of "profiles". The rest as of WritePageData.
void WriteProfile(const Report& report, const SampleRows& rows,
                  const std::vector<annotate::Annotation>& annotations, Sink& sink);

/// Writes the element "sources": the annotated functions (page_sources.cpp).
void WriteSources(const std::vector<annotate::Annotation>& annotations, Sink& sink);

}  // namespace csink::report
