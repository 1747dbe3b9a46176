#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// File: where the source that a line table names may lie on this machine.

namespace csink::annotate {

/// "--source-prefix FROM=TO": paths that begin with FROM lie below TO here.
struct PrefixMap {
  std::string from;
  std::string to;
};

/// nullopt without '=' or with nothing before it.
std::optional<PrefixMap> ParsePrefixMap(std::string_view text);

/// CSINK_SOURCE_PREFIX: such maps, separated by ':'. What is none goes into `bad`.
std::vector<PrefixMap> ParsePrefixMaps(std::string_view text, std::vector<std::string>& bad);

struct SourcePlaces {
  std::vector<PrefixMap> prefixes;  ///< The first that fits comes first
  std::string module_path;          ///< Relative paths are looked for from its folder upwards
  std::string root;                 ///< Put before every path; tests use it
};

/// A path to try.
struct Candidate {
  std::string path;
  /// The recorded path is relative: nothing says where its compilation was, and a file of this path
  /// may be another program's.
  bool is_guess = false;
  bool operator==(const Candidate&) const = default;
};

/// The paths to try for a recorded one, without repetition: mapped prefixes, an absolute path as
/// recorded, a relative one from the module's folder upwards and from the current folder, and below
/// /usr/src/debug and /usr/src, where packages of sources put theirs: there the front of the path,
/// which is the builder's, is dropped folder by folder.
std::vector<Candidate> CandidatePaths(const std::string& recorded, const SourcePlaces& places);

}  // namespace csink::annotate
