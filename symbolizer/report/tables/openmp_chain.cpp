#include "symbolizer/report/tables/openmp_chain.h"

#include <algorithm>

#include "profil/reading/model/openmp_runtime.h"
#include "symbolizer/report/wording/shorten.h"
#include "symbolizer/report/wording/wait_words.h"

/// File: reads chains from the innermost frame outwards. The first outlined function is the region.
/// Code of the runtime inside of it is the runtime working for this region. Without an outlined
/// function, a thread of the runtime is in the last barrier of a region or idle, and another thread
/// starts or ends a region: its call has the address that other chains have outside of the region's
/// function.

namespace csink::report {
namespace {

using symbolizer::Location;

/// Whether the module is GNU's libgomp. Debian strips it, so that its inner functions have no
/// names.
bool IsGnu(const Module& module) { return BaseName(module.path).starts_with("libgomp"); }

}  // namespace

OpenMpChains::OpenMpChains(const Profile& profile, const Names& names, const Resolver& resolve)
    : profile_(profile), names_(names) {
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    const Module& module = profile.modules[i];
    const auto index = static_cast<std::uint32_t>(i);
    if (module.is_anonymous || !IsGnu(module) || !IsOpenMpRuntime(module.path)) continue;
    if (names.Answer(index).locations.empty()) continue;  // Nothing was sampled there
    symbolizer::ModuleRequest request = RequestOf(module, {}, symbolizer::Detail::kFunctions);
    // GOMP_barrier calls the team's barrier alone, never the one in which idle threads wait.
    request.calls_from = {"GOMP_critical_start", "GOMP_barrier"};
    const symbolizer::ModuleAnswer answer = resolve(request);
    // An entry in unnamed_ makes all other unnamed code of the module idle time, which is wrong
    // while the barriers are not known.
    if (answer.called.size() != 2 || answer.called[1].empty()) continue;
    for (const std::uint64_t start : answer.called[0]) unnamed_[index][start] = OpenMpRole::kLock;
    // Second: a function that both reach counts as a barrier.
    for (const std::uint64_t start : answer.called[1]) {
      unnamed_[index][start] = OpenMpRole::kBarrier;
    }
  }
}

OpenMpChains::Frame OpenMpChains::MakeFrame(const CodeAddress& address) {
  Frame frame;
  frame.address = address;
  if (address.module >= profile_.modules.size()) {
    frame.kind = Kind::kSystem;
    return frame;
  }
  const Module& module = profile_.modules[address.module];
  const Location& location = names_.Of(address);
  frame.location = &location;
  // By file, or by name where the runtime is linked statically.
  const bool is_runtime = !module.is_anonymous && IsOpenMpRuntime(module.path);
  if (is_runtime || IsOpenMpFunction(location.function)) {
    frame.kind = Kind::kRuntime;
    frame.role = RoleOf(location.function);
    const auto unnamed = unnamed_.find(address.module);
    frame.roles_are_known =
        unnamed != unnamed_.end() || (is_runtime && names_.Answer(address.module).has_symbols);
    if (frame.role == OpenMpRole::kNone && unnamed != unnamed_.end() &&
        location.source != symbolizer::NameSource::kSymbol) {
      const auto role = unnamed->second.find(location.function_vaddr);
      if (role != unnamed->second.end()) frame.role = role->second;
    }
    return frame;
  }
  // Code of the C library and of the kernel counts for its caller, the region or the runtime.
  if (IsRuntimeModule(DisplayName(module))) {
    frame.kind = Kind::kSystem;
    return frame;
  }
  const std::string& name = location.raw_name.empty() ? location.function : location.raw_name;
  // Other names, such as those of a JIT's map, are not made by a compiler of OpenMP.
  if (location.source != symbolizer::NameSource::kSymbol || !IsOutlined(name)) return frame;
  frame.kind = Kind::kOutlined;
  // By the key of the tables of functions (function_key.h).
  const auto [it, is_new] =
      region_index_.emplace(KeyOf(address.module, module, location), regions_.size());
  if (is_new) {
    regions_.push_back({.address = address,
                        .function = location.function,
                        .in = std::string(EnclosingFunction(location.function)),
                        .is_region = false,
                        .is_task = IsOutlinedTask(name)});
  }
  frame.region = it->second;
  return frame;
}

const OpenMpChains::Frame& OpenMpChains::FrameAt(const CodeAddress& address) {
  const std::pair key{address.module, address.offset};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, MakeFrame(address)).first->second;
}

const OpenMpChains::Frame* OpenMpChains::FrameOf(const std::vector<Caller>& callers,
                                                 std::uint32_t caller) {
  if (callers[caller].IsEmpty()) return nullptr;
  // Samples and waits have lists of callers of their own. Frames in known_ do not move.
  std::vector<const Frame*>& frames = of_callers_[callers.data()];
  frames.resize(callers.size());
  if (frames[caller] == nullptr) frames[caller] = &FrameAt(CallSite(callers[caller]));
  return frames[caller];
}

OpenMpRole OpenMpChains::RoleOfRun(std::size_t first, std::size_t end) const {
  // What is around a lock or an inner function tells more than the lock itself.
  static constexpr OpenMpRole kOrder[] = {OpenMpRole::kFork,        OpenMpRole::kBarrier,
                                          OpenMpRole::kLock,        OpenMpRole::kIdle,
                                          OpenMpRole::kForkBarrier, OpenMpRole::kParallel};
  for (const OpenMpRole role : kOrder) {
    for (std::size_t i = first; i < end; ++i) {
      if (chain_[i]->role == role) return role;
    }
  }
  return OpenMpRole::kNone;
}

OpenMpMoment OpenMpChains::Read(const CodeAddress& inner, std::uint32_t caller,
                                const std::vector<Caller>& callers, bool is_worker) {
  chain_.assign(1, &FrameAt(inner));
  // A parent has a smaller index than its child, so that the walk ends.
  for (std::uint32_t at = caller; at != 0 && at < callers.size(); at = callers[at].parent) {
    if (const Frame* frame = FrameOf(callers, at)) chain_.push_back(frame);
  }
  // A barrier ends in futex(2), and a region may call memcpy. The first frame outside the C library
  // shows whether the region or the runtime made the call.
  std::size_t first = 0;
  while (first < chain_.size() && chain_[first]->kind == Kind::kSystem) ++first;
  if (first == chain_.size()) return {};
  std::size_t region = first;
  while (region < chain_.size() && chain_[region]->kind != Kind::kOutlined) ++region;
  if (region < chain_.size()) return InRegion(first, region);
  if (chain_[first]->kind == Kind::kRuntime) return OutsideRegions(first, is_worker);
  return {};
}

OpenMpMoment OpenMpChains::InRegion(std::size_t first, std::size_t at) {
  // Clang has a function for debugging inside of the outlined one.
  while (at + 1 < chain_.size() && chain_[at + 1]->kind == Kind::kOutlined) ++at;
  LearnCaller(at);
  OpenMpMoment moment;
  moment.region = chain_[at]->region;
  moment.state = OpenMpState::kWork;
  if (chain_[first]->kind != Kind::kRuntime) return moment;
  // The frames of the runtime up to the program's code: a barrier further out is not the moment's.
  std::size_t end = first;
  while (end < at && (chain_[end]->kind == Kind::kRuntime || chain_[end]->kind == Kind::kSystem)) {
    ++end;
  }
  switch (RoleOfRun(first, end)) {
    case OpenMpRole::kBarrier:
      moment.state = OpenMpState::kBarrier;
      break;
    case OpenMpRole::kLock:
      moment.state = OpenMpState::kLock;
      break;
    default:
      moment.state = OpenMpState::kRuntime;
  }
  return moment;
}

void OpenMpChains::LearnCaller(std::size_t at) {
  OutlinedFunction& region = regions_[chain_[at]->region];
  std::size_t end = at + 1;
  while (end < chain_.size() && chain_[end]->kind == Kind::kRuntime) ++end;
  if (end == at + 1) {
    // The chain ends, or was not recorded.
    if (end == chain_.size() && !region.is_task) region.is_region = true;
    return;
  }
  // The runtime calls a region directly: from the exported call, or from the first function of its
  // threads. Tasks are run by functions in between.
  const bool is_parallel = chain_[at + 1]->role == OpenMpRole::kParallel;
  const bool is_outermost =
      end == at + 2 && (end == chain_.size() || chain_[end]->kind == Kind::kSystem);
  if (!is_parallel && !is_outermost) {
    region.is_task = true;
    return;
  }
  region.is_region = true;
  if (end == chain_.size() || chain_[end]->kind == Kind::kSystem) return;
  // The first region that a chain contains for a call stays.
  calls_.emplace(std::pair{chain_[end]->address.module, chain_[end]->address.offset},
                 chain_[at]->region);
  if (region.in.empty() && chain_[end]->kind == Kind::kProgram &&
      chain_[end]->location != nullptr) {
    region.in = chain_[end]->location->function;
  }
}

OpenMpMoment OpenMpChains::OutsideRegions(std::size_t first, bool is_worker) const {
  std::size_t end = first;
  while (end < chain_.size() && chain_[end]->kind == Kind::kRuntime) ++end;
  const OpenMpRole role = RoleOfRun(first, end);
  OpenMpMoment moment;
  moment.state = OpenMpState::kRuntime;
  // Behind the runtime stands the program's call, or, in a thread of the runtime, the C library's
  // start of the thread.
  std::size_t program = end;
  while (program < chain_.size() && chain_[program]->kind == Kind::kSystem) ++program;
  if (program < chain_.size()) {
    // The thread that starts a region waits for its end. GOMP_parallel jumps to the function that
    // ends the region, so that a chain at the end does not contain GOMP_parallel.
    moment.call = chain_[program]->address;
    const bool is_gnu = IsGnu(profile_.modules[chain_[first]->address.module]);
    const bool starts = role == OpenMpRole::kFork || (role == OpenMpRole::kParallel && is_gnu);
    moment.state = role == OpenMpRole::kLock ? OpenMpState::kLock
                   : starts                  ? OpenMpState::kRuntime
                                             : OpenMpState::kBarrier;
    return moment;
  }
  // The chain was not recorded or was cut, so that the call is unknown.
  if (!is_worker) {
    if (role == OpenMpRole::kBarrier) moment.state = OpenMpState::kBarrier;
    return moment;
  }
  if (role == OpenMpRole::kBarrier) {
    moment.state = OpenMpState::kBarrier;
  } else if (role == OpenMpRole::kIdle ||
             (role == OpenMpRole::kNone && chain_[first]->roles_are_known &&
              IsGnu(profile_.modules[chain_[first]->address.module]))) {
    moment.state = OpenMpState::kIdle;
  } else {
    moment.state = OpenMpState::kBarrierOrIdle;
  }
  return moment;
}

std::optional<std::size_t> OpenMpChains::RegionOfCall(const CodeAddress& call) const {
  const auto it = calls_.find({call.module, call.offset});
  if (it == calls_.end()) return std::nullopt;
  return it->second;
}

}  // namespace csink::report
