#pragma once

#include <string>

#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/text/table.h"

/// File: an annotated function as text for people.

namespace csink::annotate {

/// Which listings are written, and in which order.
enum class Layout {
  /// The sources, then the instructions.
  kBoth,
  /// Instructions, each run of them below the source line that it comes from.
  kMixed,
  /// The sources alone.
  kSource,
  /// The instructions alone.
  kCode,
};

/// Writes one annotated function: a head with its share and the precision of the events, the
/// listings, and a note about skid.
///
/// Names, source lines and instructions are made printable, because they come from files. Lines fit
/// into style.width columns, except words that cannot be wrapped; a source line or an instruction
/// keeps at least 20 columns. Ends in a newline.
std::string WriteAnnotation(const report::Report& report, const Annotation& annotation,
                            Layout layout, const report::TextStyle& style);

}  // namespace csink::annotate
