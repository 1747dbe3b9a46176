#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/perf/ring_buffer.h"

namespace csink {

/// Bytes of the stack copied with each sample. The short copy names the caller of nearly every
/// function without a frame of its own (in the C library's unwind tables, 97 of 100 rows have the
/// return address nearer). The long copy is usually enough to find all callers without frame
/// pointers.
inline constexpr std::uint32_t kShortStackBytes = 256;
inline constexpr std::uint32_t kLongStackBytes = 8192;
/// For Python functions: what C code between a sample and the evaluation loop mostly takes, and the
/// copy for threads where that is not enough (numerical libraries).
inline constexpr std::uint32_t kPythonStackBytes = 2048;
inline constexpr std::uint32_t kPythonLongStackBytes = 16 * 1024;
/// Longer copies, for threads whose callers lie behind the long one (RingSource::GrowStack). A
/// record has at most 64 KiB, which also hold the registers and the kernel's chain.
inline constexpr std::uint32_t kLongerStackBytes = 32 * 1024;
inline constexpr std::uint32_t kLongestStackBytes = 60 * 1024;

/// General registers of the interrupted code, by their DWARF numbers.
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
/// pointers, the registers, and the first words of the stack. Registers and stack name the caller
/// of a function that sets up no frame; the kernel's chain leaves that caller out.
/// Owns: the chain and the registers. `stack` and `stack_rest` point into the record's ring, or
/// into a KeptStackSample. Threads: one. Signals: safe.
struct StackSample {
  /// Addresses asked for: the default of kernel.perf_event_max_stack is 127, too.
  static constexpr std::size_t kMaxAddresses = 127;

  /// The interrupted address, also where neither registers nor chain were recorded.
  std::uint64_t pc;
  std::uint64_t period;  ///< In events; 0: the event has a fixed period
  /// `registers` is undefined where this is false (a 32-bit process, or no user registers).
  bool has_registers;
  std::uint64_t registers[kStackRegisters];
  /// Of `addresses`; 0 where the kernel followed no chain.
  std::uint32_t address_count;
  /// User space only, innermost first: the interrupted address, then return addresses.
  std::uint64_t addresses[kMaxAddresses];
  /// The copied stack, from the stack pointer on: one piece, or two where it wraps around the ring.
  const unsigned char* stack;
  const unsigned char* stack_rest;
  std::uint32_t stack_bytes;        ///< Of both pieces together
  std::uint32_t stack_first_bytes;  ///< Of the first piece
  /// The copy ends where memory ends, before the number of bytes that was asked for
  bool stack_ended;

  std::uint64_t stack_pointer() const noexcept { return registers[kStackPointerRegister]; }
  std::uint64_t frame_pointer() const noexcept { return registers[kFramePointerRegister]; }
  /// Stores the 8 bytes that were on the stack at `address`. Returns false if they were not copied
  /// (below the stack pointer, or behind the copy).
  bool Word(std::uint64_t address, std::uint64_t& out) const noexcept {
    const std::uint64_t offset = address - stack_pointer();
    if (!has_registers || stack_bytes < 8 || offset > stack_bytes - 8) return false;
    if (offset + 8 <= stack_first_bytes) {
      __builtin_memcpy(&out, stack + offset, sizeof out);
    } else {
      // Records and their fields are aligned to 8 bytes, so a word of an aligned stack lies in one
      // piece.
      if (offset < stack_first_bytes) return false;
      __builtin_memcpy(&out, stack_rest + (offset - stack_first_bytes), sizeof out);
    }
    return true;
  }
};

/// A copy of a sample that stays valid after its ring record was overwritten.
/// Owns: the stack bytes (8 KiB: not for the stack of a signal handler).
struct KeptStackSample {
  StackSample sample;
  alignas(8) unsigned char stack[kLongStackBytes];

  /// Copies `from` with its stack; at most kLongStackBytes of it.
  void Keep(const StackSample& from) noexcept;
};

/// Sets in `attr` what a StackSample is made of, with `stack_bytes` bytes of the stack (a multiple
/// of 8, below 64 KiB: perf_event_open(2)). Adds to sample_type; only the user's half of a chain is
/// recorded. Signals: safe.
void AskForStack(perf_event_attr& attr, std::uint32_t stack_bytes) noexcept;

/// The same without the chain of callers: registers and stack alone. Signals: safe.
void AskForRegisters(perf_event_attr& attr, std::uint32_t stack_bytes) noexcept;

/// Decodes registers and stack, which stand at offset `at` of a record; the other members of `out`
/// stay as they are. Signals: safe.
void ReadRegisters(const RingRecord& record, std::size_t at, StackSample& out) noexcept;

/// Decodes a PERF_RECORD_SAMPLE of an event opened with AskForStack and PERF_SAMPLE_IP.
/// `has_period`: a field of 64 bits stands between PC and chain, which is stored in `out.period`:
/// the period in frequency mode, or the event's count during a first period (FirstPeriod).
/// `has_time`: the record's time stands behind the PC and is skipped. Lengths
/// that do not fit into the record are cut. Returns false if not even the PC is there. `out` points
/// into the record's ring; only the members that its flags and counts name are set. Source of the
/// layout: perf_event_open(2). Signals: safe.
bool ReadStackSample(const RingRecord& record, bool has_period, StackSample& out,
                     bool has_time = false) noexcept;

}  // namespace csink
