#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/util/unique_fd.h"
#include "profil/model/profile.h"
#include "profil/reader/reader.h"

namespace csink::tool {

/// The spools of a process, or of it and its descendants, while they run. They are found by what
/// the processes have mapped and kept open: the report at a program's end removes the files.
/// Nothing but /proc and the files is looked at; the program does not notice.
/// Owns: a descriptor a running image, or the content of an ended one's spool.
class LiveSpools {
 public:
  LiveSpools(std::uint32_t pid, std::uint64_t start_ticks, bool tree);

  /// Looks for spools that came since. False when all processes have ended.
  bool Look();
  /// The sum of what was found so far. A spool that cannot be read now counts as it was before.
  Profile Read();

  bool has_any() const { return !images_.empty(); }
  std::size_t left_out() const { return left_out_; }

  static constexpr std::size_t kMostImages = 512;

 private:
  struct Process {
    std::uint64_t start_ticks = 0;
    bool runs = true;
  };
  struct Image {
    UniqueFd fd;
    std::string path;
    std::uint32_t pid = 0;  ///< Outside of its container
    std::uint64_t inode = 0;
    spool::Spool last;  ///< What was read last
    bool has_last = false;
  };
  /// pid inside, start, generation: an image, whatever its file is.
  using ImageId = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;

  void FindDescendants();
  void Open(std::uint32_t pid);
  void ReadAgain(Image& image);

  bool tree_;
  std::map<std::uint32_t, Process> processes_;
  std::map<ImageId, Image> images_;
  std::set<std::uint64_t> ignored_;  ///< Inodes of spools beyond kMostImages
  std::size_t left_out_ = 0;
};

/// Whether a process has libagent.so mapped. kUnknown: it must not be looked at.
enum class HasAgent { kNo, kYes, kUnknown };
HasAgent LooksProfiled(std::uint32_t pid);

}  // namespace csink::tool
