#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "symbolizer/dwarf/files.h"
#include "symbolizer/dwarf/unit.h"

namespace csink::symbolizer::dwarf {

/// The unit that a skeleton stands for, with its bytes.
struct SplitUnit {
  std::shared_ptr<DwarfObject> object;
  Unit unit;
  Bytes bytes;
  Buffer room;  ///< Of the bytes, where they were read
};

/// Finds split units in packages (.dwp) and objects (.dwo), by their id.
/// Owns:    what was opened; `Release` closes an object that is not needed any more.
/// Threads: safe.
class SplitUnits {
 public:
  explicit SplitUnits(DebugFiles& files) : files_(files) {}

  /// False: nobody has the unit, or what has it is damaged.
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
  std::vector<std::shared_ptr<DwarfObject>> objects_;  ///< Their addresses stand for them
};

}  // namespace csink::symbolizer::dwarf
