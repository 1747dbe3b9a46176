#pragma once

#include <cstdint>
#include <memory>

#include "profil/model/profile.h"
#include "profil/spool/reader.h"

namespace csink {

/// Sums spools into one Profile.
///
/// Event columns meet by name and mode (period or frequency); weights are in
/// events, so different periods still add. Modules meet by build-id, else by
/// path, device and inode; anonymous code never meets another process's.
/// Threads: one owner.
class ProfileMerger {
 public:
  ProfileMerger();
  ~ProfileMerger();
  ProfileMerger(const ProfileMerger&) = delete;
  ProfileMerger& operator=(const ProfileMerger&) = delete;

  /// Adds a spool; it is not needed afterwards. `path` is kept for messages.
  void Add(const spool::Spool& spool, ProcessState state, const std::string& path);

  /// The sum; the merger is empty afterwards. Processes are in the order of
  /// (start time, pid, generation), places in that of (module, offset).
  Profile Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace csink
