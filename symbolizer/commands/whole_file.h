#pragma once

#include <string>
#include <string_view>

#include "core/util/result.h"

namespace csink::tool {

/// Writes a file that is there whole or as it was: `bytes` go to PATH.part, which then takes the
/// name. A link stays one, the file that it leads to is replaced; a link that leads nowhere has
/// its file made. What is no regular file (a fifo, a terminal, /dev/null) is opened and written, as
/// a shell does it, and stays what it is. Errors: with errno; what PATH was before then is there as
/// it was, unless it is no regular file.
Result<void> WriteWholeFile(const std::string& path, std::string_view bytes);

}  // namespace csink::tool
