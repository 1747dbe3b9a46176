#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine/process_memory.h"
#include "profil/inside/python/interpreter.h"
#include "profil/inside/regions/region_index.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// Finds the code object of CPython that contains an address, and stores its name, its file and its
/// table of lines in the spool at first sight: it may be freed before the process ends.
///
/// Memory of the interpreter is read by system calls while the program runs on. An object is
/// believed only if its type, the types of its texts, its length and its line number are those of a
/// code object; one that was found before is looked at again once a drain.
///
/// Owns:    the memory of the PythonFrames that contains it; zero at first.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (code_objects_signal.cpp); makes system calls.
class CodeObjects {
 public:
  /// What is known of a code object. Valid until the next Find.
  struct Code {
    std::uint64_t begin;  ///< The first instruction
    std::uint64_t end;    ///< Behind the last one
    std::uint32_t id;     ///< Of its spool::PythonCodeRecord; kNone: no room
    bool is_shim;         ///< The interpreter's own code around a call from C
  };

  /// Call once in zeroed memory.
  void Start(const PythonInterpreter& interpreter) noexcept;
  /// The objects are those of the process of thread `tid`. Call before the first Find.
  void SetProcess(pid_t tid) noexcept { memory_.SetProcess(tid); }
  /// Call after each sample: no descriptor stays open in the program's table.
  void End() noexcept { memory_.Forget(); }
  /// What was read before may have changed since.
  void NextDrain() noexcept { ++drain_; }
  /// How far before an instruction the begin of its code object is searched. Few functions have
  /// more than kNear, and a search that finds nothing is worth 1 us then, not 20.
  static constexpr std::uint64_t kNear = 2 * 1024;
  static constexpr std::uint64_t kFar = 64 * 1024;
  /// The code object that has an instruction at `address`, or ends there; nullptr: none. `regions`:
  /// where machine code lies, which is no bytecode. `reach`: kNear or kFar.
  const Code* Find(std::uint64_t address, RegionIndex& regions, SpoolWriter& spool,
                   std::uint64_t reach = kFar) noexcept;
  /// Whether a number may be the address of an instruction at all.
  static bool IsPlausible(std::uint64_t address) noexcept {
    return address >= 0x10000 && address < (std::uint64_t{1} << 47) && address % 2 == 0;
  }

 private:
  /// Code objects that are remembered, and functions with a record. Bytes of texts in the spool.
  static constexpr std::size_t kMaxCodes = 8 * 1024;
  static constexpr std::size_t kMaxFunctions = 8 * 1024;
  static constexpr std::uint64_t kMostTextBytes = 1u << 20;
  static constexpr std::size_t kLongestText = 4096;
  static constexpr std::size_t kMisses = 4096;

  /// The members of a code object that tell it from another at the same address.
  struct Header {
    std::uint64_t units;
    std::uint64_t name;
    std::uint64_t file;
    std::uint64_t lines;
    std::int32_t first_line;
    bool operator==(const Header&) const = default;
  };
  struct Entry {
    std::uint64_t object;
    Header header;
    Code code;
    std::uint32_t drain;  ///< Of the last look
  };
  struct Function {
    std::uint64_t hash;  ///< 0: unused
    std::uint32_t id;
  };
  struct Miss {
    std::uint64_t address;
    std::uint32_t drain;
    std::uint32_t reach;
  };

  /// Reads the members of the object at `object`. False: it is no code object.
  bool ReadHeader(std::uint64_t object, Header& header) noexcept;
  /// Whether the objects to which it refers are texts and bytes.
  bool HasTexts(const Header& header) noexcept;
  /// The place of the first entry in codes_ that begins behind `address`.
  std::size_t Behind(std::uint64_t address) const noexcept;
  /// The place in codes_ of the entry that may contain `address`; count_: none.
  std::size_t Place(std::uint64_t address) const noexcept;
  /// Searches memory before `address`. 0: nothing found.
  std::uint64_t Search(std::uint64_t address, std::uint64_t reach, Header& header) noexcept;
  /// Adds an object, in place of those that it overlaps.
  const Code* Add(std::uint64_t object, const Header& header, SpoolWriter& spool) noexcept;
  /// Copies a string as UTF-8. Returns its bytes; 0: it cannot be read.
  std::size_t ReadText(std::uint64_t object, char* out, std::size_t size) noexcept;
  std::size_t ReadBytes(std::uint64_t object, unsigned char* out, std::size_t size) noexcept;
  /// The record of a function, added if it is new.
  std::uint32_t FunctionOf(const Header& header, bool& is_shim, SpoolWriter& spool) noexcept;

  PythonInterpreter interpreter_;
  ProcessMemory memory_;
  std::uint32_t drain_;
  std::uint64_t text_bytes_;
  std::size_t count_;
  Entry codes_[kMaxCodes];  ///< By address, without overlaps
  Function functions_[2 * kMaxFunctions];
  std::size_t function_count_;
  Miss misses_[kMisses];
  // Buffers: too large for the stack of a handler.
  unsigned char block_[kFar + 64];
  char name_[kLongestText];
  char file_[kLongestText];
  unsigned char lines_[kLongestText];
  unsigned char characters_[kLongestText];
};

}  // namespace csink
