#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace csink::symbolizer {

/// The build id in a file of sysfs that holds ELF notes and nothing around them: /sys/kernel/notes,
/// /sys/module/NAME/notes/.note.gnu.build-id. Empty: there is none.
std::vector<std::uint8_t> BuildIdInNotes(const std::string& path);

}  // namespace csink::symbolizer
