#include "symbolizer/cache/generation.h"

#include <elf.h>
#include <link.h>

#include <cstring>

#include "core/util/hex.h"
#include "symbolizer/bytes/bytes.h"
#include "symbolizer/elf/file.h"

namespace csink::symbolizer::cache {
namespace {

/// The GNU build id in hexadecimal from notes in memory (elf(5), Elf64_Nhdr); empty if there is
/// none.
std::string BuildIdIn(Bytes notes) {
  ByteReader reader(notes);
  while (!reader.AtEnd()) {
    const auto header = reader.Fixed<Elf64_Nhdr>();
    const Bytes name = reader.Take((std::uint64_t{header.n_namesz} + 3) & ~std::uint64_t{3});
    const Bytes text = reader.Take((std::uint64_t{header.n_descsz} + 3) & ~std::uint64_t{3});
    if (!reader.ok()) return {};
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name.data(), "GNU", 4) == 0) {
      return ToHex(Part(text, 0, header.n_descsz));
    }
  }
  return {};
}

/// Reads the notes of the program itself, which dl_iterate_phdr(3) reports first. Returns 1, which
/// ends the iteration.
int OfProgram(dl_phdr_info* info, std::size_t, void* to) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const Elf64_Phdr& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* start = reinterpret_cast<const std::uint8_t*>(info->dlpi_addr + segment.p_vaddr);
    std::string id = BuildIdIn({start, segment.p_filesz});
    if (id.empty()) continue;
    *static_cast<std::string*>(to) = std::move(id);
    break;
  }
  return 1;
}

std::string Find() {
  std::string id;
  ::dl_iterate_phdr(OfProgram, &id);
  return id;
}

}  // namespace

const std::string& Generation() {
  static const std::string id = Find();
  return id;
}

}  // namespace csink::symbolizer::cache
