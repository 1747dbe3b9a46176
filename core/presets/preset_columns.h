#pragma once

#include <string_view>
#include <vector>

#include "core/presets/complaint_list.h"
#include "core/presets/preset_request.h"

namespace csink {

/// One definition and its place in the file.
struct PresetColumnsLine {
  PresetRequest request;
  int line = 0;
  /// The position of each value in the line, by PresetColumn; bytes from 1.
  std::vector<int> columns;
};

/// The values of a line, in order. kNative is the first native event; the others follow.
enum class PresetColumn : std::size_t { kName, kDerived, kPostfix, kShort, kLong, kNote, kNative };

/// Reads a file in the format of PAPI 3.5's PAPI_encode_events and papi_decode: one event a line,
/// in columns
///   name,derived,postfix,short_descr,long_descr,note,[native,...]
/// under an optional title line that begins with "name". Blank lines and lines that begin with '#'
/// are skipped. A preset that a machine does not count has no native event, and its request has
/// none either. Malformed lines (which cannot be split, lack other columns or have an unknown
/// derivation) are left out with a complaint, "file:line:column: ...". Names, limits and formulas
/// are checked by PresetTable::DefineAll. Threads: any. Signals: not safe.
std::vector<PresetColumnsLine> ReadPresetColumns(std::string_view file_name, std::string_view text,
                                                 ComplaintList& complaints);

/// Whether a file has this format: its first line that is neither blank nor a comment is the title
/// line.
bool HasPresetColumns(std::string_view text);

}  // namespace csink
