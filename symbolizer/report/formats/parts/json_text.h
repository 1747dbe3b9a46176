#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/util/json_writer.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/sink.h"

/// File: JSON of the formats for other programs.

namespace csink::report {

/// Strings that are cleaned as CleanName does: bytes that are not UTF-8 become U+FFFD, control
/// characters '_', and very long names are cut.
struct CleanStrings {
  template <class Out>
  static void Write(Out& out, std::string_view name) {
    // Nearly all names are plain.
    if (IsPlainName(name)) {
      JsonStrings::Write(out, name);
    } else {
      JsonStrings::Write(out, CleanName(name));
    }
  }
};
using CleanJson = JsonWriter<Sink, CleanStrings>;

/// Nanoseconds as milliseconds, with all six decimals that are not 0: 1500000 -> "1.5".
std::string JsonMilliseconds(std::uint64_t ns);

}  // namespace csink::report
