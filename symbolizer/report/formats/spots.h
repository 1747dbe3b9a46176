#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: a report's addresses, each once, and what they are called. What the writers of profiles
/// (pprof, callgrind, stacks of all kinds) have in common.

namespace csink::report {

/// One address: of a sample, or the call in one of its callers.
struct Spot {
  CodeAddress code;
  std::uint64_t address = 0;  ///< In the file's own addresses; of anonymous code, in memory
  const symbolizer::Location* location = nullptr;
  std::string_view function;  ///< As shown: a name, "[libfoo.so+0x15bf9]", "[code without a file]"
};

/// One function at a spot: the one that the symbol table knows, or one that was inlined in it.
struct Frame {
  std::string_view function;
  std::string_view raw_name;  ///< Linkage name; empty: none
  std::string_view file;      ///< Empty: unknown
  std::uint32_t line = 0;     ///< 0: unknown
  bool is_inlined = false;
};

/// Keeps references to the report, which must have been built with keep_addresses.
class Spots {
 public:
  explicit Spots(const Report& report);

  const std::vector<Spot>& all() const { return spots_; }
  /// Index into all(), by index into Profile::places.
  std::uint32_t OfPlace(std::size_t place) const { return of_place_[place]; }
  /// ... by index into Profile::callers, from 1; not of one that is empty.
  std::uint32_t OfCaller(std::size_t caller) const { return of_caller_[caller]; }
  /// Display names, by index into Profile::modules.
  const std::string& ModuleName(std::uint32_t module) const { return modules_[module]; }
  /// Innermost first; the last one is the function that was not inlined.
  std::vector<Frame> FramesOf(std::uint32_t spot) const;

 private:
  std::uint32_t Find(const CodeAddress& code, std::uint32_t location);

  const Report& report_;
  std::vector<std::string> modules_;
  std::vector<Spot> spots_;
  std::vector<std::uint32_t> of_place_, of_caller_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_location_;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> unknown_;  ///< By module, offset
};

}  // namespace csink::report
