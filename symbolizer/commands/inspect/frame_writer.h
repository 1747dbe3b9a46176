#pragma once

#include <cstdint>
#include <string>

#include "core/util/report_format.h"
#include "symbolizer/names/resolve/resolver.h"

/// File: the output of `csink symbolize`.

namespace csink::tool {

/// Formats the answers of `csink symbolize` as text (like addr2line -afi: the address, then
/// function and position of every frame, innermost first) or as one JSON array, in pieces. The
/// pieces of one object, in their order, are one output.
/// Threads: one at a time.
class FrameWriter {
 public:
  /// `format` is kText or kJson.
  explicit FrameWriter(ReportFormat format) : format_(format) {}

  /// Appends one answer to `out`. `location` is null if nothing is known about the address: "??" in
  /// text, no frames in JSON.
  void Add(std::uint64_t address, const symbolizer::Location* location, std::string& out);

  /// The text behind the last answer: the end of the array, or "" for text.
  std::string End() const;

 private:
  ReportFormat format_;
  /// Whether the JSON array has an element.
  bool has_begun_ = false;
};

}  // namespace csink::tool
