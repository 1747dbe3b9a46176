#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The phases of a merge: the time from a mark to the next one, by name of the mark. Phase 0 is the
/// time before the first mark; it exists as soon as a spool had marks.
///
/// CPU times are in ns, of user and system mode, without pauses. They saturate at 2^64 - 1.
/// Owns:    its phases until Finish.
/// Threads: one owner.
class PhaseTable {
 public:
  /// Adds the marks of a spool. Returns the phase by phase id; empty if the spool has no marks.
  std::vector<std::uint32_t> Add(const spool::Spool& spool);

  /// A phase that Add returned.
  const Phase& operator[](std::uint32_t phase) const noexcept { return phases_[phase]; }
  /// Gives phase 0 the CPU time of `processes` that belongs to no mark, in ns, and returns the
  /// phases. Call this last.
  std::vector<Phase> Finish(std::span<const ProcessRow> processes);

 private:
  // The phase of this name, added if it is new; 0 for "".
  std::uint32_t IndexOf(std::string_view name);

  std::vector<Phase> phases_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

}  // namespace csink
