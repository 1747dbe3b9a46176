#include "symbolizer/names/elf/build_id.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "core/util/text_file.h"

namespace csink::symbolizer {

Bytes FindBuildId(Bytes notes) {
  // A note is a header of three words, a name and a description. Both are padded to 4 bytes; the
  // gABI asks for 8 in 64-bit files, but only .note.gnu.property has that, whose sizes are
  // multiples of 8.
  const auto padded = [](std::uint32_t n) { return (std::uint64_t{n} + 3) & ~std::uint64_t{3}; };
  ByteReader reader(notes);
  while (!reader.AtEnd()) {
    const auto header = reader.Fixed<Elf64_Nhdr>();
    const Bytes name = reader.Take(padded(header.n_namesz));
    // Some files have no padding behind the last note.
    const Bytes text = reader.Take(std::min<std::uint64_t>(padded(header.n_descsz), reader.left()));
    if (!reader.ok() || text.size() < header.n_descsz) return {};
    // Note types are numbered by each owner, so the owner's name is compared, too.
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name.data(), "GNU", 4) == 0) {
      return text.first(header.n_descsz);
    }
  }
  return {};
}

std::vector<std::uint8_t> ReadBuildId(const std::string& notes_path) {
  const std::string notes = ReadTextFile(notes_path);
  const Bytes id = FindBuildId({reinterpret_cast<const std::uint8_t*>(notes.data()), notes.size()});
  return {id.begin(), id.end()};
}

}  // namespace csink::symbolizer
