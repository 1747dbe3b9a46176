#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// File: where on this machine the source file may be that a line table names. Only paths are
/// computed; nothing is opened. docs/annotate.md lists the places for users.

namespace csink::annotate {

/// --source-prefix FROM=TO: files recorded below FROM are below TO on this machine.
struct PrefixMap {
  /// Path of the machine that compiled, not empty. It matches whole folder names.
  std::string from;
  /// May be empty: FROM is only removed.
  std::string to;
};

/// Splits "FROM=TO" at the first '='. nullopt if there is no '=', or nothing before it.
std::optional<PrefixMap> ParsePrefixMap(std::string_view text);

/// Parses CSINK_SOURCE_PREFIX: maps separated by ':', so a path with a colon cannot be given. Empty
/// parts are ignored. Parts that are not maps are appended to `bad`.
std::vector<PrefixMap> ParsePrefixMaps(std::string_view text, std::vector<std::string>& bad);

/// Where to look.
struct SourcePlaces {
  /// In the order in which they are tried.
  std::vector<PrefixMap> prefixes;
  /// The program or library. Relative paths are searched from its folder upwards.
  std::string module_path;
  /// Put before every absolute path. Used by tests; empty otherwise.
  std::string root;
};

/// A path to try.
struct Candidate {
  /// Path to open, with SourcePlaces::root if it is absolute.
  std::string path;
  /// The recorded path is relative: the folder of its compilation is not known, and the file may
  /// belong to another program.
  bool is_guess = false;
  bool operator==(const Candidate&) const = default;
};

/// The paths to try for a recorded path, in this order, each once:
///
/// 1. with mapped prefixes;
/// 2. a relative path from the module's folder upwards, which is a guess;
/// 3. the path as recorded; a relative one is then relative to the working folder, and a guess;
/// 4. below /usr/src/debug and /usr/src, where source packages are installed. Leading folders are
///    dropped one by one, because they are those of the build machine.
std::vector<Candidate> CandidatePaths(const std::string& recorded, const SourcePlaces& places);

}  // namespace csink::annotate
