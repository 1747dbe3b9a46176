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

/// The kernel's description of the machine: files of /proc and /sys, below a root that tests
/// replace by a recorded tree.
///
/// All contents are treated as untrusted input: a file that is missing, unreadable or malformed
/// gives an empty result, never a fault or a huge allocation.
///   const SystemTree tree;  // this machine; a test passes the folder of a recorded one
///   for (const unsigned cpu : tree.CpuList("/sys/devices/system/cpu/online")) Look(cpu);
/// Owns:    the root's name and the text of /proc/cpuinfo, which copies share. Threads: any.
/// Signals: not safe (heap).
class SystemTree {
 public:
  /// `root`: a folder without '/' at its end; "": this machine. Nothing is read here.
  explicit SystemTree(std::string root = {})
      : root_(std::move(root)), cpuinfo_(std::make_shared<Kept>()) {}

  /// Whether these are the machine's own files (no root).
  bool is_host() const noexcept { return root_.empty(); }

  /// The real path of `path`, including the root.
  std::string PathOf(std::string_view path) const;

  /// A whole file (ReadTextFile); "" where there is none. `path` starts with "/".
  std::string Read(std::string_view path) const;
  /// /proc/cpuinfo, read once for all copies of this object: to produce the file, some kernels ask
  /// every CPU for its frequency. Valid as long as any copy.
  const std::string& Cpuinfo() const;
  /// The first line of a file, trimmed; "" where there is none.
  std::string Line(std::string_view path) const;
  /// The decimal number that is alone in the first line of a file; nullopt: there is none.
  std::optional<std::uint64_t> Number(std::string_view path) const;
  /// A list of CPUs such as "0-3,8" in a file, in ascending order; numbers below kMaxCpus. Empty
  /// where the file is missing or begins with something else.
  std::vector<unsigned> CpuList(std::string_view path) const;
  /// The names in a folder, sorted as bytes, without "." and ".."; empty where there is no folder.
  std::vector<std::string> Names(std::string_view path) const;

  /// Far above the CPUs of any machine. Limits what a malformed list can cost.
  static constexpr unsigned kMaxCpus = 65536;

 private:
  /// The text of /proc/cpuinfo and whether it was read.
  struct Kept {
    std::once_flag once;
    std::string text;
  };
  std::string root_;
  std::shared_ptr<Kept> cpuinfo_;  ///< Shared by all copies
};

/// The numbers in a list such as "0-3,8", ascending and without duplicates. A malformed item ends
/// the list.
std::vector<unsigned> ParseCpuList(std::string_view text);

}  // namespace csink
