#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace csink {

/// The kernel's description of the machine: the files of /proc and /sys, below a root that tests
/// replace by a recorded tree.
///
/// Everything in them is treated as foreign bytes: what is not there, cannot be read or is not what
/// it should be gives nothing, never a fault or a huge allocation.
/// Owns: a name. Threads: any (const).
class SystemTree {
 public:
  explicit SystemTree(std::string root = {})
      : root_(std::move(root)), cpuinfo_(std::make_shared<Kept>()) {}

  /// True for the machine's own files.
  bool is_host() const noexcept { return root_.empty(); }

  /// What `path` is called below the root.
  std::string PathOf(std::string_view path) const;

  /// The whole of a file (ReadTextFile), "" when there is none. `path` starts with "/".
  std::string Read(std::string_view path) const;
  /// /proc/cpuinfo, read once: to write it, some kernels ask every CPU for its frequency.
  const std::string& Cpuinfo() const;
  /// Its first line without spaces around it.
  std::string Line(std::string_view path) const;
  /// A decimal number that is alone in its first line.
  std::optional<std::uint64_t> Number(std::string_view path) const;
  /// A list such as "0-3,8" in ascending order; at most kMaxCpus members.
  std::vector<unsigned> CpuList(std::string_view path) const;
  /// Names in a folder, sorted, without "." and "..".
  std::vector<std::string> Names(std::string_view path) const;

  static constexpr unsigned kMaxCpus = 65536;

 private:
  struct Kept {
    std::once_flag once;
    std::string text;
  };
  std::string root_;
  std::shared_ptr<Kept> cpuinfo_;  ///< Of all copies
};

/// The members of "0-3,8", ascending, none twice; what is not such a list ends it.
std::vector<unsigned> ParseCpuList(std::string_view text);

}  // namespace csink
