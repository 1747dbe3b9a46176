#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// File: where on this machine the source file may be that a line table names.

namespace csink::annotate {

/// --source-prefix FROM=TO: files recorded below FROM are below TO on this machine.
struct PrefixMap {
  std::string from;
  std::string to;
};

/// nullopt: there is no '=', or nothing before it.
std::optional<PrefixMap> ParsePrefixMap(std::string_view text);

/// Parses CSINK_SOURCE_PREFIX: maps separated by ':'. Parts that are not maps are appended to
/// `bad`.
std::vector<PrefixMap> ParsePrefixMaps(std::string_view text, std::vector<std::string>& bad);

struct SourcePlaces {
  std::vector<PrefixMap> prefixes;  ///< In the order in which they are tried
  std::string module_path;          ///< Relative paths are searched from its folder upwards
  std::string root;                 ///< Put before every path. For tests
};

/// A path to try.
struct Candidate {
  std::string path;
  /// The recorded path is relative: the folder of its compilation is not known, and the file may
  /// belong to another program.
  bool is_guess = false;
  bool operator==(const Candidate&) const = default;
};

/// The paths to try for a recorded path, each once: with mapped prefixes; an absolute path as
/// recorded; a relative path from the module's folder upwards and from the working folder; and
/// below /usr/src/debug and /usr/src, where source packages are installed. For the latter, leading
/// folders are dropped one by one, because they are those of the build machine.
std::vector<Candidate> CandidatePaths(const std::string& recorded, const SourcePlaces& places);

}  // namespace csink::annotate
