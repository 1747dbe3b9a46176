#pragma once

#include <string_view>
#include <vector>

#include "core/presets/complaint_list.h"
#include "core/presets/preset_request.h"

namespace csink {

/// A definition, and where it came from.
struct PresetColumnsLine {
  PresetRequest request;
  int line = 0;
  /// Where each of its values begins in the line, in the order of PresetColumn; bytes from 1.
  std::vector<int> columns;
};

/// The values of a line. kNative is the first native event, the others follow.
enum class PresetColumn : std::size_t { kName, kDerived, kPostfix, kShort, kLong, kNote, kNative };

/// Reads the other file format, that of PAPI 3.5's PAPI_encode_events and papi_decode: one
/// event a line, in columns
///   name,derived,postfix,short_descr,long_descr,note,[native,...]
/// under an optional title line that begins with "name". Blank lines and lines that begin with
/// '#' are skipped. A preset of a machine that does not count it has no native event, and neither
/// has its request. Lines that cannot be split, lack anything else or name no derivation are left
/// out with a complaint, "file:line:column: ..."; names, limits and formula are checked by
/// PresetTable::DefineAll.
std::vector<PresetColumnsLine> ReadPresetColumns(std::string_view file_name, std::string_view text,
                                                 ComplaintList& complaints);

/// Whether a file is of that format: it begins with the title line.
bool HasPresetColumns(std::string_view text);

}  // namespace csink
