#include "symbolizer/kernel/notes.h"

#include <elf.h>

#include <cstring>

#include "core/util/text_file.h"
#include "symbolizer/bytes/bytes.h"

namespace csink::symbolizer {

std::vector<std::uint8_t> BuildIdInNotes(const std::string& path) {
  const std::string notes = ReadTextFile(path);
  ByteReader reader(Bytes(reinterpret_cast<const std::uint8_t*>(notes.data()), notes.size()));
  // Name and description are padded to 4 bytes (elf(5)).
  const auto padded = [](std::uint32_t n) { return (std::uint64_t{n} + 3) & ~std::uint64_t{3}; };
  while (!reader.AtEnd()) {
    const auto note = reader.Fixed<Elf64_Nhdr>();
    const Bytes name = reader.Take(padded(note.n_namesz));
    const Bytes id = reader.Take(padded(note.n_descsz));
    if (!reader.ok()) break;
    const bool is_gnu = note.n_namesz == 4 && std::memcmp(name.data(), "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID) return {id.begin(), id.begin() + note.n_descsz};
  }
  return {};
}

}  // namespace csink::symbolizer
