#include "symbolizer/names/cache/cached_resolver.h"

#include <link.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "core/util/fnv1a.h"
#include "core/util/hex.h"
#include "symbolizer/names/bytes/open_log.h"
#include "symbolizer/names/cache/entry.h"
#include "symbolizer/names/cache/folder.h"
#include "symbolizer/names/elf/build_id.h"
#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/kernel/kernel.h"

/// File: a module is looked up in the cache folder under a name made of its build id and a hash of
/// everything else that an answer depends on. Four cases: nothing is known (ask for all, keep); all
/// offsets are known (no file of the module is opened); some are known (ask for the rest, keep old
/// and new together); the entry is out of date (ask for all; its names are used only if nothing
/// else gives names).
///
/// An answer is kept if it took long and has no problem, and if no file that it depends on is new,
/// has changed, or failed to open. The cost is CPU time of the whole process, so that work of other
/// threads at the same time counts, too; that keeps more, never less.

namespace csink::symbolizer {
namespace {

/// A file that was changed less than this ago (2 s) may change again without a visible change of
/// its time (granularity of file system times).
constexpr std::int64_t kSettledNs = 2'000'000'000;
/// Estimated cost of reading, merging and writing a cache file, with a margin.
constexpr std::uint64_t kRewriteNsPerByte = 20;

/// Nanoseconds of a clock.
std::int64_t Clock(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Reads the notes of the program itself, which dl_iterate_phdr(3) reports first. Returns 1, which
/// ends the iteration.
int TakeOwnBuildId(dl_phdr_info* info, std::size_t, void* to) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* start = reinterpret_cast<const std::uint8_t*>(info->dlpi_addr + segment.p_vaddr);
    const Bytes id = FindBuildId({start, segment.p_filesz});
    if (id.empty()) continue;
    *static_cast<std::string*>(to) = ToHex(id);
    break;
  }
  return 1;
}

/// The build id of this program in hexadecimal. Entries of another csink are not used, because it
/// may have resolved names differently. Empty: built without a build id; nothing is cached then.
const std::string& Generation() {
  static const std::string id = [] {
    std::string found;
    ::dl_iterate_phdr(TakeOwnBuildId, &found);
    return found;
  }();
  return id;
}

/// Whether the cache is used for this request. Without a build id a module cannot be recognised;
/// the kernel's names change with each boot; anonymous code and the vdso have no file. The limit
/// for build ids keeps file names short.
bool CanBeKept(const ModuleRequest& request, const Options& options) {
  return !options.cache_folder.empty() && !request.build_id.empty() &&
         request.build_id.size() <= 64 && !request.is_anonymous && !request.is_vdso &&
         request.path.starts_with('/') && request.path != kKernelPath &&
         !request.file_offsets.empty() && request.data_addresses.empty() && !Generation().empty();
}

/// Everything besides files that an answer depends on. Stored in the cache file and compared.
std::string KeyOf(const ModuleRequest& request, const Options& options) {
  return Generation() + '\n' + ToHex(request.build_id) + '\n' +
         std::to_string(static_cast<int>(request.detail)) + (options.fetch ? "fetch" : "") + '\n' +
         options.root + '\n' + request.path;
}

/// The build id, for people who look into the folder, and a hash (FNV-1a) of the key. Two keys with
/// the same file name overwrite each other, but are never confused: the key in the file is
/// compared.
std::string FileNameOf(const ModuleRequest& request, const std::string& key) {
  const std::uint64_t hash = Fnv1a(key);
  char number[24];
  std::snprintf(number, sizeof number, "-%016" PRIx64, hash);
  return ToHex(request.build_id) + number + cache::kEnding;
}

/// Whether a file is in the state that the mark recorded. A path that cannot be looked at for
/// another reason than its absence counts as changed.
bool IsUnchanged(const FileMark& mark) {
  struct stat status;
  if (::stat(mark.path.c_str(), &status) != 0) {
    return !mark.exists && (errno == ENOENT || errno == ENOTDIR);
  }
  return mark.exists && mark.size == static_cast<std::uint64_t>(status.st_size) &&
         mark.mtime_ns ==
             status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

/// Whether all files that an answer depends on are as they were, absent ones included.
bool AllUnchanged(const std::vector<FileMark>& marks) {
  return std::all_of(marks.begin(), marks.end(), IsUnchanged);
}

/// One module, and its file in the cache.
class CachedModule {
 public:
  CachedModule(const ModuleRequest& request, const Options& options, const ModuleResolver& resolve)
      : request_(request),
        options_(options),
        resolve_(resolve),
        key_(KeyOf(request, options)),
        file_name_(FileNameOf(request, key_)) {}

  ModuleAnswer Run() {
    Look();
    if (known_ && !is_current_) return AskForAll();
    std::vector<std::uint64_t> missing;
    if (known_) {
      std::set_difference(request_.file_offsets.begin(), request_.file_offsets.end(),
                          known_->offsets.begin(), known_->offsets.end(),
                          std::back_inserter(missing));
      if (missing.empty()) return FromKnown();
      // No requested offset is cached: resolve all of them.
      if (missing.size() < request_.file_offsets.size()) return AskForSome(std::move(missing));
    }
    return AskForAll();
  }

 private:
  // Reads the cache file of the module, if there is one, and compares its marks with the files.
  void Look() {
    const auto folder = cache::Folder::Open(options_.cache_folder);
    if (!folder) return;
    bytes_ = folder->Read(file_name_, cache::kMaxEntryBytes);
    if (bytes_.size() == 0) return;
    known_ = cache::Decode(bytes_.bytes(), key_, &request_.file_offsets);
    is_current_ = known_ && AllUnchanged(known_->marks);
  }

  // All offsets are known, and all files unchanged.
  ModuleAnswer FromKnown() {
    ModuleAnswer answer;
    answer.locations = std::move(known_->locations);
    answer.has_symbols = known_->has_symbols;
    answer.has_lines = known_->has_lines;
    answer.debug_file = std::move(known_->debug_file);
    return answer;
  }

  // Resolves, and records the time that it took and the files that were opened.
  ModuleAnswer Ask(const ModuleRequest& request) {
    const std::int64_t before = Clock(CLOCK_PROCESS_CPUTIME_ID);
    const OpenLog::Scope scope(&log_);
    Options options = options_;
    if (options.fetch) {
      options.fetch = [this](const std::vector<std::uint8_t>& build_id, FetchKind kind) {
        std::string path = options_.fetch(build_id, kind);
        // The file may be available later, so the answer is not cached
        if (path.empty()) log_.AddTrouble();
        return path;
      };
    }
    ModuleAnswer answer = resolve_(request, options);
    cost_ns_ = Clock(CLOCK_PROCESS_CPUTIME_ID) - before;
    return answer;
  }

  // Resolves all offsets, and replaces what was cached.
  ModuleAnswer AskForAll() {
    ModuleAnswer answer = Ask(request_);
    if (known_ && !is_current_ && !answer.problem.empty() && Borrow(answer)) return answer;
    Keep(request_.file_offsets, answer);
    return answer;
  }

  /// Uses cached names for a module that cannot be read any more. False: there are none, or they
  /// are not needed.
  bool Borrow(ModuleAnswer& answer) const {
    const bool has_names =
        std::any_of(answer.locations.begin(), answer.locations.end(),
                    [](const Location& l) { return l.source != NameSource::kNone; });
    if (has_names || known_->offsets.empty()) return false;
    std::size_t next = 0;
    for (std::size_t i = 0; i < answer.locations.size(); ++i) {
      if (next == known_->offsets.size()) break;
      if (known_->offsets[next] != request_.file_offsets[i]) continue;
      answer.locations[i] = known_->locations[next++];
    }
    answer.has_symbols = known_->has_symbols;
    answer.has_lines = known_->has_lines;
    answer.problem += "; names are from an earlier report";
    return true;
  }

  // Resolves the offsets that are not cached, and merges them with the cached ones; both lists are
  // sorted.
  ModuleAnswer AskForSome(std::vector<std::uint64_t> missing) {
    ModuleRequest rest = request_;
    rest.file_offsets = std::move(missing);
    ModuleAnswer answer = Ask(rest);
    // The resolver did not answer for all: without a match by offset nothing can be merged.
    if (answer.locations.size() != rest.file_offsets.size()) return answer;
    Keep(rest.file_offsets, answer);
    std::vector<Location> all;
    all.reserve(request_.file_offsets.size());
    std::size_t fresh = 0;
    std::size_t old = 0;
    for (const std::uint64_t offset : request_.file_offsets) {
      const bool is_fresh = fresh < rest.file_offsets.size() && rest.file_offsets[fresh] == offset;
      all.push_back(is_fresh ? std::move(answer.locations[fresh++])
                             : std::move(known_->locations[old++]));
    }
    answer.locations = std::move(all);
    return answer;
  }

  /// Writes the answer for `offsets` to the cache, together with what was cached before.
  void Keep(const std::vector<std::uint64_t>& offsets, const ModuleAnswer& answer) {
    // A few new addresses are not worth rewriting a large file. A damaged file is always replaced.
    const std::uint64_t rewritten = is_current_ ? bytes_.size() : 0;
    const std::uint64_t dear = options_.cache_from_cpu_ns + rewritten * kRewriteNsPerByte;
    if (cost_ns_ < static_cast<std::int64_t>(dear)) return;
    if (!answer.problem.empty() || log_.has_trouble()) return;
    if (answer.locations.size() != offsets.size()) return;
    cache::Entry entry{.key = key_,
                       .has_symbols = answer.has_symbols,
                       .has_lines = answer.has_lines,
                       .debug_file = answer.debug_file,
                       .marks = log_.marks(),
                       .offsets = offsets,
                       .locations = answer.locations};
    // The marks are compared again: a file may have changed while the answer was made.
    const std::int64_t settled = Clock(CLOCK_REALTIME) - kSettledNs;
    for (const FileMark& mark : entry.marks) {
      if ((mark.exists && mark.mtime_ns > settled) || !IsUnchanged(mark)) return;
    }
    if (is_current_) AddKnown(entry);
    std::string bytes = Encode(entry);
    if (bytes.empty() || bytes.size() > options_.cache_bytes) return;
    const auto folder = cache::Folder::Make(options_.cache_folder);
    // Only a writer makes the folder smaller; readers leave it alone.
    if (folder && folder->Write(file_name_, bytes)) folder->Shrink(options_.cache_bytes);
  }

  /// Merges the cached locations into `entry`, if they were found in the same files.
  void AddKnown(cache::Entry& entry) const {
    auto known = cache::Decode(bytes_.bytes(), key_, nullptr);
    // Names of two states of the files must not be in one entry.
    if (!known || known->marks != entry.marks) return;
    cache::Entry all = entry;
    all.offsets.clear();
    all.locations.clear();
    std::size_t old = 0;
    const auto take_old = [&] {
      all.offsets.push_back(known->offsets[old]);
      all.locations.push_back(std::move(known->locations[old++]));
    };
    for (std::size_t i = 0; i < entry.offsets.size(); ++i) {
      while (old < known->offsets.size() && known->offsets[old] < entry.offsets[i]) take_old();
      if (old < known->offsets.size() && known->offsets[old] == entry.offsets[i]) ++old;
      all.offsets.push_back(entry.offsets[i]);
      all.locations.push_back(entry.locations[i]);
    }
    while (old < known->offsets.size()) take_old();
    entry = std::move(all);
  }

  const ModuleRequest& request_;
  const Options& options_;
  const ModuleResolver& resolve_;
  const std::string key_;
  const std::string file_name_;
  Buffer bytes_;                       ///< Of the cache file
  std::optional<cache::Entry> known_;  ///< Its contents, with only the requested locations
  bool is_current_ = false;            ///< All files that it depends on are unchanged
  OpenLog log_;
  std::int64_t cost_ns_ = 0;
};

}  // namespace

ModuleAnswer ResolveModuleCached(const ModuleRequest& request, const Options& options,
                                 const ModuleResolver& resolve) {
  if (!CanBeKept(request, options)) return resolve(request, options);
  return CachedModule(request, options, resolve).Run();
}

}  // namespace csink::symbolizer
