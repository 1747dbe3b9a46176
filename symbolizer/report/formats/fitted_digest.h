#pragma once

#include <string>

#include "symbolizer/report/findings/digest.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/fitted.h"

namespace csink::report {

/// The digest of the first of options.events, as `make(digest)` writes it, with as many rows as
/// kMostDigestBytes permit.
template <typename Make>
std::string FittedDigest(const Report& report, const FormatOptions& options, Make make) {
  Digest digest = MakeDigest(report, ChosenEvents(report, options), FactLines(report));
  return Fitted(
      kMostDigestBytes, RowsOf(digest), [&] { return make(digest); },
      [&] { return DropRow(digest); });
}

}  // namespace csink::report
