#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine/process_memory.h"

namespace csink {

/// The general registers besides the frame pointer that a called function keeps, by their DWARF
/// numbers (psABI x86-64, 3.2.1; AAPCS64, 6.1.1).
#if defined(__x86_64__)
inline constexpr std::uint8_t kKeptRegisters[] = {3, 12, 13, 14, 15};
#else
inline constexpr std::uint8_t kKeptRegisters[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
#endif
inline constexpr std::size_t kKeptRegisterCount = sizeof kKeptRegisters;

/// How to find the caller's frame for one instruction: the row of the unwind table (.eh_frame),
/// reduced to stack pointer, frame pointer, kept registers and return address. The CFA (canonical
/// frame address) is the stack pointer before the call.
struct FrameRule {
  enum class Base : std::uint8_t {
    kUnknown,       ///< No table covers the instruction
    kUnsupported,   ///< There is a rule, but not of one of the following forms
    kStackPointer,  ///< CFA = stack pointer + cfa_offset: the frame is not set up, or removed again
    kFramePointer,  ///< CFA = frame pointer + cfa_offset: the frame is set up
    kFramePointerWord,  ///< CFA = the word at frame pointer + cfa_offset: the stack was aligned
    kOutermost,         ///< The table says that there is no caller
  };
  /// The other members are valid only for the three bases with a CFA. Where `return_in_register` is
  /// false, the return address is the word at CFA + return_offset.
  Base base = Base::kUnknown;
  bool return_in_register = false;  ///< aarch64: the return address is still in the link register
  /// The caller's frame pointer is in memory, at frame_pointer_offset. Otherwise the register still
  /// has the caller's value.
  bool frame_pointer_saved = false;
  bool frame_pointer_at_frame = false;  ///< frame_pointer_offset is relative to the frame pointer
  /// Bytes; all offsets are within 2^24 of 0 where the CFA is.
  std::int32_t cfa_offset = 0;
  std::int32_t return_offset = 0;         ///< Of the saved return address, relative to the CFA
  std::int32_t frame_pointer_offset = 0;  ///< Of the saved frame pointer, relative to the CFA
  /// Bytes from the begin of the table's range, mostly that of the function, to the instruction
  std::uint32_t code_offset = 0;
  std::uint32_t code_bytes = 0;  ///< Length of the table's range
  /// Where the caller's kKeptRegisters[i] is: n > 0: the word at CFA - 8 * n; 0: still in the
  /// register; -1: not known.
  std::int16_t kept[kKeptRegisterCount] = {};
};

/// The unwind rule for `pc` from the frame description (FDE) at address `entry`, which
/// ImageFrames::Find looks up. Both are addresses in this process. kUnknown: the description does
/// not cover pc, or is malformed. kUnsupported: it says something that FrameRule cannot express,
/// such as a signal frame, a CFA based on another register, or a long expression.
/// Reads at most 8 KiB of the description (that of an interpreter's loop may have 4) and 256 bytes
/// of its CIE.
/// Format: LSB 5.0 core, chapter 10; DWARF 5, section 6.4.
/// Threads: one at a time (static buffers). Signals: safe (frame_rows_signal.cpp); makes the system
/// calls of `memory`.
FrameRule ReadFrameRule(ProcessMemory& memory, std::uint64_t entry, std::uint64_t pc) noexcept;

/// The unwind tables of one mapped image, read from the process's own memory by ProcessMemory.
/// Neither the loader nor its lock is used, and memory that is unmapped meanwhile gives an error,
/// not a fault.
///
/// Format: LSB 5.0 core, chapter 10 (.eh_frame, .eh_frame_hdr); DWARF 5, section 6.4.
/// Owns:    nothing. Threads: one at a time. Signals: safe (image_frames_signal.cpp); makes system
/// calls.
class ImageFrames {
 public:
  /// Finds the tables of the image whose executable segment is mapped at [start, end) from offset
  /// `file_offset` of its file. Returns false if there are none that can be used (no ELF header
  /// below `start`, no PT_GNU_EH_FRAME, a table in an encoding that linkers do not write); Find
  /// then returns kUnknown. May be called again for another image.
  bool Open(ProcessMemory& memory, std::uint64_t start, std::uint64_t end,
            std::uint64_t file_offset) noexcept;
  /// Addresses of the tables in this process, for libunwind, which reads them itself.
  struct Tables {
    std::uint64_t header;   ///< .eh_frame_hdr
    std::uint64_t table;    ///< Its sorted table
    std::uint64_t entries;  ///< Entries of that table
  };
  /// Valid only where usable().
  Tables tables() const noexcept;
  /// Whether the last Open has succeeded.
  bool usable() const noexcept { return count_ != 0; }
  /// The rule for `pc`, an address in this process. kUnknown where no table covers it. A search
  /// over the sorted table takes some reads of 8 bytes, each of which may be a system call of 1 us.
  /// Callers remember the rules.
  FrameRule Find(ProcessMemory& memory, std::uint64_t pc) const noexcept;

 private:
  /// An entry of the sorted table; both are relative to header_.
  struct Entry {
    std::int32_t code;
    std::int32_t description;
  };
  bool ReadEntry(ProcessMemory& memory, std::uint32_t index, Entry& entry) const noexcept;
  /// `image`: the address of the ELF header; `start`: as for Open.
  bool OpenAt(ProcessMemory& memory, std::uint64_t image, std::uint64_t start) noexcept;
  /// The address of the FDE that may cover `pc`; 0: `pc` lies before all entries, or a read failed.
  std::uint64_t FindEntry(ProcessMemory& memory, std::uint64_t pc) const noexcept;

  std::uint64_t header_ = 0;  ///< .eh_frame_hdr
  std::uint32_t count_ = 0;   ///< Entries of its sorted table
  std::int32_t first_code_ = 0;
  std::int32_t last_code_ = 0;
};

}  // namespace csink
