#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/bytes/object_bytes.h"
#include "symbolizer/bytes/owned_file.h"

/// File: jit-PID.dump, in which a JIT keeps the functions that it made: names, lines and code bytes
/// (the format of perf's jitdump-specification.txt, version 1). The JIT maps the file executable
/// so that a profiler learns its path from the mapping.
///
/// The file lies where anybody may write and is taken as hostile.

namespace csink::symbolizer {

inline constexpr std::size_t kMaxJitFunctions = 2u << 20;
inline constexpr std::uint64_t kMaxJitDumpBytes = std::uint64_t{8} << 30;

/// What the dump says of one PC.
struct JitMatch {
  std::string name;         ///< Printable; empty: the dump does not know the PC
  std::uint64_t start = 0;  ///< Of the function
  std::uint64_t bytes = 0;
  std::string file;        ///< Empty: not known
  std::uint32_t line = 0;  ///< 0: not known
};

/// The functions of one dump; the newest wins where a JIT used memory again.
/// Owns:    the file. Movable, not copyable. Threads: const functions from any thread.
class JitDump {
 public:
  /// Reads all records' heads; a record that is cut off ends the file. Errors: kCorrupt (no dump),
  /// kUnsupported (another byte order or version).
  static Result<JitDump> Read(ObjectBytes object);

  /// The process that wrote it, by its own number.
  std::uint32_t pid() const { return pid_; }
  std::size_t size() const { return functions_.size(); }

  /// One answer for each of `pcs` (ascending, unique).
  std::vector<JitMatch> Find(const std::vector<std::uint64_t>& pcs) const;

  /// The code bytes of the newest function that holds `pc`, with its start.
  struct Code {
    std::uint64_t start = 0;
    Buffer bytes;
  };
  std::optional<Code> CodeAt(std::uint64_t pc) const;

 private:
  /// One placement of a function. `at` is where its name lies in the file.
  struct Function {
    std::uint64_t start;
    std::uint64_t bytes;
    std::uint64_t at;
    std::uint64_t end;     ///< Of the record
    std::uint64_t origin;  ///< Start when it was made: its lines are told for that
    std::uint64_t lines;   ///< Where its line record's body lies; 0: none
    std::uint64_t lines_end;
  };
  class Reader;

  explicit JitDump(ObjectBytes object) : object_(std::move(object)) {}
  struct Lines;
  std::string Name(const Function& function) const;
  Lines ReadLines(const Function& function) const;

  ObjectBytes object_;
  std::uint32_t pid_ = 0;
  std::vector<Function> functions_;  ///< In the order of the file
};

/// Opens a process's dump if it is to be trusted (owned_file.h) and is that process's. Nothing
/// otherwise; `problem` then says why, unless there is no such file.
std::optional<JitDump> OpenJitDump(const std::string& path, const PerfMapOwner& owner,
                                   std::string& problem);

}  // namespace csink::symbolizer
