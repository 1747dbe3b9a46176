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

/// An inlined function around an address, before its name was looked up.
struct RawFrame {
  RawName* name = nullptr;                 ///< Null: the DIE was not found
  const std::string* call_file = nullptr;  ///< Null: unknown
  std::uint32_t call_line = 0;
};

/// What was found for one address.
struct RawAnswer {
  bool is_found = false;         ///< A function's DIE covers the address
  RawName* function = nullptr;   ///< Null: its name is not wanted
  std::uint64_t start = 0;       ///< Start of the function's range around the address
  std::vector<RawFrame> frames;  ///< Innermost first
};

/// What all workers share. Read only while they run, except `split`, which locks.
struct WorkShared {
  const DwarfObject& object;
  const DwarfObject* alternate;                  ///< May be null
  SplitUnits* split;                             ///< May be null
  std::span<const std::uint64_t> vaddrs;         ///< Sorted
  std::span<const std::uint64_t> symbol_starts;  ///< Per address; 0: no symbol
};

/// Finds the answers for addresses, one unit at a time.
/// Owns:    its abbreviation cache, the names and the file names that the answers point to: it must
/// outlive the answers.
/// Threads: one; each thread has a worker of its own.
class UnitWorker {
 public:
  UnitWorker(const WorkShared& shared, std::vector<RawAnswer>& answers);

  /// Searches one unit of the module for the addresses with the indices `numbers`. `bytes` is the
  /// whole unit. Overwrites an address's answer if the unit has a function for it.
  void Process(const Unit& unit, Bytes bytes, std::span<const std::uint32_t> numbers);

  /// Finds the names of DIEs of one unit to which other units refer (`names()`).
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
  /// DW_AT_comp_dir of the unit.
  std::string CompilationFolder(const Unit& unit);
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
