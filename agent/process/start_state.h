#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/util/text.h"
#include "profil/format/format.h"

namespace csink::agent {

/// What must be remembered from the start, because the program may change it: the target of
/// descriptor 2, the working directory, the CPU time before the agent. Written at the start, by
/// Controller::StartAnew and when events are replaced; read by the report and the spool's header.
struct StartState {
  bool has_stderr = false;  ///< Descriptor 2 was open
  std::uint64_t stderr_device = 0;
  std::uint64_t stderr_inode = 0;
  int saved_stderr = -1;  ///< A duplicate, made when the program closes stderr by fclose
  /// CLOCK_MONOTONIC and CLOCK_REALTIME of the start, or of the last reset
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  /// CLOCK_REALTIME of the start; a reset does not change it
  std::uint64_t image_realtime_ns = 0;
  /// User time, system time and context switches of the process until then (getrusage(2)): of
  /// earlier images, of the loader, or before a reset
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t switches = 0;
  /// The parent at the start; later it may be a reaper
  pid_t parent_pid = 0;
  /// The working directory at the start; "" if unknown or longer
  char directory[512] = {};
  /// The arguments where the kernel put them, on the first stack, which stays mapped: NUL-ended
  /// strings, one behind the other. A program may write its title there, as /proc/PID/cmdline shows
  /// it. nullptr: unknown
  const char* arguments = nullptr;
  /// Length of all arguments with their NULs
  std::size_t argument_bytes = 0;
};

/// Fills in everything except the arguments. Also in a forked child. Signals: safe.
void ReadStartState(StartState& state) noexcept;

/// Corrects the time in `state`, and all later ones, where a time namespace shifts the clock of
/// this process of tree `tree` (0: no tree, whose other processes' times are to be compared). No
/// system call where the clocks are those of the tree.
void SettleClock(std::uint64_t tree, StartState& state) noexcept;

/// Remembers where the arguments lie. `arguments`: those of main, not yet changed by the program.
/// Does nothing if they do not lie one behind the other. Signals: safe.
void RememberArguments(StartState& state, int count, char* const* arguments) noexcept;

/// Copies the arguments as one line, separated by blanks; cut at 1,023 bytes. Where their place is
/// unknown they are read from /proc/self/cmdline. Returns the length. Signals: safe.
std::size_t CopyCommand(const StartState& state, char (&command)[1024]) noexcept;

/// The start of a process in clock ticks since boot (field 22 of /proc/PID/stat, proc(5)); the same
/// over exec. `pid` 0: this process. 0: unknown (no such process, no /proc). Signals: safe.
std::uint64_t ProcessStartTicks(pid_t pid = 0) noexcept;

/// True if `fd` refers to the file to which descriptor 2 referred at the start, by device and
/// inode. Signals: safe.
bool IsStartStderr(const StartState& state, int fd) noexcept;

/// Fills in the header's fields about this process from /proc and uname. What cannot be read stays
/// empty. `brief`: without start ticks, processor and kernel, which together cost more than the
/// rest. The header must be zero before. Signals: safe.
void DescribeProcess(const StartState& state, spool::Header& header, bool brief = false) noexcept;

/// The spool's file name up to the generation: <program>.<host>.<pid>.<start ticks>. Characters
/// that are not letters, digits, '_', '+' or '-' become '_', so that the name is one plain
/// component. Signals: safe.
void SpoolStem(const spool::Header& header, Text<256>& stem) noexcept;

}  // namespace csink::agent
