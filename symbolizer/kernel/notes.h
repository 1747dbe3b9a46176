#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace csink::symbolizer {

/// The GNU build id in a sysfs file that consists of ELF notes only: /sys/kernel/notes,
/// /sys/module/NAME/notes/.note.gnu.build-id. Empty: there is none.
std::vector<std::uint8_t> BuildIdInNotes(const std::string& path);

}  // namespace csink::symbolizer
