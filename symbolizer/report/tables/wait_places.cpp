#include "symbolizer/report/tables/wait_places.h"

#include <utility>

#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/tables/callers.h"
#include "symbolizer/report/tables/ranks.h"
#include "symbolizer/report/wording/wait_words.h"

namespace csink::report {
namespace {

/// Whether the function has a name of a symbol or of a JIT's map. All other names are made of the
/// module and an address, or are those of PLT entries.
bool IsNamed(const WaitFrame& frame) {
  const auto source = frame.location->source;
  return source == symbolizer::NameSource::kSymbol || source == symbolizer::NameSource::kPerfMap;
}

/// The outermost function of MPI on a stack: those below it are MPI's own.
std::string MpiCallOf(const std::vector<WaitFrame>& frames) {
  std::string call;
  for (const WaitFrame& frame : frames) {
    if (frame.module != nullptr && IsMpiLibrary(DisplayName(*frame.module))) call = frame.function;
  }
  return call;
}

/// The agent knows some objects of glibc by their memory; the others are told by the functions that
/// wait, which are those up to `own`.
void TellKind(const std::vector<WaitFrame>& frames, std::size_t own, WaitPlace& place) {
  for (std::size_t i = 0; place.kind == spool::WaitKind::kFutex && i <= own; ++i) {
    const spool::WaitKind told = KindOfFunction(frames[i].function);
    if (told == spool::WaitKind::kUnknown) continue;
    place.kind = told;
    place.told_by = frames[i].function;
    if (frames[i].module != nullptr) place.told_in = DisplayName(*frames[i].module);
  }
}

/// The callers of `own`. Direct recursion is one step.
std::vector<std::string> PathOf(const std::vector<WaitFrame>& frames, std::size_t own) {
  std::vector<std::string> path;
  for (std::size_t i = own + 1; i < frames.size(); ++i) {
    if (frames[i].function == kAgentCode) continue;
    const std::string& inner = path.empty() ? frames[own].function : path.back();
    if (frames[i].function != inner) path.push_back(frames[i].function);
  }
  return path;
}

/// The place of one record, with its stack in functions.
WaitPlace PlaceOf(const Profile& profile, const WaitStacks& stacks, const WaitSite& site) {
  const std::vector<WaitFrame> frames = stacks.Of(InsideOf(site), site.caller);
  const std::size_t own = WaitStacks::OwnOf(frames);
  const std::uint32_t machine = profile.waits.machine;
  WaitPlace place;
  place.kind = site.kind;
  if (own < frames.size()) {
    place.own = frames[own];
    TellKind(frames, own, place);
    place.path = PathOf(frames, own);
    // Only the comparison of ranks uses the name.
    if (profile.ranks.rows.size() >= 2) place.mpi_call = MpiCallOf(frames);
  }
  if (place.own.function.empty()) place.own.function = "[unknown]";
  if (machine != 0) place.call = SystemCallName(machine, site.system_call);
  place.primitive = WaitWords(place.kind, site.descriptor, place.call);
  return place;
}

}  // namespace

std::vector<WaitFrame> WaitStacks::Of(const CodeAddress& inner, std::uint32_t caller) const {
  std::vector<WaitFrame> frames;
  if (inner.module < profile_.modules.size()) frames.push_back(FrameAt(inner));
  const std::vector<Caller>& callers = profile_.waits.callers;
  // A parent has a smaller index than its child, so that the walk ends.
  for (std::uint32_t at = caller; at != 0 && at < callers.size(); at = callers[at].parent) {
    if (!callers[at].IsEmpty()) frames.push_back(FrameAt(CallSite(callers[at])));
    if (callers[at].IsCut()) frames.push_back({nullptr, nullptr, kCutName});
  }
  return frames;
}

std::size_t WaitStacks::OwnOf(const std::vector<WaitFrame>& frames) {
  // The first frame of the program, in case that none has a name.
  std::size_t unnamed = frames.size();
  // A program that makes the system call itself has its C library inside: it is static.
  bool in_library = !frames.empty() && frames[0].module != nullptr &&
                    !IsRuntimeModule(DisplayName(*frames[0].module));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].module == nullptr) continue;
    if (IsRuntimeModule(DisplayName(*frames[i].module))) continue;
    // A hook of ours, as the one of system(), is between the C library and the program.
    if (frames[i].function == kAgentCode) continue;
    in_library = in_library && IsWaitFunction(frames[i].function);
    // In a static program the innermost functions are those of the C library that wait. The first
    // other name ends them.
    if (in_library) continue;
    if (IsStandardFunction(frames[i].function)) continue;
    if (IsNamed(frames[i])) return i;
    if (unnamed == frames.size()) unnamed = i;
  }
  if (unnamed != frames.size()) return unnamed;
  return 0;
}

WaitFrame WaitStacks::FrameAt(const CodeAddress& address) const {
  const Module& module = profile_.modules[address.module];
  const symbolizer::Location& location = names_.Of(address);
  // The same names as in the tables of samples (function_rows.cpp).
  std::string name = location.function;
  if (IsNameless(module, location)) name = kAnonymousCode;
  if (name.empty()) name = DisplayName(module);
  return {&location, &module, std::move(name)};
}

std::vector<WaitPlace> PlacesOfWaits(const Profile& profile, const Names& names) {
  const WaitStacks stacks(profile, names);
  std::vector<WaitPlace> places;
  for (const WaitSite& site : profile.waits.sites) {
    places.push_back(PlaceOf(profile, stacks, site));
  }
  return places;
}

}  // namespace csink::report
