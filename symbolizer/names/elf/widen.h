#pragma once

#include <elf.h>

/// File: converts the records of 32-bit ELF files (x32, i386, arm) to the 64-bit records that all
/// other code uses. Both layouts are in elf.h. The conversion loses nothing: every field is as wide
/// or wider, and the order of fields differs in Phdr and Sym only.
///
/// The caller must not write a widened record back into a 32-bit file, and must remember the class
/// where a size depends on it (ElfFile::is_64).

namespace csink::symbolizer {

inline Elf64_Ehdr Widen(const Elf32_Ehdr& h) {
  Elf64_Ehdr wide{};
  for (int i = 0; i < EI_NIDENT; ++i) wide.e_ident[i] = h.e_ident[i];
  wide.e_type = h.e_type;
  wide.e_machine = h.e_machine;
  wide.e_version = h.e_version;
  wide.e_entry = h.e_entry;
  wide.e_phoff = h.e_phoff;
  wide.e_shoff = h.e_shoff;
  wide.e_flags = h.e_flags;
  wide.e_ehsize = h.e_ehsize;
  wide.e_phentsize = h.e_phentsize;
  wide.e_phnum = h.e_phnum;
  wide.e_shentsize = h.e_shentsize;
  wide.e_shnum = h.e_shnum;
  wide.e_shstrndx = h.e_shstrndx;
  return wide;
}

inline Elf64_Shdr Widen(const Elf32_Shdr& s) {
  return {s.sh_name, s.sh_type, s.sh_flags, s.sh_addr,      s.sh_offset,
          s.sh_size, s.sh_link, s.sh_info,  s.sh_addralign, s.sh_entsize};
}

inline Elf64_Phdr Widen(const Elf32_Phdr& p) {
  return {p.p_type, p.p_flags, p.p_offset, p.p_vaddr, p.p_paddr, p.p_filesz, p.p_memsz, p.p_align};
}

inline Elf64_Sym Widen(const Elf32_Sym& s) {
  return {s.st_name, s.st_info, s.st_other, s.st_shndx, s.st_value, s.st_size};
}

/// The address of a symbol of Arm code. Bit 0 of a function's value is 1 if the function is Thumb
/// code; it is no part of the address (ELF for the Arm Architecture, "Symbol Values").
inline Elf32_Addr WithoutThumbBit(const Elf32_Sym& s) {
  const unsigned type = ELF32_ST_TYPE(s.st_info);
  const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
  return is_function ? s.st_value & ~Elf32_Addr{1} : s.st_value;
}

inline Elf64_Chdr Widen(const Elf32_Chdr& c) { return {c.ch_type, 0, c.ch_size, c.ch_addralign}; }

}  // namespace csink::symbolizer
