#pragma once

#include <string>

#include "symbolizer/annotate/annotation.h"
#include "symbolizer/report/text/table.h"

namespace csink::annotate {

enum class Layout {
  kBoth,    ///< The sources, then the instructions
  kMixed,   ///< Instructions below the lines that they belong to
  kSource,  ///< The sources alone
  kCode,    ///< Only the instructions
};

/// An annotated function as text. Lines fit into style.width columns, except words and code that
/// cannot be cut. Ends in a newline.
std::string WriteAnnotation(const report::Report& report, const Annotation& annotation,
                            Layout layout, const report::TextStyle& style);

}  // namespace csink::annotate
