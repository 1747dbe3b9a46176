#pragma once

#include <string_view>
#include <vector>

#include "core/counting/presets/complaint_list.h"
#include "core/counting/presets/preset_request.h"

namespace csink {

/// One definition and its place in the file, for complaints that PresetTable::DefineAll causes.
struct PresetColumnsLine {
  PresetRequest request;
  /// Number of the line, from 1.
  int line = 0;
  /// The position of each value in the line, by PresetColumn; bytes from 1. As many as the line has
  /// values.
  std::vector<int> columns;
};

/// The values of a line, in order. kNative is the first native event; the others follow as kNative
/// + 1 and so on.
enum class PresetColumn : std::size_t { kName, kDerived, kPostfix, kShort, kLong, kNote, kNative };

/// Reads a file in the format of PAPI 3.5's PAPI_encode_events and papi_decode: one event a line,
/// in columns
///   name,derived,postfix,short_descr,long_descr,note,[native,...]
/// under an optional title line that begins with "name". Blank lines and lines that begin with '#'
/// are skipped. A preset that a machine does not count has no native event, and its request has
/// none either. Malformed lines (which cannot be split, lack other columns or have an unknown
/// derivation) are left out with a complaint, "file:line:column: ...". Names, limits and formulas
/// are checked by PresetTable::DefineAll.
/// The results own their texts; file_name and text are needed during the call only. Threads: any,
/// with complaints of their own. Signals: not safe.
std::vector<PresetColumnsLine> ReadPresetColumns(std::string_view file_name, std::string_view text,
                                                 ComplaintList& complaints);

/// Whether a file has this format: its first line that is neither blank nor a comment is the title
/// line. A file without the title line is taken for PAPI 7.0's format (preset_file.h).
bool HasPresetColumns(std::string_view text);

}  // namespace csink
