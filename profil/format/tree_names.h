#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/text.h"

/// File: the folders in which the processes of a tree (`csink run`) leave their spools and records.
///
/// The tree's folder belongs to the user of csink run, mode 0700. A process of the tree that has
/// become another user cannot use it. Where csink run is root, it makes a second place for such
/// processes (docs/design/profil.md, "A tree has a place for its other users"):
///
///   /dev/shm/csink-users      root, 0711   nobody else can list the trees
///     tree.<16 hex digits>    root, 01733  named after the tree's random number, which only
///                                          processes of the tree know
///       <uid>                 that user, 0700; its spools and its file of records

namespace csink {

/// The roots of these places; the first one that can be used.
inline constexpr std::string_view kUsersRoots[] = {"/dev/shm/csink-users", "/tmp/csink-users"};

/// By how many seconds CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, modulo 2^20 (12 days). It is the
/// same for all processes of a machine, but in a time namespace, and until a clock is set or the
/// machine is suspended.
inline std::uint64_t ClockDistance(std::uint64_t realtime_ns, std::uint64_t monotonic_ns) noexcept {
  return (realtime_ns - monotonic_ns) / 1'000'000'000 & 0xfffff;
}

/// The number of a tree, never 0: random bits above bit 20, and in the bits from 1 on the distance
/// of the clocks, so that processes of the tree see without a system call whether theirs is
/// another.
inline std::uint64_t TreeNumber(std::uint64_t random, std::uint64_t realtime_ns,
                                std::uint64_t monotonic_ns) noexcept {
  return random << 21 | ClockDistance(realtime_ns, monotonic_ns) << 1 | 1;
}

/// Whether the clocks have the distance that they had where the tree was started, to a second. If
/// not, a time namespace may be why, or a clock that was set.
inline bool HasClocksOfTree(std::uint64_t tree, std::uint64_t realtime_ns,
                            std::uint64_t monotonic_ns) noexcept {
  const std::uint64_t apart = ClockDistance(realtime_ns, monotonic_ns) - (tree >> 1 & 0xfffff);
  return ((apart + 1) & 0xfffff) <= 2;
}

/// "tree.<16 hex digits>", the name of a tree's folder and of its place for other users.
inline Text<32> TreeName(std::uint64_t tree) noexcept {
  Text<32> name;
  name.Add("tree.");
  for (int shift = 60; shift >= 0; shift -= 4) name.Add("0123456789abcdef"[(tree >> shift) & 15]);
  return name;
}

/// What the agent has to say and cannot print where the user of csink run reads it: one line each,
/// in the tree's folder, where csink run creates the file, and in those of other users.
inline constexpr char kMessagesFile[] = "tree.messages";

/// "stderr.<device>.<inode>", an empty file in the tree's folder and in its place for other users:
/// the file, pipe or terminal that csink run has as stderr.
inline Text<64> StderrMark(std::uint64_t device, std::uint64_t inode) noexcept {
  Text<64> name;
  name.Add("stderr.").Hex(device).Add('.').Hex(inode);
  return name;
}

}  // namespace csink
