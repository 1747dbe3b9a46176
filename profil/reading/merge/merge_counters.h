#pragma once

#include <vector>

#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The device counters of a merge. They measure the machine, not a process: if two processes read
/// a counter in the same time, they measured the same energy, and it must count once. Counters are
/// matched by machine, host, name and units.
/// Owns:    its rows until Finish.
/// Threads: one owner.
class DeviceCounterTable {
 public:
  /// Adds the counters of a spool of which a reading was attempted.
  void Add(const spool::Spool& spool);
  /// Sums up the rows of each counter and returns the sums, sorted by first reading. Where rows
  /// overlap only partly, the part outside is estimated in proportion to time.
  std::vector<DeviceCounter> Finish();

 private:
  std::vector<DeviceCounter> rows_;  // One for each spool that read the counter
};

}  // namespace csink
