#include "symbolizer/names/elf/plt_stubs.h"

/// File: decodes the machine code of PLT stubs to find the GOT slot through which they jump.
/// x86-64: entries have a fixed size, so the entry is found by division, and its first instructions
/// are compared with those that GNU ld, gold and lld write. AArch64: instructions have 4 bytes; the
/// search goes forward to "br x17", then back over the instructions that load x17.
///
/// All reads are checked against the section's end; an offset outside reads as "no stub".

namespace csink::symbolizer {
namespace {

/// A field of an instruction; nullopt if the section ends before.
template <class T>
std::optional<T> FieldAt(Bytes bytes, std::uint64_t offset) {
  ByteReader reader(Part(bytes, offset, sizeof(T)));
  const T value = reader.Fixed<T>();
  return reader.ok() ? std::optional(value) : std::nullopt;
}

bool StartsWith(Bytes bytes, std::initializer_list<std::uint8_t> prefix) {
  if (bytes.size() < prefix.size()) return false;
  std::size_t i = 0;
  for (const std::uint8_t byte : prefix) {
    if (bytes[i++] != byte) return false;
  }
  return true;
}

/// mov SLOT(%rip), %r11; call: lld's lazy stub with a retpoline is as long as two entries.
bool IsLongRetpoline(Bytes entry) {
  return StartsWith(entry, {0x4c, 0x8b, 0x1d}) && entry.size() > 7 && entry[7] == 0xe8;
}

/// "br x17" and "bti c", as little-endian words of code.
constexpr std::uint32_t kBranchX17 = 0xd61f0220;
constexpr std::uint32_t kBranchTargetC = 0xd503245f;

/// Decodes "adrp x16, PAGE" and returns PAGE; nullopt: another instruction. The immediate has 21
/// bits, two of them (immlo) at bit 29, and counts pages of 4096 bytes from the page of the
/// instruction.
std::optional<std::uint64_t> PageOfAdrpX16(std::uint32_t code, std::uint64_t vaddr) {
  if ((code & 0x9f00001f) != 0x90000010) return std::nullopt;
  const std::uint64_t low = (code >> 29) & 3;
  const std::uint64_t high = (code >> 5) & 0x7ffff;
  std::uint64_t pages = high << 2 | low;
  if ((pages & (1u << 20)) != 0) pages |= ~std::uint64_t{0} << 21;
  return (vaddr & ~std::uint64_t{0xfff}) + (pages << 12);
}

/// Decodes "ldr x17, [x16, #OFFSET]" and returns OFFSET in bytes (the instruction counts in units
/// of 8); nullopt: another instruction.
std::optional<std::uint64_t> OffsetOfLoadX17(std::uint32_t code) {
  if ((code & 0xffc003ff) != 0xf9400211) return std::nullopt;
  return ((code >> 10) & 0xfff) * 8;
}

}  // namespace

std::optional<PltStub> DecodeStubX86(Bytes section, std::uint64_t section_vaddr,
                                     std::uint64_t entry_bytes, std::uint64_t vaddr) {
  if (vaddr < section_vaddr || entry_bytes == 0) return std::nullopt;
  PltStub stub;
  const std::uint64_t offset = (vaddr - section_vaddr) / entry_bytes * entry_bytes;
  stub.start = section_vaddr + offset;
  const Bytes entry = Part(section, offset, entry_bytes);
  // push GOT+8; jmp *GOT+16: the header of the table, not a stub.
  if (StartsWith(entry, {0xff, 0x35})) return std::nullopt;

  std::uint64_t at = StartsWith(entry, {0xf3, 0x0f, 0x1e, 0xfa}) ? 4 : 0;  // endbr64
  const Bytes code = Part(entry, at, entry.size());
  if (StartsWith(code, {0x68})) {  // push INDEX; jmp header
    // An entry of .plt in a program with .plt.sec (branch tracking) has no jump through the slot.
    // The pushed number is the index of the stub's relocation in .rela.plt.
    stub.relocation_index = FieldAt<std::uint32_t>(code, 1);
    return stub.relocation_index ? std::optional(stub) : std::nullopt;
  }
  std::uint64_t opcode_bytes = 0;
  if (StartsWith(code, {0xff, 0x25})) {  // jmp *SLOT(%rip)
    opcode_bytes = 2;
  } else if (StartsWith(code, {0xf2, 0xff, 0x25}) ||  // bnd jmp *SLOT(%rip)
             StartsWith(code, {0x4c, 0x8b, 0x1d})) {  // mov SLOT(%rip), %r11: lld's retpoline
    opcode_bytes = 3;
  } else if (offset >= entry_bytes && IsLongRetpoline(Part(section, offset - entry_bytes, 16))) {
    // The second half of a long retpoline. The entry before is a first half, so that this recursion
    // ends.
    return DecodeStubX86(section, section_vaddr, entry_bytes, vaddr - entry_bytes);
  } else {
    return std::nullopt;
  }
  const auto displacement = FieldAt<std::int32_t>(code, opcode_bytes);
  if (!displacement) return std::nullopt;
  // The displacement counts from the end of the instruction.
  stub.got_slot =
      stub.start + at + opcode_bytes + 4 + static_cast<std::uint64_t>(std::int64_t{*displacement});
  return stub;
}

std::optional<PltStub> DecodeStubAArch64(Bytes section, std::uint64_t section_vaddr,
                                         std::uint64_t vaddr) {
  // [bti c;] adrp x16; ldr x17, [x16]; add x16; [autia1716;] br x17 [; nop]
  constexpr std::uint64_t kLongest = 7;
  if (vaddr < section_vaddr) return std::nullopt;
  const std::uint64_t here = (vaddr - section_vaddr) & ~std::uint64_t{3};
  std::optional<std::uint64_t> branch;
  // The address may be anywhere in the stub: search forward for the branch that ends it, then
  // backward for its first instruction.
  for (std::uint64_t i = 0; i < kLongest && !branch; ++i) {
    const auto code = FieldAt<std::uint32_t>(section, here + i * 4);
    if (!code) return std::nullopt;
    if (*code == kBranchX17) branch = here + i * 4;
  }
  if (!branch) return std::nullopt;
  std::optional<std::uint64_t> load;
  for (std::uint64_t i = 1; i < kLongest && i * 4 <= *branch; ++i) {
    const std::uint64_t at = *branch - i * 4;
    const auto code = FieldAt<std::uint32_t>(section, at);
    if (!code) return std::nullopt;
    if (!load) load = OffsetOfLoadX17(*code);
    const auto page = PageOfAdrpX16(*code, section_vaddr + at);
    if (!page) continue;
    if (!load) return std::nullopt;
    std::uint64_t start = at;
    if (at >= 4 && FieldAt<std::uint32_t>(section, at - 4) == kBranchTargetC) start -= 4;
    // The search for the branch went forward: if the address is in padding, the branch belongs to
    // the next stub.
    if (start > here) return std::nullopt;
    // The table's header also matches (after a stp), but its slot has no relocation and gets no
    // name.
    return PltStub{section_vaddr + start, *page + *load, std::nullopt};
  }
  return std::nullopt;
}

}  // namespace csink::symbolizer
