#include <elf.h>

#include <cstring>
#include <random>

#include "tests/fuzz/symbolizer/resolve_bytes.h"

/// File: a real module, damaged where it hurts. The mutator knows sections and headers, so that
/// its changes land in line tables, debug information and unwind tables instead of padding; the
/// module is then resolved whole, with inlined functions. Seeds: tests/fuzz/make_seeds.

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

/// Numbers that a reader's sums and comparisons are tried with.
constexpr std::uint64_t kOdd[] = {0,          1,          0x7f,        0x80,
                                  0xff,       0xffff,     0x7fffffff,  0x80000000,
                                  0xfffffff0, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
                                  ~0ULL - 7,  ~0ULL};

struct Range {
  std::size_t start = 0;
  std::size_t bytes = 0;
};

/// A section of the file, its bytes or its header; nothing when there is none.
Range PickSection(const std::uint8_t* data, std::size_t size, std::mt19937& random) {
  Elf64_Ehdr header;
  if (size < sizeof header) return {};
  std::memcpy(&header, data, sizeof header);
  if (header.e_shoff > size || header.e_shnum == 0) return {};
  if (header.e_shnum > (size - header.e_shoff) / sizeof(Elf64_Shdr)) return {};
  const std::size_t at =
      static_cast<std::size_t>(header.e_shoff) + random() % header.e_shnum * sizeof(Elf64_Shdr);
  if (random() % 8 == 0) return {at, sizeof(Elf64_Shdr)};
  Elf64_Shdr section;
  std::memcpy(&section, data + at, sizeof section);
  if (section.sh_offset > size || section.sh_size > size - section.sh_offset) return {};
  return {static_cast<std::size_t>(section.sh_offset), static_cast<std::size_t>(section.sh_size)};
}

void Damage(std::uint8_t* start, std::size_t bytes, std::mt19937& random) {
  const std::size_t at = random() % bytes;
  const std::size_t widths[] = {1, 1, 2, 4, 8};
  const std::size_t width = std::min(widths[random() % 5], bytes - at);
  std::uint64_t value = kOdd[random() % (sizeof kOdd / sizeof *kOdd)];
  switch (random() % 3) {
    case 0:
      break;
    case 1:
      value = random();
      break;
    default:
      std::memcpy(&value, start + at, width);
      value += random() % 9 - 4;
  }
  std::memcpy(start + at, &value, width);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
    const Range range = PickSection(data, size, random);
    if (range.bytes != 0) Damage(data + range.start, range.bytes, random);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  csink::testing::ResolveBytes(data, size, csink::symbolizer::Detail::kInlines, 0x2000, 31);
  return 0;
}
