#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: a report's addresses, each once, with their names. Shared by the writers of profiles
/// (pprof, callgrind, gmon, gperftools, stack formats).

namespace csink::report {

/// One address: of a sample, or of a call in a caller. Two places with different callers share a
/// spot.
struct Spot {
  /// Module and file offset.
  CodeAddress code;
  /// In the file's own address space if it is known, else the file offset; for anonymous code the
  /// address in memory.
  std::uint64_t address = 0;
  /// Never null: entry 0 of the report's locations if nothing is known.
  const symbolizer::Location* location = nullptr;
  /// The name as shown: a function, "[libfoo.so+0x15bf9]" or "[code without a file]".
  std::string_view function;
};

/// One function at a spot: the function that the symbol table has, or one that was inlined into it.
struct Frame {
  /// Demangled name, as shown.
  std::string_view function;
  std::string_view raw_name;  ///< Linkage name; empty: none
  std::string_view file;      ///< Empty: unknown
  std::uint32_t line = 0;     ///< 0: unknown
  bool is_inlined = false;
};

/// Whether a module is the kernel's code, which has no file. The path is that of
/// profil/inside/regions/region_index.h.
inline bool IsKernelCode(const Module& module) { return module.path == "[kernel]"; }

/// Whether a module is a file that other programs can open.
inline bool HasFile(const Module& module) {
  return !module.path.empty() && module.path[0] == '/' && !module.is_anonymous &&
         !module.is_unknown && !module.is_vdso;
}

/// All spots of a report.
/// Owns:    the names of modules. Everything else refers to the report, which must outlive it and
/// must have been built with keep_addresses. Must not be copied: Spot::function may refer to these
/// names.
/// Threads: const functions from any thread.
class Spots {
 public:
  /// Finds the spots of all places and callers, in this order.
  explicit Spots(const Report& report);

  const std::vector<Spot>& all() const { return spots_; }
  /// Index into all(), by index into Profile::places.
  std::uint32_t OfPlace(std::size_t place) const { return of_place_[place]; }
  /// Index into all(), by index into Profile::callers (from 1). Not for empty callers.
  std::uint32_t OfCaller(std::size_t caller) const { return of_caller_[caller]; }
  /// Display names, by index into Profile::modules.
  const std::string& ModuleName(std::uint32_t module) const { return modules_[module]; }
  /// The frames at a spot, innermost first. The last one is the function that was not inlined. An
  /// outer frame has the file and line of the call in it.
  std::vector<Frame> FramesOf(std::uint32_t spot) const;
  /// The same in place of what `frames` has: its memory is used again.
  void FramesOf(std::uint32_t spot, std::vector<Frame>& frames) const;

 private:
  /// Index of the spot of an address; adds it if it is new. `location` is its index in the report's
  /// locations, 0 if nothing is known.
  std::uint32_t Find(const CodeAddress& code, std::uint32_t location);

  const Report& report_;
  std::vector<std::string> modules_;
  std::vector<Spot> spots_;
  std::vector<std::uint32_t> of_place_, of_caller_;
  std::vector<std::uint32_t> by_location_;  ///< Index of the spot plus 1; 0: none yet
  /// The same by module and offset.
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> unknown_;
};

}  // namespace csink::report
