#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolizer/dwarf/names.h"
#include "symbolizer/dwarf/split.h"
#include "symbolizer/lines/header.h"

namespace csink::symbolizer::dwarf {

/// An inlined function around an address, before it has a name.
struct RawFrame {
  RawName* name = nullptr;                 ///< Null: the DIE cannot be found
  const std::string* call_file = nullptr;  ///< Null: unknown
  std::uint32_t call_line = 0;
};

/// What was found for one address.
struct RawAnswer {
  bool is_found = false;         ///< A function has the address
  RawName* function = nullptr;   ///< Null: its name is not wanted
  std::uint64_t start = 0;       ///< Of its range around the address
  std::vector<RawFrame> frames;  ///< Innermost first
};

/// What all workers share and only read.
struct WorkShared {
  const DwarfObject& object;
  const DwarfObject* alternate;                  ///< May be null
  SplitUnits* split;                             ///< May be null
  std::span<const std::uint64_t> vaddrs;         ///< Sorted
  std::span<const std::uint64_t> symbol_starts;  ///< Per address; 0: no symbol
};

/// Answers addresses from units, one unit at a time.
/// Owns:    abbreviations, the names it found, the files that it named.
/// Threads: one; a thread has its own.
class UnitWorker {
 public:
  UnitWorker(const WorkShared& shared, std::vector<RawAnswer>& answers);

  /// Looks for the addresses of those numbers in a unit of the module itself; `bytes` is the unit.
  /// Answers that are found replace those that were there.
  void Process(const Unit& unit, Bytes bytes, std::span<const std::uint32_t> numbers);

  /// Names of DIEs in a unit, for references from others.
  void FindNames(const DwarfObject& object, const Unit& unit, Bytes bytes,
                 std::span<const DieKey> keys);

  Lookup& lookup() { return lookup_; }
  std::shared_ptr<const AbbreviationTable> Table(const Unit& unit) {
    return abbreviations_.Get(unit.abbreviations, unit.encoding);
  }
  std::unordered_map<DieKey, RawName, DieKeyHash>& names() { return names_; }

 private:
  class CallFiles;
  void Answer(const UnitNames::Context& context, CallFiles& files, const ScanResult& scan,
              std::span<const std::uint32_t> numbers);
  void ProcessSplit(const Unit& skeleton, std::span<const std::uint32_t> numbers);
  /// Of the compilation.
  std::string FolderOf(const Unit& unit);
  std::vector<std::uint64_t> Addresses(std::span<const std::uint32_t> numbers) const;

  const WorkShared& shared_;
  std::vector<RawAnswer>& answers_;
  AbbreviationCache abbreviations_;
  Lookup lookup_;
  std::unique_ptr<Lookup> alternate_lookup_;
  std::unordered_map<DieKey, RawName, DieKeyHash> names_;
  std::deque<std::string> files_;
};

}  // namespace csink::symbolizer::dwarf
