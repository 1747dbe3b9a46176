#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine/own_memory.h"

namespace csink {

/// How to find the caller of the function that an instruction belongs to: the row of its
/// unwind table (.eh_frame) for that instruction, as far as stack pointer, frame pointer and
/// return address go.
struct FrameRule {
  enum class Base : std::uint8_t {
    kUnknown,       ///< No table covers it
    kBeyondUs,      ///< There is a rule, but not one of these
    kStackPointer,  ///< CFA = stack pointer + cfa_offset: no frame of its own (yet, or any more)
    kFramePointer,  ///< CFA = frame pointer + cfa_offset: its frame is set up
    kFramePointerWord,  ///< CFA = the word at frame pointer + cfa_offset: a stack that was aligned
    kOutermost,         ///< The table says that there is no caller
  };
  Base base = Base::kUnknown;
  bool return_in_register = false;  ///< aarch64: still in the link register
  bool frame_pointer_saved = false;
  bool frame_pointer_at_frame = false;  ///< frame_pointer_offset is from the frame pointer itself
  std::int32_t cfa_offset = 0;
  std::int32_t return_offset = 0;         ///< From the CFA
  std::int32_t frame_pointer_offset = 0;  ///< From the CFA, when saved
};

/// The unwind tables of one mapped image, read out of its own memory by OwnMemory: neither the
/// loader nor its lock is asked, and memory that goes away meanwhile is an answer, not a fault.
///
/// Format: LSB 5.0 core, chapter 10 (.eh_frame, .eh_frame_hdr); DWARF 5, section 6.4.
/// Owns:    nothing. Threads: one at a time. Signals: safe (frame_rule_signal.cpp); system calls.
class ImageFrames {
 public:
  /// The tables of the image whose executable segment is mapped at [start, end) from `file_offset`
  /// of its file. False: none found; remembered until the next Open.
  bool Open(OwnMemory& memory, std::uint64_t start, std::uint64_t end,
            std::uint64_t file_offset) noexcept;
  /// Where they lie, for those who read them themselves.
  struct Tables {
    std::uint64_t header;
    std::uint64_t table;
    std::uint64_t entries;
  };
  Tables tables() const noexcept;
  bool usable() const noexcept { return count_ != 0; }
  FrameRule Find(OwnMemory& memory, std::uint64_t pc) const noexcept;

 private:
  bool OpenAt(OwnMemory& memory, std::uint64_t image, std::uint64_t start) noexcept;
  std::uint64_t FindEntry(OwnMemory& memory, std::uint64_t pc) const noexcept;

  std::uint64_t header_ = 0;  ///< .eh_frame_hdr
  std::uint32_t count_ = 0;   ///< Entries of its sorted table
};

}  // namespace csink
