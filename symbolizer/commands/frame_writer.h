#pragma once

#include <cstdint>
#include <string>

#include "core/util/report_format.h"
#include "symbolizer/resolve/resolver.h"

namespace csink::tool {

/// The answers of `csink symbolize` as text (as addr2line -afi: the address, then function and
/// place of every frame, innermost first) or as one JSON array, piece by piece.
class FrameWriter {
 public:
  /// kText or kJson.
  explicit FrameWriter(ReportFormat format) : format_(format) {}

  /// Appends one answer to `out`; without a location, that nothing is known.
  void Add(std::uint64_t address, const symbolizer::Location* location, std::string& out);

  /// What comes behind the last answer.
  std::string End() const;

 private:
  ReportFormat format_;
  bool has_begun_ = false;
};

}  // namespace csink::tool
