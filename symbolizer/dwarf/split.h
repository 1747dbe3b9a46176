#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "symbolizer/dwarf/files.h"
#include "symbolizer/dwarf/unit.h"

namespace csink::symbolizer::dwarf {

/// The split unit that a skeleton unit refers to, with its bytes.
struct SplitUnit {
  std::shared_ptr<DwarfObject> object;
  Unit unit;
  Bytes bytes;
  Buffer room;  ///< Holds `bytes` if they were read from a file
};

/// Finds split units in packages (.dwp; DWARF 5, 7.3.5) and in .dwo files by their dwo_id.
/// Owns:    the files it opened; `Release` closes an object that is no longer needed.
/// Threads: safe.
class SplitUnits {
 public:
  explicit SplitUnits(DebugFiles& files) : files_(files) {}

  /// False: no file has the unit, or the file that has it is damaged.
  bool Find(const Unit& skeleton, const SplitName& name, SplitUnit& found);
  void Release(const SplitUnit& unit);

 private:
  bool FindInPackage(const Unit& skeleton, std::uint64_t id, SplitUnit& found);
  static bool FindInObject(const Unit& skeleton, std::uint64_t id, SplitUnit& found);

  DebugFiles& files_;
  std::mutex mutex_;
  bool has_asked_package_ = false;
  std::shared_ptr<DwarfObject> package_;
  Buffer package_index_;
  /// Kept, so that no two objects have the same address: DieKey compares addresses.
  std::vector<std::shared_ptr<DwarfObject>> objects_;
};

}  // namespace csink::symbolizer::dwarf
