#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/util/unique_fd.h"
#include "symbolizer/bytes/bytes.h"

/// File: the folder of the cache of names: where it is, and its files.
///
/// Any number of processes use it at once and none waits for another: a file is written under a
/// name of its own and then renamed, so that it is there whole or not at all, whoever is killed
/// when. Of two that write the same file the later one wins.

namespace csink::symbolizer::cache {

struct Settings {
  std::string folder;           ///< Empty: no cache
  std::uint64_t max_bytes = 0;  ///< Of all files together
};
inline constexpr std::uint64_t kDefaultMaxBytes = 256u << 20;

/// What the environment asks for: CSINK_CACHE (0: none, 1: the usual folder, else a folder),
/// CSINK_CACHE_SIZE (bytes, 64M), XDG_CACHE_HOME/csink, HOME/.cache/csink. A relative path and a
/// program with privileges that its user has not (AT_SECURE) have no cache. `problem` (may be
/// null): what of it could not be understood.
Settings SettingsFromEnvironment(std::string* problem = nullptr);

struct File {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;  ///< Last use, since the epoch
};

/// The open folder. Only one of our own user that nobody else may write in: what lies there is
/// shown to people as truth.
/// Owns: the descriptor. Threads: const functions from any thread.
class Folder {
 public:
  /// Nothing: not there, or not to be trusted.
  static std::optional<Folder> Open(const std::string& path);
  /// Makes it, and the folder that it lies in, where they are missing.
  static std::optional<Folder> Make(const std::string& path);

  /// The bytes of one file, which counts as its use; empty: none, or larger than `max_bytes`.
  Buffer Read(const std::string& name, std::uint64_t max_bytes) const;
  /// Puts a file in its place, whole or not at all. False: disk full, no permission.
  bool Write(const std::string& name, const std::string& bytes) const;
  void Remove(const std::string& name) const;

  /// The files of the cache, most recently used first.
  std::vector<File> List() const;
  /// Removes the least recently used files until the rest takes at most `max_bytes`, and what
  /// writers that were killed left behind. How many files of the cache went.
  std::size_t Shrink(std::uint64_t max_bytes) const;

 private:
  explicit Folder(UniqueFd fd) : fd_(std::move(fd)) {}
  /// All files whose names end so.
  std::vector<File> ListEnding(const char* ending) const;
  UniqueFd fd_;
};

/// How the names of the cache's files end; everything else in the folder is left alone.
inline constexpr char kEnding[] = ".names";

}  // namespace csink::symbolizer::cache
