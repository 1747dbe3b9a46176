#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/tables/report.h"

/// File: all that a report knows of one name, for `csink show`: a function, or a lock. The shares
/// and times are of the report's first event.

namespace csink::annotate {

/// A caller or a callee.
struct Neighbour {
  std::string name;
  double share = 0;  ///< Of the samples in the function and in what it called
};

/// A row of code with its share of the function's samples, 0..1.
struct CodeRow {
  std::string place;  ///< Number of the line, or the address in hexadecimal
  std::string text;
  double share = 0;
};

/// Its shares are of the function's samples.
struct HotLine {
  std::string file;
  std::uint32_t line = 0;
  Cell cell;
};

/// A place where threads were blocked: in the function, or for the lock.
struct BlockedPlace {
  double seconds = 0;
  std::string threads;  ///< Name of their group
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  std::string primitive;
  std::string lock;  ///< Its name; empty: none
};

struct NameFacts {
  std::string name;
  std::string module;  ///< Empty: not known
  bool is_lock = false;
  std::string event;                ///< Of the cells; empty: there is none
  bool is_clock = false;            ///< Their weights are ns
  Cell self;                        ///< Samples in the function itself
  std::optional<EventCount> total;  ///< With what it called; nullopt: without stacks
  double total_share = 0;           ///< Of all samples
  std::optional<report::CriticalRow> critical;
  double run_seconds = 0;  ///< That its shares of the path are of
  std::vector<Neighbour> callers;
  std::vector<Neighbour> callees;
  std::vector<HotLine> lines;
  std::string code_of;  ///< The source file or the module that `code` is from
  std::vector<CodeRow> code;
  std::vector<BlockedPlace> waits;
  std::vector<report::HolderRow> holders;  ///< Of a lock
};

/// The most of each list
inline constexpr std::size_t kMostNeighbours = 8;
inline constexpr std::size_t kMostHotLines = 6;
inline constexpr std::size_t kMostBlockedPlaces = 5;
/// Rows of code before and after the hottest
inline constexpr std::uint32_t kCodeAround = 4;
/// Functions of one name in several modules
inline constexpr std::size_t kMostOfName = 3;

/// What is known of the names with this id (wording/name_id.h), or of this name: functions with
/// samples first. Empty if the report has no such name. The report must have its addresses
/// (BuildOptions::keep_addresses); the sources are searched as `settings` says.
/// Threads: as Annotate.
std::vector<NameFacts> FactsOfName(const report::Report& report, const std::string& wanted,
                                   const report::Resolver& resolve, const Settings& settings);

/// `csink show` writes at most so many bytes, whatever is in the profile.
inline constexpr std::size_t kMostShownBytes = 4000;
/// As Markdown; text that comes from the profile is in code spans or in a block of code.
std::string WriteNameFacts(std::vector<NameFacts> names);
/// As one JSON object.
std::string WriteNameFactsJson(std::vector<NameFacts> names);

}  // namespace csink::annotate
