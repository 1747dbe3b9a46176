#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstring>

#include "core/util/raw_syscall.h"
#include "profil/inside/python/python_frames.h"

/// File: where the address of the bytecode is. The order of the places is that of the votes of all
/// samples so far until there are enough. A sample in the loop itself has the address in a register
/// more recently than in memory.

namespace csink {

PythonFrames* PythonFrames::Map(const PythonInterpreter& interpreter) noexcept {
  const long r = RawSyscall(SYS_mmap, 0, sizeof(PythonFrames), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (r < 0 && r > -4096) return nullptr;
  auto* frames = reinterpret_cast<PythonFrames*>(r);
  frames->interpreter_ = interpreter;
  frames->codes_.Start(interpreter);
  return frames;
}

void PythonFrames::Clear() noexcept {
  const PythonInterpreter interpreter = interpreter_;
  RawSyscall(SYS_madvise, SyscallArg(this), sizeof(PythonFrames), MADV_DONTNEED);
  interpreter_ = interpreter;
  codes_.Start(interpreter);
}

bool PythonFrames::IsReady(CodeFacts& facts) noexcept {
  if (loop_state_ == Loop::kNotSearched && facts.may_ask()) {
    loop_state_ = loop_.Find(facts, interpreter_.eval) ? Loop::kFound : Loop::kNotFound;
  }
  return loop_state_ == Loop::kFound;
}

bool PythonFrames::ValueAt(std::size_t place, const EvalFrame& frame, const StackSample& sample,
                           std::uint64_t& value) const noexcept {
  if (place < kStackRegisters) {
    value = frame.registers[place];
    return (frame.known & (std::uint64_t{1} << place)) != 0;
  }
  const std::uint64_t word = frame.cfa - 8 * (place - kStackRegisters + 1);
  return word >= frame.registers[kStackPointerRegister] && sample.Word(word, value);
}

const CodeObjects::Code* PythonFrames::CodeAt(std::size_t place, const EvalFrame& frame,
                                              const StackSample& sample, RegionIndex& regions,
                                              SpoolWriter& spool, std::uint64_t reach,
                                              std::uint64_t& value) noexcept {
  // The program's stack holds no code objects, and many of its own addresses.
  constexpr std::uint64_t kStackReach = 1u << 20;
  if (!ValueAt(place, frame, sample, value) || !CodeObjects::IsPlausible(value) ||
      value - (sample.stack_pointer() - kStackReach) < 2 * kStackReach) {
    return nullptr;
  }
  const CodeObjects::Code* code = codes_.Find(value, regions, spool, reach);
  return code && !code->is_shim ? code : nullptr;
}

void PythonFrames::Vote(const EvalFrame& frame, const StackSample& sample, RegionIndex& regions,
                        SpoolWriter& spool) noexcept {
  ++voters_;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (place == kStackPointerRegister || place == kPcRegister) continue;
    std::uint64_t value = 0;
    const CodeObjects::Code* code =
        CodeAt(place, frame, sample, regions, spool, CodeObjects::kNear, value);
    if (!code) continue;
    ++votes_[place];
    if (value == code->begin) ++begin_votes_[place];
  }
  Sort();
}

void PythonFrames::Sort() noexcept {
  order_count_ = line_count_ = 0;
  begin_place_plus_one_ = 0;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (place >= kStackRegisters && begin_votes_[place] * 10 >= voters_ * 9 &&
        begin_place_plus_one_ == 0) {
      begin_place_plus_one_ = place + 1;
    }
    const auto insert = [&](std::uint8_t* order, std::size_t& count, const auto& votes_of) {
      if (votes_of(place) * kLeastPart <= voters_) return;
      std::size_t at = count++;
      for (; at > 0 && votes_of(order[at - 1]) < votes_of(place); --at) order[at] = order[at - 1];
      order[at] = static_cast<std::uint8_t>(place);
    };
    insert(order_, order_count_, [&](std::size_t of) { return votes_[of]; });
    insert(line_order_, line_count_, [&](std::size_t of) { return votes_[of] - begin_votes_[of]; });
  }
}

spool::PythonStateRecord* PythonFrames::State(SpoolWriter& spool) noexcept {
  if (state_plus_one_ == 0) {
    spool::PythonStateRecord record = {};
    record.version = interpreter_.version;
    const std::uint32_t id = spool.Add(record);
    if (id == spool::kNone) return nullptr;
    state_plus_one_ = id + 1;
  }
  return spool.At<spool::PythonStateRecord>(state_plus_one_ - 1);
}

void PythonFrames::Learn(const StackSample& sample, CodeFacts& facts, RegionIndex& regions,
                         SpoolWriter& spool) noexcept {
  EvalFrame frame;
  spool::ChainEnd why = spool::ChainEnd::kUnknown;
  if (voters_ < kVoters && IsReady(facts) && FindEvalFrame(sample, facts, loop_, frame, why)) {
    Vote(frame, sample, regions, spool);
    codes_.End();
  }
}

bool PythonFrames::PlaceOf(const StackSample& sample, CodeFacts& facts, RegionIndex& regions,
                           SpoolWriter& spool, Place& place, bool& short_copy) noexcept {
  short_copy = false;
  spool::PythonStateRecord* const state = State(spool);
  if (!state || !IsReady(facts)) return false;
  EvalFrame frame;
  spool::ChainEnd why = spool::ChainEnd::kUnknown;
  if (!FindEvalFrame(sample, facts, loop_, frame, why)) {
    short_copy = why == spool::ChainEnd::kCopyEnded;
    // Code that no Python function called, as that of another thread, is complete without one.
    const bool is_outside = why == spool::ChainEnd::kOutermost || why == spool::ChainEnd::kMain ||
                            why == spool::ChainEnd::kThread;
    StoreLive(is_outside ? state->outside : state->cut,
              (is_outside ? state->outside : state->cut) + 1);
    return false;
  }
  if (voters_ < kVoters) Vote(frame, sample, regions, spool);
  const CodeObjects::Code* code = nullptr;
  std::uint64_t value = 0;
  // The place with most votes is worth a long search.
  const auto try_place = [&](std::size_t place_index, bool is_best) {
    code = CodeAt(place_index, frame, sample, regions, spool,
                  is_best ? CodeObjects::kFar : CodeObjects::kNear, value);
  };
  if (begin_place_plus_one_ != 0) {
    try_place(begin_place_plus_one_ - 1, true);
  } else if (frame.is_leaf) {
    for (std::size_t i = 0; i < order_count_ && !code; ++i) {
      if (order_[i] < kStackRegisters) try_place(order_[i], i == 0);
    }
  }
  for (std::size_t i = 0; i < order_count_ && !code; ++i) try_place(order_[i], i == 0);
  if (!code || code->id == spool::kNone) {
    StoreLive(state->nameless, state->nameless + 1);
    return false;
  }
  StoreLive(state->named, state->named + 1);
  const CodeObjects::Code found = *code;
  place = {found.id, spool::kNoInstruction, frame.is_leaf, frame.callers};
  if (value > found.begin) {
    place.instruction = static_cast<std::uint32_t>(value - found.begin);
    return true;
  }
  for (std::size_t i = 0; i < line_count_; ++i) {
    std::uint64_t next = 0;
    if (!ValueAt(line_order_[i], frame, sample, next) || next <= found.begin || next > found.end ||
        next % 2 != 0) {
      continue;
    }
    place.instruction = static_cast<std::uint32_t>(next - found.begin);
    break;
  }
  return true;
}

std::uint32_t PythonFrames::ChainOf(const StackSample& sample, CallerChains& chains,
                                    std::uint32_t chain, RegionIndex& regions, SpoolWriter& spool,
                                    bool& short_copy) noexcept {
  chains.facts().Begin(regions, true);
  Place place;
  const bool found = PlaceOf(sample, chains.facts(), regions, spool, place, short_copy);
  chains.facts().End();
  codes_.End();
  if (!found) return chain;
  // A chain without callers is not a part of another one.
  const auto* direct = spool.At<spool::ChainNode>(chain);
  const bool is_empty = direct && (direct->flags & spool::kChainEmpty) != 0;
  const std::uint32_t flags = spool::kChainPython | (place.is_leaf ? 0 : spool::kChainInC) |
                              (place.callers << spool::kChainCallersShift);
  const std::uint32_t node =
      chains.index().FindOrAdd(spool, is_empty ? 0 : chain, spool::kNone,
                               spool::PythonPc(place.code, place.instruction), flags);
  return node != 0 ? node : chain;
}

}  // namespace csink
