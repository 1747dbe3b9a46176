#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace csink::symbolizer {

/// The GNU build id in a sysfs file that consists of ELF notes only: /sys/kernel/notes,
/// /sys/module/NAME/notes/.note.gnu.build-id. Empty: there is none, or the file cannot be read. It
/// identifies what runs, as the note of a mapped file does.
std::vector<std::uint8_t> BuildIdInNotes(const std::string& path);

}  // namespace csink::symbolizer
