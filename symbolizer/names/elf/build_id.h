#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/names/bytes/bytes.h"

namespace csink::symbolizer {

/// The GNU build id in ELF notes that follow each other (elf(5), Elf64_Nhdr; gABI, chapter 5, "Note
/// Section"). The record is the same in 32-bit and 64-bit files. Points into `notes`. Empty: there
/// is none, or the notes before it are damaged.
///
/// The agent has a reader of its own (core/machine/build_id_signal.cpp): it reads mapped memory
/// that may disappear, and may not use the heap.
Bytes FindBuildId(Bytes notes);

/// The GNU build id in a sysfs file that consists of notes only: /sys/kernel/notes,
/// /sys/module/NAME/notes/.note.gnu.build-id. Empty: there is none, or the file cannot be read. It
/// identifies what runs, as the note of a mapped file does.
std::vector<std::uint8_t> ReadBuildId(const std::string& notes_path);

}  // namespace csink::symbolizer
