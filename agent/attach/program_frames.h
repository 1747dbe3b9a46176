#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profil/inside/chains/code_facts.h"

namespace csink::attach {

/// A frame description (FDE) of a section .eh_frame.
struct FrameEntry {
  std::uint64_t code;   ///< First instruction that it describes
  std::uint64_t entry;  ///< Where it lies; both are addresses as the file has them

  friend bool operator==(const FrameEntry&, const FrameEntry&) = default;
};

/// Lists the frame descriptions in the bytes of a section .eh_frame, which belongs at `address`, in
/// the order of their code. Ends at the first malformed entry; entries whose pointers have an
/// encoding that linkers do not write are left out.
/// Format: LSB 5.0 core, chapter 10.
std::vector<FrameEntry> ListFrameEntries(const unsigned char* section, std::size_t bytes,
                                         std::uint64_t address);

/// The unwind tables of a program that has no sorted table of them (.eh_frame_hdr): compilers do
/// not ask the linker for one where they link statically. So the section itself is read, once.
/// Only for programs that are not position-independent, 64 bits.
/// Threads: one.
class ProgramFrames : public FrameEntries {
 public:
  /// Reads the program that the link `folder`/exe names. Without descriptions where it is another
  /// kind of program, or has a sorted table.
  explicit ProgramFrames(const std::string& folder);
  std::uint64_t EntryOf(std::uint64_t pc) noexcept override;
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<FrameEntry> entries_;
};

}  // namespace csink::attach
