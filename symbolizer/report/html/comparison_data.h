#pragma once

#include <cstddef>

#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/html/json_lists.h"
#include "symbolizer/report/html/page.h"

/// File: the data of a page of two sides: their profiles, and the comparison. docs/page.schema.json
/// is the schema.

namespace csink::report {

/// Rows of the comparison that are kept: this number with the largest changes, and all with a mark.
inline constexpr std::size_t kMostChanges = 50'000;

/// Writes the whole object. Everything is escaped for a script element.
void WriteComparedData(const ComparedPage& page, Sink& sink);

/// Writes the element "comparison". `most` as kMostChanges.
void WriteComparisonData(const ComparedPage& page, PageJson& json, std::size_t most = kMostChanges);

}  // namespace csink::report
