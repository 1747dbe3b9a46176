#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/util/unique_fd.h"
#include "symbolizer/commands/push/push_profile.h"
#include "symbolizer/report/tables/report.h"

/// File: what `csink run` sends of its tree.

namespace csink::tool {

/// Sends the profile of a tree at its end; with an interval also while it runs, from a process of
/// its own that reads the tree's folder. That process ends when Finish is called, or when this
/// process dies.
/// Owns:    that process and a pipe to it.
/// Threads: used while this process has one thread.
class TreePush {
 public:
  TreePush() = default;
  ~TreePush();
  TreePush(const TreePush&) = delete;
  TreePush& operator=(const TreePush&) = delete;

  /// Reads the settings: the values of --push and --push-interval, "": those of the environment.
  /// Returns false, after an error was printed, if nothing could be sent like that.
  bool Prepare(const std::string& push, const std::string& interval);
  /// Starts the process if there is an interval. If it cannot be started, a line is printed, and
  /// everything is sent at the end. `folder` is that of the tree's spools; `resolve` must outlive
  /// the object.
  void Start(const std::string& folder, const report::Resolver& resolve);
  /// Sends the profile, or its last part. Returns whether the spools are not needed any more for
  /// that: nothing was to be sent, everything was taken, or the rest is in a file of its own. If
  /// not, a line was printed.
  bool Finish(const std::vector<std::string>& spools, const std::string& folder,
              const report::Resolver& resolve);

 private:
  /// Waits for the end of the process. Returns whether the spools are not needed any more.
  bool WaitForSender();

  std::optional<Pusher> pusher_;   ///< Empty: nothing is to be sent
  std::uint64_t interval_ns_ = 0;  ///< 0: at the end only
  UniqueFd pipe_;                  ///< Its closing asks for the last part
  int sender_ = 0;                 ///< The process; 0: there is none
};

}  // namespace csink::tool
