#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/wording/openmp_words.h"

/// File: what the call chain of a sample, or of a blocked thread, tells about OpenMP: in which
/// region the thread was, and whether it worked or waited.

namespace csink::report {

/// What a thread did.
enum class OpenMpState {
  kNothing,  ///< No code of OpenMP was on the stack
  kWork,     ///< Code of a region, or what it called
  kBarrier,
  kLock,
  kRuntime,        ///< Other code of the runtime: scheduling, starting threads, waiting for tasks
  kIdle,           ///< A thread of the runtime that waits for the next region
  kBarrierOrIdle,  ///< One of both: the functions of the runtime do not tell which
};

/// The answer for one chain.
struct OpenMpMoment {
  OpenMpState state = OpenMpState::kNothing;
  /// Index into OpenMpChains::regions; nullopt: not on the stack.
  std::optional<std::size_t> region;
  /// Where the program called the runtime, if the chain has no region: the region of this call, if
  /// another chain tells it (OpenMpChains::RegionOfCall).
  CodeAddress call;
};

/// An outlined function.
struct OutlinedFunction {
  CodeAddress address;  ///< One of its addresses
  std::string function;
  std::string in;          ///< The function that called the region; empty: no chain has told it
  bool is_region = false;  ///< The runtime called it for a parallel region, or a chain is missing
  bool is_task = false;    ///< The runtime called it for a task
};

/// Reads chains. Remembers the functions of addresses, so that many chains of few addresses are
/// fast.
/// Threads: one.
class OpenMpChains {
 public:
  /// Asks `resolve` what the exported functions of a libgomp without symbols call.
  OpenMpChains(const Profile& profile, const Names& names, const Resolver& resolve);

  /// `inner`: the place. `caller`: an index into `callers`; 0: no chain. `is_worker`: the thread
  /// was started by the runtime.
  OpenMpMoment Read(const CodeAddress& inner, std::uint32_t caller,
                    const std::vector<Caller>& callers, bool is_worker);

  /// The region that the program's call at this address starts; nullopt: no chain has told it.
  std::optional<std::size_t> RegionOfCall(const CodeAddress& call) const;
  /// All outlined functions that were read so far.
  const std::vector<OutlinedFunction>& regions() const { return regions_; }

 private:
  enum class Kind { kProgram, kSystem, kRuntime, kOutlined };
  struct Frame {
    Kind kind = Kind::kProgram;
    OpenMpRole role = OpenMpRole::kNone;
    std::size_t region = 0;        ///< Of kOutlined
    bool roles_are_known = false;  ///< Of kRuntime: without a role it is no barrier
    CodeAddress address;
    const symbolizer::Location* location = nullptr;
  };

  const Frame& FrameAt(const CodeAddress& address);
  Frame MakeFrame(const CodeAddress& address);
  /// The frame of a caller; null for one that stands for unknown callers.
  const Frame* FrameOf(const std::vector<Caller>& callers, std::uint32_t caller);
  OpenMpMoment InRegion(std::size_t first, std::size_t at);
  OpenMpMoment OutsideRegions(std::size_t first, bool is_worker) const;
  void LearnCaller(std::size_t at);
  OpenMpRole RoleOfRun(std::size_t first, std::size_t end) const;

  const Profile& profile_;
  const Names& names_;
  /// By module: roles of functions without a name, by their start. Only of libgomp.
  std::map<std::uint32_t, std::map<std::uint64_t, OpenMpRole>> unnamed_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Frame> known_;  ///< By address
  /// Frames by caller, for each list of callers that was read; null: not asked yet.
  std::map<const Caller*, std::vector<const Frame*>> of_callers_;
  std::vector<const Frame*> chain_;  ///< The chain that is read
  std::unordered_map<FunctionKey, std::size_t, FunctionKeyHash> region_index_;
  std::vector<OutlinedFunction> regions_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> calls_;
};

}  // namespace csink::report
