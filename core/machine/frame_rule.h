#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine/own_memory.h"

namespace csink {

/// How to find the caller's frame for one instruction: the row of the unwind table (.eh_frame),
/// reduced to stack pointer, frame pointer and return address. The CFA (canonical frame address) is
/// the stack pointer before the call.
struct FrameRule {
  enum class Base : std::uint8_t {
    kUnknown,       ///< No table covers the instruction
    kUnsupported,   ///< There is a rule, but not of one of the following forms
    kStackPointer,  ///< CFA = stack pointer + cfa_offset: the frame is not set up, or removed again
    kFramePointer,  ///< CFA = frame pointer + cfa_offset: the frame is set up
    kFramePointerWord,  ///< CFA = the word at frame pointer + cfa_offset: the stack was aligned
    kOutermost,         ///< The table says that there is no caller
  };
  Base base = Base::kUnknown;
  bool return_in_register = false;  ///< aarch64: the return address is still in the link register
  bool frame_pointer_saved = false;
  bool frame_pointer_at_frame = false;  ///< frame_pointer_offset is relative to the frame pointer
  std::int32_t cfa_offset = 0;
  std::int32_t return_offset = 0;         ///< Of the saved return address, relative to the CFA
  std::int32_t frame_pointer_offset = 0;  ///< Of the saved frame pointer, relative to the CFA
};

/// The unwind tables of one mapped image, read from the process's own memory by OwnMemory. Neither
/// the loader nor its lock is used, and memory that is unmapped meanwhile gives an error, not a
/// fault.
///
/// Format: LSB 5.0 core, chapter 10 (.eh_frame, .eh_frame_hdr); DWARF 5, section 6.4.
/// Owns:    nothing. Threads: one at a time. Signals: safe (image_frames_signal.cpp); makes system
/// calls.
class ImageFrames {
 public:
  /// Finds the tables of the image whose executable segment is mapped at [start, end) from offset
  /// `file_offset` of its file. False: there are none that can be used; Find then returns kUnknown.
  bool Open(OwnMemory& memory, std::uint64_t start, std::uint64_t end,
            std::uint64_t file_offset) noexcept;
  /// Addresses of the tables, for libunwind, which reads them itself.
  struct Tables {
    std::uint64_t header;   ///< .eh_frame_hdr
    std::uint64_t table;    ///< Its sorted table
    std::uint64_t entries;  ///< Entries of that table
  };
  Tables tables() const noexcept;
  bool usable() const noexcept { return count_ != 0; }
  /// The rule for `pc`; kUnknown where no table covers it.
  FrameRule Find(OwnMemory& memory, std::uint64_t pc) const noexcept;

 private:
  bool OpenAt(OwnMemory& memory, std::uint64_t image, std::uint64_t start) noexcept;
  std::uint64_t FindEntry(OwnMemory& memory, std::uint64_t pc) const noexcept;

  std::uint64_t header_ = 0;  ///< .eh_frame_hdr
  std::uint32_t count_ = 0;   ///< Entries of its sorted table
};

}  // namespace csink
