#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/unique_fd.h"
#include "symbolizer/names/bytes/bytes.h"

/// File: the folder of the name cache, and its files.
///
/// Any number of processes use the folder at the same time without locks: a file is written under a
/// temporary name and then renamed, so that it is either complete or absent, even if a process is
/// killed. If two processes write the same file, the later one wins.

namespace csink::symbolizer::cache {

struct Settings {
  std::string folder;           ///< Empty: no cache
  std::uint64_t max_bytes = 0;  ///< Limit for all files together
};
/// 256 MiB.
inline constexpr std::uint64_t kDefaultMaxBytes = 256u << 20;

/// The settings from the environment: CSINK_CACHE (0: no cache; 1: default folder; else a folder),
/// CSINK_CACHE_SIZE (bytes, or as 64M), XDG_CACHE_HOME/csink, HOME/.cache/csink. No cache for
/// relative paths, and in programs with more privileges than their user (AT_SECURE, getauxval(3)).
/// `problem` (may be null) receives what could not be parsed.
Settings SettingsFromEnvironment(std::string* problem = nullptr);

struct File {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;  ///< Time of last use, ns since 1970
};

/// The opened folder. It must belong to our user, and no one else may write to it: its contents are
/// shown to users as facts.
/// Owns:    the descriptor.
/// Threads: const functions from any thread.
class Folder {
 public:
  /// nullopt: it does not exist, or cannot be trusted.
  static std::optional<Folder> Open(const std::string& path);
  /// Creates the folder and its parent if they do not exist.
  static std::optional<Folder> Make(const std::string& path);

  /// The bytes of a file. Sets its time of last use. Empty: there is no such file, or it is larger
  /// than `max_bytes`.
  Buffer Read(const std::string& name, std::uint64_t max_bytes) const;
  /// Writes a file atomically. False: disk full, no permission.
  bool Write(const std::string& name, const std::string& bytes) const;
  void Remove(const std::string& name) const;

  /// The files of the cache, last used first.
  std::vector<File> List() const;
  /// Removes the least recently used files until the rest has at most `max_bytes`, and temporary
  /// files of writers that were killed. Returns the number of removed cache files.
  std::size_t Shrink(std::uint64_t max_bytes) const;
  /// Removes all files of csink's: those of the cache and the agent's
  /// (core/util/cache_files.h). Returns their number.
  std::size_t Clear() const;

 private:
  explicit Folder(UniqueFd fd) : fd_(std::move(fd)) {}
  /// All files whose names begin and end so.
  std::vector<File> ListNamed(std::string_view begin, std::string_view ending) const;
  UniqueFd fd_;
};

/// Suffix of the cache's files. Other files in the folder are not touched.
inline constexpr char kEnding[] = ".names";

}  // namespace csink::symbolizer::cache
