#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/util/unique_fd.h"
#include "profil/reading/merge/merge.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink::tool {

/// The spools of a process, or of it and its descendants, while they run. They are found by what
/// the processes have mapped, and kept open: the report at a program's end removes the files, and
/// they contain the last state. Only /proc and the files are read; the program does not notice.
/// Owns:    for each running image a descriptor, for each ended one the content of its spool.
/// Threads: one at a time.
class LiveSpools {
 public:
  /// `pid` and its start time identify the process; a later process with the same pid is not
  /// watched. `tree`: also all descendants.
  LiveSpools(std::uint32_t pid, std::uint64_t start_ticks, bool tree);

  /// Looks for processes and spools that came since. Returns false when all processes have ended. A
  /// spool that was mapped and removed between two calls is missed.
  bool Look();
  /// The sum of what was found so far, as samples are now. A spool that cannot be read now counts
  /// as it was before.
  /// `options`: what is kept apart, as of ProfileMerger. `open`: gets the sum of those that may
  /// still grow, if it is not null.
  Profile Read(const MergeOptions& options = {}, Profile* open = nullptr);
  /// Forgets the processes and spools that could not grow any more at the last Read: later ones do
  /// not contain them.
  void ForgetEnded();

  /// Whether any spool was found.
  bool has_any() const { return !images_.empty(); }
  /// Number of images beyond kMostImages that are not in the sum.
  std::size_t left_out() const { return left_out_; }

  /// Images that are watched: each may need a descriptor, of which a process usually has 1024.
  static constexpr std::size_t kMostImages = 512;

 private:
  struct Process {
    /// As in /proc/PID/stat, field 22.
    std::uint64_t start_ticks = 0;
    /// False once it was seen to have ended.
    bool runs = true;
    /// Inodes of its spools that are forgotten; it may have one mapped for a moment more.
    std::set<std::uint64_t> forgotten;
  };
  struct Image {
    UniqueFd fd;
    /// Path when it was opened, for messages.
    std::string path;
    /// The pid in the namespace of this process; the spool has the one inside of its container.
    std::uint32_t pid = 0;
    /// Changes if the image begins a new spool.
    std::uint64_t inode = 0;
    /// What was read last; valid if has_last.
    spool::Spool last;
    bool has_last = false;
    /// Its content is final, and was returned by Read.
    bool ended = false;
  };
  /// pid inside, start, generation: an image, whatever its file is.
  using ImageId = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;

  /// Adds descendants that began since.
  void FindDescendants();
  /// Opens the spool that a process has mapped, if it is a new one.
  void Open(std::uint32_t pid);
  /// Reads a spool again; keeps the last content if that fails.
  void ReadAgain(Image& image);

  bool tree_;
  std::map<std::uint32_t, Process> processes_;
  std::map<ImageId, Image> images_;
  std::set<std::uint64_t> ignored_;  ///< Inodes of spools beyond kMostImages
  std::size_t left_out_ = 0;
};

/// Whether a process has libagent.so mapped. kUnknown: /proc/PID/maps cannot be read, because the
/// process is another user's or has ended.
enum class HasAgent { kNo, kYes, kUnknown };
/// Looks at the maps of a process. Any file called libagent.so counts.
HasAgent LooksProfiled(std::uint32_t pid);

/// The start time of a running process that is profiled; with `tree`, any running process, because
/// its descendants may be profiled. With the pid, the time identifies the process: a later one with
/// the same pid is another one. Prints an error and returns nullopt if there is no such process, it
/// is another user's, or it runs without the agent.
std::optional<std::uint64_t> StartOfProfiled(std::uint32_t pid, bool tree);

}  // namespace csink::tool
