#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/names/bytes/object_bytes.h"
#include "symbolizer/names/bytes/owned_file.h"

/// File: reads jit-PID.dump, in which a JIT compiler records the functions that it made: names,
/// lines and code bytes. Format: linux/tools/perf/Documentation/jitdump-specification.txt, version
/// 1. The JIT maps the file executable; a profiler learns its path from that mapping.
///
/// The file lies in a folder that every user can write to, so that no byte of it is trusted. It may
/// grow while it is read.

namespace csink::symbolizer {

/// Limits for hostile files: two million functions, each of which takes at least 56 bytes of
/// memory, and 8 GiB. Further functions are left out; a larger file is not read.
inline constexpr std::size_t kMaxJitFunctions = 2u << 20;
inline constexpr std::uint64_t kMaxJitDumpBytes = std::uint64_t{8} << 30;

/// What the dump says about one PC.
struct JitMatch {
  std::string name;         ///< Printable; empty: no function of the dump contains the PC
  std::uint64_t start = 0;  ///< Start address of the function
  /// Size of the function's code
  std::uint64_t bytes = 0;
  std::string file;        ///< Empty: not known
  std::uint32_t line = 0;  ///< 0: not known
};

/// The functions of one dump. If a JIT reused memory, the newest function at an address wins. Only
/// the heads of records are in memory; names and lines are read from the file when a PC lies
/// in the function.
/// Owns:    the file. Movable, not copyable.
/// Threads: const functions from any thread.
class JitDump {
 public:
  /// Reads the heads of all records; a record that is cut off ends the list. Errors: kCorrupt (not
  /// a dump), kUnsupported (another byte order or version).
  static Result<JitDump> Read(ObjectBytes object);

  /// The process that wrote the dump, as numbered in its own pid namespace.
  std::uint32_t pid() const { return pid_; }
  /// Number of functions, counting a function anew each time that it was moved.
  std::size_t size() const { return functions_.size(); }

  /// One answer for each of `pcs` (process addresses; sorted, unique), in their order.
  std::vector<JitMatch> Find(const std::vector<std::uint64_t>& pcs) const;

 private:
  /// One function at one address; JIT_CODE_MOVE adds another. `at` is the file offset of its name.
  struct Function {
    std::uint64_t start;
    std::uint64_t bytes;
    std::uint64_t at;
    std::uint64_t end;     ///< Of the record
    std::uint64_t origin;  ///< Start address when it was made: the line record uses that address
    std::uint64_t lines;   ///< File offset of the body of its line record; 0: none
    std::uint64_t lines_end;
  };
  class Reader;

  /// Read fills the members.
  explicit JitDump(ObjectBytes object) : object_(std::move(object)) {}
  struct Lines;
  /// The function's name, printable.
  std::string Name(const Function& function) const;
  /// The function's rows of lines; none if it has no record of them.
  Lines ReadLines(const Function& function) const;

  ObjectBytes object_;
  /// From the header of the file.
  std::uint32_t pid_ = 0;
  std::vector<Function> functions_;  ///< In the order of the file
};

/// Opens a process's dump, if the file can be trusted (bytes/owned_file.h) and the process wrote it
/// (the pid in its header). Otherwise nullopt, and `problem` says why, unless there is no such
/// file.
std::optional<JitDump> OpenJitDump(const std::string& path, const PerfMapOwner& owner,
                                   std::string& problem);

}  // namespace csink::symbolizer
