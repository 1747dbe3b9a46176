#include "symbolizer/report/tables/names.h"

#include <sys/utsname.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <tuple>

#include "core/util/text_file.h"
#include "symbolizer/names/demangle/clone_suffix.h"
#include "symbolizer/report/data/wait_objects.h"
#include "symbolizer/report/tables/python_names.h"
#include "symbolizer/report/wording/shorten.h"
#include "symbolizer/report/wording/thread_function.h"
#include "symbolizer/report/wording/wait_words.h"

/// File: asks the symbolizer once for each module. All addresses that a report names are collected
/// first: sampled places, call sites, start routines. The offsets of a module are sorted and
/// unique, so that the answer's locations can be found by binary search.

namespace csink::report {
namespace {

/// Whether the name ends with "::h" and 16 hexadecimal digits: the hash of Rust's legacy mangling,
/// which changes with the compiler and with the crate's contents.
bool HasRustHash(const std::string& name) {
  constexpr std::size_t kLength = 19;
  if (name.size() <= kLength || name.compare(name.size() - kLength, 3, "::h") != 0) return false;
  return name.find_first_not_of("0123456789abcdef", name.size() - kLength + 3) == std::string::npos;
}

using symbolizer::Location;
using symbolizer::ModuleRequest;

/// Whether the whole profile was taken on this machine since its boot: only then do kernel
/// addresses have the same meaning. The difference between CLOCK_REALTIME and CLOCK_MONOTONIC is
/// the time of the boot; each spool has both clocks. A clock change or a suspend makes this false,
/// which is safe: the running kernel's symbols are then not used.
bool IsOfThisBoot(const Profile& profile) {
  // Small corrections of the clock (NTP) are allowed.
  constexpr std::int64_t kSameNs = 2'000'000'000;
  timespec realtime = {};
  timespec monotonic = {};
  clock_gettime(CLOCK_REALTIME, &realtime);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  const std::int64_t now = (realtime.tv_sec - monotonic.tv_sec) * std::int64_t{1'000'000'000} +
                           realtime.tv_nsec - monotonic.tv_nsec;
  utsname machine = {};
  uname(&machine);
  return std::all_of(
      profile.processes.begin(), profile.processes.end(), [&](const ProcessRow& process) {
        const auto then =
            static_cast<std::int64_t>(process.start_realtime_ns - process.start_monotonic_ns);
        return process.host == machine.nodename && std::abs(now - then) < kSameNs;
      });
}

/// The processes that may still run: those whose spool says so, and the last one, because this may
/// be its report at exit. The symbolizer opens deleted and replaced files through them
/// (docs/design/symbolizer.md).
std::vector<symbolizer::ProcessId> MayStillRun(const Profile& profile) {
  // Limits the processes that the symbolizer looks for in /proc.
  constexpr std::size_t kMaxProcesses = 256;
  std::vector<symbolizer::ProcessId> processes;
  for (const ProcessRow& row : profile.processes) {
    const bool may_run = row.state == ProcessState::kLive || &row == &profile.processes.back();
    if (may_run && processes.size() < kMaxProcesses) {
      processes.push_back({row.pid, row.start_ticks});
    }
  }
  return processes;
}

/// The jitdump files of a process. A JIT maps its file, so that the path is among the process's
/// mappings (jitdump-specification.txt). `pid`: in the process's own pid namespace.
std::vector<std::string> JitDumpsOf(const Profile& profile, std::uint32_t pid) {
  const std::string name = "/jit-" + std::to_string(pid) + ".dump";
  std::vector<std::string> paths;
  for (const Module& module : profile.modules) {
    if (module.path.ends_with(name) &&
        std::find(paths.begin(), paths.end(), module.path) == paths.end()) {
      paths.push_back(module.path);
    }
  }
  return paths;
}

/// The folder of a path, without the slash; "." for a name alone, "" for none.
std::string FolderOf(const std::string& path) {
  if (path.empty()) return {};
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// All code of the agent is one function without lines.
symbolizer::ModuleAnswer AgentAnswer(std::size_t addresses) {
  Location location;
  location.function = kAgentCode;
  location.source = symbolizer::NameSource::kSymbol;
  symbolizer::ModuleAnswer answer;
  answer.has_symbols = true;
  answer.locations.assign(addresses, location);
  return answer;
}

}  // namespace

ModuleRequest RequestOf(const Module& module, const std::vector<std::uint64_t>& offsets,
                        symbolizer::Detail detail) {
  return {.path = module.path,
          .build_id = module.build_id,
          .device_major = module.device_major,
          .device_minor = module.device_minor,
          .inode = module.inode,
          .is_vdso = module.is_vdso,
          .is_deleted = module.is_deleted,
          .is_running_kernel = false,
          .is_anonymous = module.is_anonymous,
          .region_start = module.region_start,
          .owner = {module.pid, module.uid, module.image_realtime_ns},
          .jit_dumps = {},
          .kept_folder = FolderOf(module.spool_path),
          .processes = {},
          .file_offsets = offsets,
          .data_addresses = {},
          .detail = detail};
}

std::string DisplayName(const Module& module) {
  if (module.is_unknown) return "[unknown]";
  if (module.is_anonymous && module.path.empty()) return "[anonymous]";
  if (module.is_vdso) return "[vdso]";
  return module.path.empty() ? "[unnamed]" : BaseName(module.path);
}

CodeAddress CallSite(const Caller& caller) {
  // The PC of a frame that a signal interrupted is not behind a call; it is used as it is.
  CodeAddress address = caller.address;
  if ((caller.flags & (spool::kChainSignal | spool::kChainPython)) == 0 && address.offset > 0)
    --address.offset;
  return address;
}

namespace {

/// The address before the end of an instruction that called something.
CodeAddress Before(CodeAddress address) {
  if (address.offset > 0) --address.offset;
  return address;
}

}  // namespace

CodeAddress InsideOf(const WaitSite& site) {
  // A page fault's address is the instruction's own.
  return Is(kNoCall, site.kind) ? site.address : Before(site.address);
}

CodeAddress InsideOf(const WaitLock& lock) { return Before(lock.first); }

CodeAddress InsideOf(const WaitHolder& holder) {
  // The place of a holder that runs is a sample's.
  return holder.state == spool::kHolderBlocked ? Before(holder.address) : holder.address;
}

Names::Names(const Profile& profile, const Resolver& resolve, const BuildOptions& options)
    : offsets_(profile.modules.size()), answers_(profile.modules.size()) {
  // kNoModule is above every index, so unknown addresses are ignored here.
  const auto want = [&](const CodeAddress& address) {
    if (address.module < offsets_.size()) offsets_[address.module].push_back(address.offset);
  };
  for (const Place& place : profile.places) want(place.address);
  // Behind the places, whose order is that of their addresses.
  for (const Place& place : profile.places) want(place.native);
  // Entry 0 means "no caller".
  for (std::size_t i = 1; i < profile.callers.size(); ++i) want(CallSite(profile.callers[i]));
  for (const ThreadRow& thread : profile.threads) want(thread.start_routine);
  for (const ShortThreads& threads : profile.short_threads) want(threads.start_routine);
  const Waits& waits = profile.waits;
  for (const WaitSite& site : waits.sites) want(InsideOf(site));
  for (const WaitLock& lock : waits.locks) want(InsideOf(lock));
  for (const WaitHolder& holder : waits.holders) want(InsideOf(holder));
  for (std::size_t i = 1; i < waits.callers.size(); ++i) want(CallSite(waits.callers[i]));
  const std::vector<symbolizer::ProcessId> may_still_run = MayStillRun(profile);
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    auto& offsets = offsets_[i];
    // Places come in the order of their addresses; without callers there is nothing to sort.
    if (!std::is_sorted(offsets.begin(), offsets.end())) std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    const Module& module = profile.modules[i];
    if (offsets.empty() || module.is_unknown || module.is_anonymous) continue;
    if (module.is_python) {
      answers_[i] = PythonAnswer(profile.python_functions, offsets);
      continue;
    }
    // The agent's functions are one row in every table, so its symbols are not read.
    if (IsAgentModule(module)) {
      answers_[i] = AgentAnswer(offsets.size());
      continue;
    }
    if (options.progress) options.progress(module.path, i, offsets_.size());
    ModuleRequest request = RequestOf(module, offsets, options.detail);
    request.processes = may_still_run;
    request.is_running_kernel = module.path == "[kernel]" && IsOfThisBoot(profile);
    answers_[i] = resolve(request);
  }
  ResolveAnonymous(profile, resolve, options.detail);
  ResolveData(profile, resolve);
}

void Names::ResolveData(const Profile& profile, const Resolver& resolve) {
  // By module: the locks that lie in its data. Locks on the heap or on a stack have kNoModule.
  std::map<std::uint32_t, std::vector<std::uint64_t>> addresses;
  for (const WaitLock& lock : profile.waits.locks) {
    if (lock.module >= profile.modules.size()) continue;
    // The object may begin before the word that threads wait for.
    for (const std::uint64_t address : PossibleObjects(lock)) {
      addresses[lock.module].push_back(address);
    }
  }
  for (const auto& [index, of_module] : addresses) {
    const Module& module = profile.modules[index];
    if (module.is_anonymous || module.is_unknown || module.is_vdso) continue;
    ModuleRequest request = RequestOf(module, {}, symbolizer::Detail::kFunctions);
    request.data_addresses = of_module;
    request.processes = MayStillRun(profile);
    const symbolizer::ModuleAnswer answer = resolve(request);
    for (std::size_t i = 0; i < of_module.size() && i < answer.data_names.size(); ++i) {
      data_names_[{index, of_module[i]}] = answer.data_names[i];
    }
  }
}

// A JIT may have hundreds of regions but has only one perf map, so it is read once for each
// process.
void Names::ResolveAnonymous(const Profile& profile, const Resolver& resolve,
                             symbolizer::Detail detail) {
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const Module& module = profile.modules[i];
    if (offsets_[i].empty() || module.is_unknown || !module.is_anonymous) continue;
    groups[{module.path, module.pid, module.image_realtime_ns}].push_back(i);
  }
  for (const auto& [key, members] : groups) {
    std::vector<std::uint64_t> all;
    for (const std::size_t i : members) {
      all.insert(all.end(), offsets_[i].begin(), offsets_[i].end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const Module& first = profile.modules[members[0]];
    ModuleRequest request = RequestOf(first, all, detail);
    request.jit_dumps = JitDumpsOf(profile, first.pid);
    // Addresses of anonymous code mean something in this process alone.
    if (first.process < profile.processes.size()) {
      const ProcessRow& owner = profile.processes[first.process];
      request.processes = {{owner.pid, owner.start_ticks}};
    }
    const symbolizer::ModuleAnswer answer = resolve(request);
    for (const std::size_t i : members) {
      // Each member gets its part of the common answer, in the order of its own offsets.
      answers_[i] = {{}, answer.has_symbols, answer.has_lines, answer.problem, answer.debug_file};
      for (const std::uint64_t offset : offsets_[i]) {
        // Every offset of a member is in `all`, so the search always finds it.
        const auto at = std::lower_bound(all.begin(), all.end(), offset) - all.begin();
        if (static_cast<std::size_t>(at) >= answer.locations.size()) break;
        answers_[i].locations.push_back(answer.locations[static_cast<std::size_t>(at)]);
      }
    }
  }
}

std::optional<std::size_t> Names::Find(const CodeAddress& address) const {
  if (address.module >= offsets_.size()) return std::nullopt;
  // Start routines and call sites are in the same list as places.
  const auto& offsets = offsets_[address.module];
  const auto it = std::lower_bound(offsets.begin(), offsets.end(), address.offset);
  const auto index = static_cast<std::size_t>(it - offsets.begin());
  const auto& locations = answers_[address.module].locations;
  if (it == offsets.end() || *it != address.offset || index >= locations.size()) {
    return std::nullopt;
  }
  return index;
}

std::optional<std::size_t> Names::Find(const CodeAddress& address, std::size_t& hint) const {
  if (address.module < offsets_.size()) {
    const auto& offsets = offsets_[address.module];
    const std::size_t locations = answers_[address.module].locations.size();
    // The next place has the address of the one before (another thread or caller) or the next
    // address.
    for (std::size_t i = hint; i < hint + 2 && i < offsets.size() && i < locations; ++i) {
      if (offsets[i] == address.offset) return hint = i;
    }
  }
  const auto index = Find(address);
  if (index) hint = *index;
  return index;
}

const Location& Names::Of(const CodeAddress& address, std::size_t& hint) const {
  const auto index = Find(address, hint);
  return index ? answers_[address.module].locations[*index] : nothing_;
}

const Location& Names::Of(const CodeAddress& address) const {
  const auto index = Find(address);
  return index ? answers_[address.module].locations[*index] : nothing_;
}

Addresses Names::Keep(const Profile& profile) && {
  Addresses kept;
  // Entry 0: nothing is known. Used for addresses without an answer.
  std::size_t next = 1;
  // By module: the index of its first location among all.
  std::vector<std::size_t> first;
  for (const auto& answer : answers_) {
    first.push_back(next);
    next += answer.locations.size();
  }
  std::size_t hint = 0;
  const auto index_of = [&](const CodeAddress& address) -> std::uint32_t {
    const auto index = Find(address, hint);
    return index ? static_cast<std::uint32_t>(first[address.module] + *index) : 0;
  };
  kept.of_place.reserve(profile.places.size());
  kept.of_caller.reserve(profile.callers.size());
  for (const Place& place : profile.places) kept.of_place.push_back(index_of(place.address));
  for (const Caller& caller : profile.callers) {
    kept.of_caller.push_back(index_of(CallSite(caller)));
  }
  // Last, because index_of needs the locations where they are.
  kept.locations.reserve(next);
  kept.locations.emplace_back();
  for (auto& answer : answers_) {
    std::move(answer.locations.begin(), answer.locations.end(), std::back_inserter(kept.locations));
  }
  return kept;
}

std::string Names::DataName(std::uint32_t module, std::uint64_t address) const {
  const auto it = data_names_.find({module, address});
  return it == data_names_.end() ? "" : it->second;
}

std::string Names::RoutineName(const CodeAddress& address) const {
  return address.module == kNoModule ? "" : ThreadFunction(Of(address).function);
}

bool IsAgentModule(const Module& module) {
  const std::string name = BaseName(module.path);
  if (module.is_anonymous) return false;
  if (name == "libcsink-critical.so") return true;  // No other project has a library of this name
  // The name is checked first, so that only a file of this name is read.
  if (name != "libagent.so") return false;
  constexpr char kSymbol[] = "csink_agent_identity";  // Defined in agent/process/may_start.cpp
  return ReadTextFile(module.path).find(kSymbol) != std::string::npos;
}

std::string WithoutCloneSuffix(const std::string& function) {
  std::string name = function.substr(0, function.find(" [clone "));
  name.resize(name.size() - symbolizer::CloneSuffix(name).size());
  if (HasRustHash(name)) name.resize(name.size() - 19);
  return name;
}

}  // namespace csink::report
