#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "symbolizer/names/dwarf/files.h"
#include "symbolizer/names/dwarf/unit.h"

namespace csink::symbolizer::dwarf {

/// The split unit that a skeleton unit refers to (DWARF 5, 3.1.2 and 3.1.3), with its bytes. The
/// bases of its tables, and what it takes from the skeleton, are set in `unit`.
struct SplitUnit {
  std::shared_ptr<DwarfObject> object;
  Unit unit;
  Bytes bytes;
  Buffer room;  ///< Holds `bytes` if they were read from a file
};

/// Finds split units in packages (.dwp; DWARF 5, 7.3.5) and in .dwo files by their dwo_id. An id
/// that does not fit means a file of another compilation; its names would be wrong, so that it is
/// not used.
/// Owns:    the files it opened; `Release` closes an object that is no longer needed, because a
/// program may have more .dwo files than a process may have descriptors.
/// Threads: safe; one lock around each search.
class SplitUnits {
 public:
  /// `files` must outlive this.
  explicit SplitUnits(DebugFiles& files) : files_(files) {}

  /// Fills `found` with the unit of `skeleton`, whose name and id are in `name`. Returns false if
  /// no file has the unit, or the file that has it is damaged. The caller calls Release when it has
  /// read the unit.
  bool Find(const Unit& skeleton, const SplitName& name, SplitUnit& found);
  /// Closes the file of a .dwo object; the bytes in `unit.room` stay valid, but the object's
  /// sections must not be read any more. A package stays open.
  void Release(const SplitUnit& unit);

 private:
  /// Both are called with the lock.
  bool FindInPackage(const Unit& skeleton, std::uint64_t id, SplitUnit& found);
  static bool FindInObject(const Unit& skeleton, std::uint64_t id, SplitUnit& found);

  DebugFiles& files_;
  std::mutex mutex_;
  /// The package is looked for once, also in vain.
  bool has_asked_package_ = false;
  std::shared_ptr<DwarfObject> package_;
  Buffer package_index_;
  /// Kept, so that no two objects have the same address: DieKey compares addresses.
  std::vector<std::shared_ptr<DwarfObject>> objects_;
};

}  // namespace csink::symbolizer::dwarf
