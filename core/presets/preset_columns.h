#pragma once

#include <string_view>
#include <vector>

#include "core/presets/complaint_list.h"
#include "core/presets/preset_request.h"

namespace csink {

/// A definition and the line it came from.
struct PresetColumnsLine {
  PresetRequest request;
  int line = 0;
};

/// Reads the other file format, that of PAPI 3.5's PAPI_encode_events and papi_decode: one
/// event a line, in columns
///   name,derived,postfix,short_descr,long_descr,note,[native,...]
/// under an optional title line that begins with "name". Blank lines and lines that begin with
/// '#' are skipped. Lines that cannot be split, lack a native or name no derivation are skipped
/// with a complaint; names, limits and formula are checked by PresetTable::Define.
std::vector<PresetColumnsLine> ReadPresetColumns(std::string_view file_name, std::string_view text,
                                                 ComplaintList& complaints);

}  // namespace csink
