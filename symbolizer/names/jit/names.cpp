#include "symbolizer/names/jit/names.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <utility>

#include "symbolizer/names/demangle/demangle.h"
#include "symbolizer/names/jit/dump.h"
#include "symbolizer/names/jit/perf_map.h"
#include "symbolizer/names/locate/live_process.h"

namespace csink::symbolizer {
namespace {

/// A place where a process's files may be, and the owner that they must have.
struct Place {
  std::string root;
  PerfMapOwner owner;
};

/// The process's own root comes first: below this root, a file with the same pid may belong to
/// another process.
std::vector<Place> PlacesOf(const ModuleRequest& request, const Options& options) {
  std::vector<Place> places;
  const std::string proc = options.root + "/proc";
  for (const std::uint32_t pid : FindLiveProcesses(proc, request.processes)) {
    Place place{proc + "/" + std::to_string(pid) + "/root", request.owner};
    // /proc/PID belongs to the process's user as this namespace sees it (proc(5)).
    struct stat status;
    // In a user namespace, the process recorded another uid than the one that files show here.
    if (::stat((proc + "/" + std::to_string(pid)).c_str(), &status) == 0) {
      place.owner.uid = status.st_uid;
    }
    if (::access((place.root + "/").c_str(), X_OK) == 0) places.push_back(std::move(place));
  }
  places.push_back({options.root, request.owner});
  return places;
}

/// What is shown for a PC without a name: its distance from the start of the region.
std::string Unknown(std::uint64_t region, std::uint64_t pc) {
  char text[64];
  std::snprintf(text, sizeof text, "[anon:%" PRIx64 "+0x%" PRIx64 "]", region, pc - region);
  return text;
}

/// The addresses of one request. Each file names those that no file before it named.
class Naming {
 public:
  explicit Naming(const ModuleRequest& request) : pcs_(request.file_offsets) {
    for (const std::uint64_t pc : pcs_) {
      Location location;
      location.function = Unknown(request.region_start, pc);
      location.function_vaddr = location.vaddr = pc;
      answer_.locations.push_back(std::move(location));
    }
  }
  /// Takes names and lines of a jitdump file.
  void TakeDump(const JitDump& dump, const std::string& path) {
    const std::vector<JitMatch> matches = dump.Find(pcs_);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const JitMatch& match = matches[i];
      if (match.name.empty() || IsNamed(i)) continue;
      Name(i, match.name, match.start);
      answer_.locations[i].file = match.file;
      answer_.locations[i].line = match.line;
      answer_.has_lines = answer_.has_lines || match.line != 0;
      answer_.debug_file = path;
    }
  }
  /// Takes names of a perf map for the addresses that no dump has named.
  void TakeMap(std::string_view text) {
    const std::vector<PerfMapName> names = NamesFromPerfMap(text, pcs_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].name.empty() && !IsNamed(i)) Name(i, names[i].name, names[i].start);
    }
  }
  ModuleAnswer Finish(std::string problem) {
    // Also if all addresses have names: the code still has no file.
    answer_.problem = problem.empty() ? "code without a file" : std::move(problem);
    return std::move(answer_);
  }

 private:
  // Names of jitdump files have the same source as those of perf maps: both are the JIT's own.
  bool IsNamed(std::size_t i) const { return answer_.locations[i].source == NameSource::kPerfMap; }
  void Name(std::size_t i, const std::string& name, std::uint64_t start) {
    Location& location = answer_.locations[i];
    location.function = Demangle(name);
    location.raw_name = name;
    location.source = NameSource::kPerfMap;
    location.function_vaddr = start;
    answer_.has_symbols = true;
  }

  const std::vector<std::uint64_t>& pcs_;
  ModuleAnswer answer_;
};

}  // namespace

ModuleAnswer ResolveAnonymous(const ModuleRequest& request, const Options& options) {
  Naming naming(request);
  std::string problem;
  if (request.owner.pid != 0) {
    const std::vector<Place> places = PlacesOf(request, options);
    // The dump of the first place that can be trusted; other places may have another process's.
    for (const std::string& path : request.jit_dumps) {
      for (const Place& place : places) {
        const auto dump = OpenJitDump(place.root + path, place.owner, problem);
        if (!dump) continue;
        naming.TakeDump(*dump, path);
        break;
      }
    }
    for (const Place& place : places) {
      PerfMapText map = ReadPerfMap(place.root + options.perf_maps, place.owner);
      if (!map.problem.empty()) problem = std::move(map.problem);
      if (map.text.empty()) continue;
      // After the dumps: a map has no lines.
      naming.TakeMap(map.text);
      break;
    }
  }
  return naming.Finish(std::move(problem));
}

}  // namespace csink::symbolizer
