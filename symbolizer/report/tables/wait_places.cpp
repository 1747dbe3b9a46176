#include "symbolizer/report/tables/wait_places.h"

#include <utility>

#include "symbolizer/report/tables/callers.h"
#include "symbolizer/report/tables/function_key.h"
#include "symbolizer/report/tables/ranks.h"
#include "symbolizer/report/tables/wait_words.h"

namespace csink::report {
namespace {

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
  std::size_t unnamed = frames.size();
  // A program that makes the system call itself has its C library inside: it is static.
  bool in_library = !frames.empty() && frames[0].module != nullptr &&
                    !IsRuntimeModule(DisplayName(*frames[0].module));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].module == nullptr) continue;
    if (IsRuntimeModule(DisplayName(*frames[i].module))) continue;
    in_library = in_library && IsWaitFunction(frames[i].function);
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
  std::string name = location.function;
  if (IsNameless(module, location)) name = kAnonymousCode;
  if (name.empty()) name = DisplayName(module);
  return {&location, &module, std::move(name)};
}

WaitPlace PlaceOfWait(const WaitStacks& stacks, const WaitSite& site) {
  const std::vector<WaitFrame> frames = stacks.Of(InsideOf(site), site.caller);
  WaitPlace place;
  place.kind = site.kind;
  const std::size_t own = WaitStacks::OwnOf(frames);
  if (own >= frames.size()) return place;
  place.own = frames[own];
  place.mpi_call = MpiCallOf(frames);
  // The agent knows the objects of glibc; the others are told by the functions that wait.
  for (std::size_t i = 0; site.kind == spool::WaitKind::kFutex && i <= own; ++i) {
    const spool::WaitKind kind = KindOfFunction(frames[i].function);
    if (kind == spool::WaitKind::kUnknown) continue;
    place.kind = kind;
    break;
  }
  for (std::size_t i = own + 1; i < frames.size(); ++i) {
    // Direct recursion is one step.
    const std::string& name = frames[i].function;
    if (place.path.empty() ? name != place.own.function : name != place.path.back()) {
      place.path.push_back(name);
    }
  }
  return place;
}

}  // namespace csink::report
