#include <elf.h>

#include "core/machine/frame_rule.h"

// Open finds the ELF header of the image in memory, takes the load bias and the segment
// PT_GNU_EH_FRAME from the program headers, and checks the header of .eh_frame_hdr. Nothing else of
// the image is read. Find searches the sorted table behind that header: code is spread evenly
// enough for a proportional guess to be near, and each read is a system call that also brings the
// entries behind.

namespace csink {
namespace {

constexpr std::uint64_t kPage = 4096;
// Linkers may place a segment in memory some pages away from where its file offset would put it.
constexpr unsigned kGapPages = 32;
// Limits for damaged headers. 2^24 entries are more functions than any image has.
constexpr unsigned kMaxProgramHeaders = 64;
constexpr std::uint32_t kMaxEntries = 1u << 24;

// The encodings that linkers write; others are not supported. Pointer relative to itself, a count
// of four bytes, a table of pairs of four bytes relative to the section.
constexpr unsigned char kUsual[4] = {1, 0x1b, 0x03, 0x3b};
// Four encodings, the address of .eh_frame (4 bytes) and the count (4 bytes) stand before the
// table.
constexpr std::uint64_t kTableAt = 12;

}  // namespace

bool ImageFrames::Open(ProcessMemory& memory, std::uint64_t start, std::uint64_t end,
                       std::uint64_t file_offset) noexcept {
  header_ = 0;
  count_ = 0;
  if (end <= start || file_offset > start) return false;
  // The image begins where offset 0 of its file is mapped, or some pages before.
  const std::uint64_t first = (start - file_offset) & ~(kPage - 1);
  for (std::uint64_t gap = 0; gap < kGapPages && first > gap * kPage; ++gap) {
    std::uint32_t magic = 0;
    if (!memory.Read(first - gap * kPage, magic)) return false;
    if (magic == 0x464c457f) return OpenAt(memory, first - gap * kPage, start);
  }
  return false;
}

bool ImageFrames::OpenAt(ProcessMemory& memory, std::uint64_t image, std::uint64_t start) noexcept {
  Elf64_Ehdr elf;
  if (!memory.Read(image, elf) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum > kMaxProgramHeaders) {
    return false;
  }
  std::uint64_t bias = 0;
  std::uint64_t header = 0;
  bool has_bias = false;
  bool covered = false;
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!memory.Read(image + elf.e_phoff + i * sizeof part, part)) return false;
    if (part.p_type == PT_LOAD && !has_bias) {
      bias = image - ((part.p_vaddr - part.p_offset) & ~(kPage - 1));
      has_bias = true;
    }
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X)) {
      // The executable mapping must belong to this image: the search for the header could have met
      // the header of another image in front of it. One page of tolerance, since mappings begin at
      // pages.
      covered |= start + kPage > bias + part.p_vaddr && start < bias + part.p_vaddr + part.p_memsz;
    }
    if (part.p_type == PT_GNU_EH_FRAME) header = part.p_vaddr;
  }
  if (!has_bias || !covered || header == 0) return false;
  header += bias;
  unsigned char encodings[4];
  std::uint32_t count = 0;
  if (!memory.Read(header, encodings) || !memory.Read(header + 8, count)) return false;
  for (int i = 0; i < 4; ++i) {
    if (encodings[i] != kUsual[i]) return false;
  }
  if (count > kMaxEntries) return false;
  header_ = header;
  count_ = count;
  Entry first = {};
  Entry last = {};
  if (count_ != 0 && ReadEntry(memory, 0, first) && ReadEntry(memory, count_ - 1, last)) {
    first_code_ = first.code;
    last_code_ = last.code;
    return true;
  }
  count_ = 0;
  return false;
}

ImageFrames::Tables ImageFrames::tables() const noexcept {
  return {header_, header_ + kTableAt, count_};
}

bool ImageFrames::ReadEntry(ProcessMemory& memory, std::uint32_t index,
                            Entry& entry) const noexcept {
  return memory.Read(header_ + kTableAt + std::uint64_t{index} * sizeof entry, entry);
}

std::uint64_t ImageFrames::FindEntry(ProcessMemory& memory, std::uint64_t pc) const noexcept {
  // A guess goes so many entries too low, so that the block that is read has those around it.
  constexpr std::uint32_t kBefore = 32;
  // Every fourth step halves, which bounds their number where code is spread unevenly.
  constexpr unsigned kGuesses = 3;
  const auto wanted = static_cast<std::int64_t>(pc - header_);
  if (wanted < first_code_) return 0;
  Entry found = {};
  std::uint32_t low = 0;
  std::uint32_t high = count_;  // searches the last entry whose code begins at or before pc
  std::int64_t low_code = first_code_;
  std::int64_t high_code = std::int64_t{last_code_} + 1;
  for (unsigned step = 0; low < high; ++step) {
    std::uint32_t middle = low + (high - low) / 2;
    if (step % (kGuesses + 1) != kGuesses && high_code > low_code) {
      const std::int64_t at = wanted < high_code ? wanted - low_code : high_code - low_code - 1;
      const auto guess = static_cast<std::uint32_t>(
          std::uint64_t{high - low - 1} * static_cast<std::uint64_t>(at) /
          static_cast<std::uint64_t>(high_code - low_code));
      middle = low + (guess > kBefore && high - low > 2 * kBefore ? guess - kBefore : guess);
    }
    Entry entry;
    if (!ReadEntry(memory, middle, entry)) return 0;
    if (entry.code <= wanted) {
      found = entry;
      low_code = entry.code;
      low = middle + 1;
    } else {
      high_code = entry.code;
      high = middle;
    }
  }
  if (low == 0) return 0;
  return header_ + static_cast<std::uint64_t>(std::int64_t{found.description});
}

FrameRule ImageFrames::Find(ProcessMemory& memory, std::uint64_t pc) const noexcept {
  const std::uint64_t entry = count_ != 0 ? FindEntry(memory, pc) : 0;
  return entry != 0 ? ReadFrameRule(memory, entry, pc) : FrameRule{};
}

}  // namespace csink
