#include "core/machine/frame_entry.h"

// File: see the header.

namespace csink {

bool ReadCommonEntry(FrameBytes bytes, CommonEntry& common) noexcept {
  const auto version = bytes.Take<std::uint8_t>();
  if (version != 1 && version != 3) return false;
  char letters[8] = {};
  for (std::size_t i = 0; i < sizeof letters; ++i) {
    letters[i] = bytes.Take<char>();
    if (letters[i] == 0) break;
  }
  if (letters[sizeof letters - 1] != 0) return false;
  common.code_align = bytes.Unsigned();
  common.data_align = bytes.Signed();
  common.return_column = version == 1 ? bytes.Take<std::uint8_t>() : bytes.Unsigned();
  if (letters[0] == 'z') {
    common.augmented = true;
    FrameBytes data = bytes.Part(bytes.Unsigned());
    for (const char* letter = letters + 1; *letter; ++letter) {
      // The letters of the augmentation string and their data are in the same order (LSB 5.0 core,
      // chapter 10). 'P' is the personality routine, whose value is skipped; its indirect bit does
      // not change the size.
      if (*letter == 'R') common.encoding = data.Take<std::uint8_t>();
      if (*letter == 'L') data.Take<std::uint8_t>();
      if (*letter == 'P') data.Pointer(data.Take<std::uint8_t>() & 0x7f);
      // A signal frame: its rules refer to the context that the kernel saved.
      if (*letter == 'S') common.signal_frame = true;
    }
    if (data.broken()) return false;
  } else if (letters[0] != 0) {
    return false;
  }
  common.code = bytes;
  return !bytes.broken();
}

}  // namespace csink
