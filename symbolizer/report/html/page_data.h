#pragma once

#include <vector>

#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/html/json_lists.h"
#include "symbolizer/report/html/sample_rows.h"
#include "symbolizer/report/tables/report.h"

/// File: the data of the page: one JSON object. docs/page.schema.json is the schema.

namespace csink::report {

/// Writes the object. `rows` were made of `report`. Everything is escaped for a script element.
void WritePageData(const Report& report, const SampleRows& rows,
                   const std::vector<annotate::Annotation>& annotations, Sink& sink);

/// The begin of the object, up to the list of profiles. The caller adds those and ends it.
void BeginPageData(PageJson& json);

/// Writes an element of "profiles". The rest as of WritePageData.
void WriteProfile(const Report& report, const SampleRows& rows,
                  const std::vector<annotate::Annotation>& annotations, PageJson& json);

/// Writes the member "sources": the annotated functions (page_sources.cpp).
void WriteSources(const std::vector<annotate::Annotation>& annotations, PageJson& json);

}  // namespace csink::report
