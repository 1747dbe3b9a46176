#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/perf/ring_buffer.h"

namespace csink {

/// How much of the stack comes with each sample: enough to name the caller of nearly every function
/// without a frame of its own (97 of 100 rows of the C library's unwind tables have the return
/// address nearer), or enough to find all callers without frame pointers, as a rule.
inline constexpr std::uint32_t kShortStackBytes = 256;
inline constexpr std::uint32_t kLongStackBytes = 8192;

/// General registers of the interrupted code, by DWARF's numbers.
#if defined(__x86_64__)
inline constexpr std::size_t kStackRegisters = 17;
inline constexpr std::size_t kFramePointerRegister = 6;
inline constexpr std::size_t kStackPointerRegister = 7;
inline constexpr std::size_t kPcRegister = 16;
#else
inline constexpr std::size_t kStackRegisters = 33;
inline constexpr std::size_t kFramePointerRegister = 29;
inline constexpr std::size_t kLinkRegister = 30;
inline constexpr std::size_t kStackPointerRegister = 31;
inline constexpr std::size_t kPcRegister = 32;
#endif

/// One sample with what is needed to name its callers: the chain that the kernel followed by frame
/// pointers, the registers, and the first words of the stack. The latter two name the caller of a
/// function that has no frame of its own, whom the kernel's chain leaves out.
struct StackSample {
  /// Addresses asked for; kernel.perf_event_max_stack is 127 by default, too.
  static constexpr std::size_t kMaxAddresses = 127;

  std::uint64_t pc;
  std::uint64_t period;  ///< 0: a fixed one
  bool has_registers;
  std::uint64_t registers[kStackRegisters];
  std::uint32_t address_count;
  /// User space only, innermost first: where the thread was, then return addresses.
  std::uint64_t addresses[kMaxAddresses];
  /// The stack from the stack pointer on, in one piece or in two (a ring's end in between).
  const unsigned char* stack;
  const unsigned char* stack_rest;
  std::uint32_t stack_bytes;        ///< Together
  std::uint32_t stack_first_bytes;  ///< Of the first piece

  std::uint64_t stack_pointer() const noexcept { return registers[kStackPointerRegister]; }
  std::uint64_t frame_pointer() const noexcept { return registers[kFramePointerRegister]; }
  /// The 8 bytes that were at `address`; false when they were not copied.
  bool Word(std::uint64_t address, std::uint64_t& out) const noexcept {
    const std::uint64_t offset = address - stack_pointer();
    if (!has_registers || stack_bytes < 8 || offset > stack_bytes - 8) return false;
    if (offset + 8 <= stack_first_bytes) {
      __builtin_memcpy(&out, stack + offset, sizeof out);
    } else {
      // Records and their fields are 8-aligned: a word of an aligned stack is never torn.
      if (offset < stack_first_bytes) return false;
      __builtin_memcpy(&out, stack_rest + (offset - stack_first_bytes), sizeof out);
    }
    return true;
  }
};

/// A sample that outlives its ring record.
struct KeptStackSample {
  StackSample sample;
  alignas(8) unsigned char stack[kLongStackBytes];

  void Keep(const StackSample& from) noexcept;
};

/// Adds to `attr` what a StackSample is made of. Signals: safe.
void AskForStack(perf_event_attr& attr, std::uint32_t stack_bytes) noexcept;

/// Takes a PERF_RECORD_SAMPLE apart. `has_period`: frequency mode. Lengths that do not fit the
/// record are cut; false when not even the PC is there. `out` looks into the record's ring.
/// Source of the layout: perf_event_open(2). Signals: safe.
bool ReadStackSample(const RingRecord& record, bool has_period, StackSample& out) noexcept;

}  // namespace csink
