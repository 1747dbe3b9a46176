#include "symbolizer/report/annotate/source_search.h"

#include <algorithm>

namespace csink::annotate {
namespace {

/// Limits the folders of a path that are tried, and so the number of candidates for a hostile path.
constexpr std::size_t kMostFolders = 64;

/// Whether `path` is `prefix` or below it.
bool IsBelow(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  return path.size() == prefix.size() || prefix.ends_with('/') || path[prefix.size()] == '/';
}

/// `folder` and `rest` with exactly one '/' between them. An empty folder gives a relative path.
std::string Joined(std::string_view folder, std::string_view rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  std::string path(folder);
  if (!path.empty() && path.back() != '/') path += '/';
  return path += rest;
}

/// Collects paths in the order in which they are tried, each once. The first addition of a path
/// decides whether it is a guess.
class Candidates {
 public:
  explicit Candidates(const std::string& root) : root_(root) {}
  void Add(const std::string& path) {
    if (path.empty()) return;
    // The root applies to absolute paths alone; relative ones are searched from the working folder.
    const std::string whole = path.front() == '/' ? root_ + path : path;
    const auto is_same = [&](const Candidate& other) { return other.path == whole; };
    if (std::none_of(paths_.begin(), paths_.end(), is_same)) paths_.push_back({whole, is_guess_});
  }
  /// Candidates that are added after this call are guesses.
  void BeginGuesses() { is_guess_ = true; }
  std::vector<Candidate> Take() { return std::move(paths_); }

 private:
  const std::string& root_;
  bool is_guess_ = false;
  std::vector<Candidate> paths_;
};

/// Searches from the module's folder upwards, because a build folder is often below the sources.
/// The root folder itself is not tried.
void AddAboveModule(const std::string& recorded, const std::string& module, Candidates& found) {
  std::string folder = module;
  for (std::size_t i = 0; i < kMostFolders; ++i) {
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos || slash == 0) return;
    folder.resize(slash);
    found.Add(Joined(folder, recorded));
  }
}

/// Below /usr/src/debug and /usr/src, with leading folders left out one by one. At least one folder
/// must match: the file name alone would find any file with that name.
void AddPackaged(std::string_view recorded, Candidates& found) {
  std::string_view rest = recorded;
  for (std::size_t i = 0; i < kMostFolders && !rest.empty(); ++i) {
    while (rest.starts_with('/')) rest.remove_prefix(1);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return;
    if (rest.substr(0, slash) != "." && rest.substr(0, slash) != "..") {
      found.Add(Joined("/usr/src/debug", rest));
      found.Add(Joined("/usr/src", rest));
    }
    rest.remove_prefix(slash);
  }
}

}  // namespace

std::optional<PrefixMap> ParsePrefixMap(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return PrefixMap{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::vector<PrefixMap> ParsePrefixMaps(std::string_view text, std::vector<std::string>& bad) {
  std::vector<PrefixMap> maps;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view one = text.substr(0, colon);
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
    if (one.empty()) continue;
    if (auto map = ParsePrefixMap(one)) {
      maps.push_back(std::move(*map));
    } else {
      bad.emplace_back(one);
    }
  }
  return maps;
}

std::vector<Candidate> CandidatePaths(const std::string& recorded, const SourcePlaces& places) {
  Candidates found(places.root);
  for (const PrefixMap& map : places.prefixes) {
    if (IsBelow(recorded, map.from)) {
      const std::string rest = recorded.substr(map.from.size());
      found.Add(map.to.empty() ? rest : Joined(map.to, rest));
    }
  }
  if (!recorded.starts_with('/')) {
    found.BeginGuesses();
    AddAboveModule(recorded, places.module_path, found);
  }
  // An absolute path is no guess. A relative one is looked for in the working folder.
  found.Add(recorded);
  AddPackaged(recorded, found);
  return found.Take();
}

}  // namespace csink::annotate
