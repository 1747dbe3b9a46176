/// many_places SPOOL MODULE PLACES
///
/// Writes a spool with samples in PLACES different addresses of the code of MODULE, an ELF file of
/// 64 bits: two threads, one event. The same spool every time.
#include <elf.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/fakes/spool_builder.h"

extern "C" {
#include "tests/bench/programs/burn.h"
}

namespace {

/// The largest executable segment; p_filesz is 0 if there is none.
Elf64_Phdr CodeOf(const std::vector<char>& bytes) {
  Elf64_Phdr code{};
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return code;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return code;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    if (at + sizeof segment > bytes.size()) break;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    const bool is_code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    if (is_code && segment.p_filesz > code.p_filesz) code = segment;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s SPOOL MODULE PLACES\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  const Elf64_Phdr code = CodeOf(bytes);
  const std::uint64_t places = NumberOrDie(argv[3]);
  if (code.p_filesz < 2 * places) {
    std::fprintf(stderr, "%s: too little code for so many places\n", argv[2]);
    return 3;
  }
  csink::testing::SpoolBuilder builder;
  builder.SetCommand("many_places", "many_places");
  // Mapped as the kernel does: whole pages.
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kBase = 0x555555554000;
  const std::uint64_t skipped = code.p_offset % kPage;
  const std::uint64_t start = kBase + code.p_vaddr - skipped;
  const std::uint64_t end = (start + skipped + code.p_memsz + kPage - 1) / kPage * kPage;
  const auto region = builder.AddRegion(
      {.path = argv[2], .start = start, .end = end, .file_offset = code.p_offset - skipped});
  const auto worker = builder.AddThread(4712, "worker");
  std::mt19937_64 random(1);
  std::set<std::uint64_t> chosen;
  while (chosen.size() < places) chosen.insert(random() % code.p_filesz);
  std::uint32_t thread = 1;
  for (const std::uint64_t offset : chosen) {
    builder.AddHits(region, thread, start + skipped + offset, 1 + offset % 3);
    thread = thread == 1 ? worker : 1;
  }
  builder.WriteTo(argv[1]);
  return 0;
}
