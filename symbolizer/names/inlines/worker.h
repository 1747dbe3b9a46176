#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolizer/names/dwarf/names.h"
#include "symbolizer/names/dwarf/split.h"
#include "symbolizer/names/lines/header.h"

namespace csink::symbolizer::dwarf {

/// An inlined function around an address, before its name was looked up. The pointers are into the
/// worker that found it.
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

/// What all workers share. Read only while they run, except `split`, which locks, and the sections
/// of `object`, whose first read is guarded.
struct WorkShared {
  const DwarfObject& object;
  const DwarfObject* alternate;                  ///< May be null
  SplitUnits* split;                             ///< May be null
  std::span<const std::uint64_t> vaddrs;         ///< Sorted
  std::span<const std::uint64_t> symbol_starts;  ///< Per address; 0: no symbol
};

/// Finds the answers for addresses, one unit at a time: a pass over the unit's DIEs (ScanUnit),
/// then the names of the functions that cover an address, as far as they are in this unit.
/// Owns:    its abbreviation cache, the names and the file names that the answers point to: it must
/// outlive the answers.
/// Threads: one; each thread has a worker of its own. Workers write different elements of
/// `answers`, so that no lock is needed.
class UnitWorker {
 public:
  /// `answers` has one element for each address. Both must outlive the worker.
  UnitWorker(const WorkShared& shared, std::vector<RawAnswer>& answers);

  /// Searches one unit of the module for the addresses with the indices `numbers` (rising). `bytes`
  /// is the whole unit; they are not needed after the call. A skeleton unit is searched together
  /// with its split unit. Overwrites an address's answer if the unit has a function for it, and
  /// leaves it alone otherwise.
  void Process(const Unit& unit, Bytes bytes, std::span<const std::uint32_t> numbers);

  /// Finds the names of DIEs of one unit to which other units refer, and puts them into `names()`.
  /// `object` is the module's or the alternate one; `keys` are sorted and lie in the unit.
  void FindNames(const DwarfObject& object, const Unit& unit, Bytes bytes,
                 std::span<const DieKey> keys);

  /// For units of the module.
  Lookup& lookup() { return lookup_; }
  /// The abbreviations of a unit of the module.
  std::shared_ptr<const AbbreviationTable> Table(const Unit& unit) {
    return abbreviations_.Get(unit.abbreviations, unit.encoding);
  }
  /// The names that answers point to, by DIE. A name whose `next` is set is completed by the caller
  /// (FindNames).
  std::unordered_map<DieKey, RawName, DieKeyHash>& names() { return names_; }

 private:
  class CallFiles;
  /// Turns the result of a pass into answers.
  void Answer(const UnitNames::Context& context, CallFiles& files, const ScanResult& scan,
              std::span<const std::uint32_t> numbers);
  /// Searches the split unit of a skeleton; does nothing if there is none.
  void ProcessSplit(const Unit& skeleton, std::span<const std::uint32_t> numbers);
  /// DW_AT_comp_dir of the unit.
  std::string CompilationFolder(const Unit& unit);
  /// The addresses with these indices.
  std::vector<std::uint64_t> Addresses(std::span<const std::uint32_t> numbers) const;

  const WorkShared& shared_;
  std::vector<RawAnswer>& answers_;
  AbbreviationCache abbreviations_;
  Lookup lookup_;
  std::unique_ptr<Lookup> alternate_lookup_;
  std::unordered_map<DieKey, RawName, DieKeyHash> names_;
  /// Paths that answers point to. A deque does not move its elements when it grows.
  std::deque<std::string> files_;
};

}  // namespace csink::symbolizer::dwarf
