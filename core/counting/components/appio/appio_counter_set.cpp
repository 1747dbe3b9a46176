#include "core/counting/components/appio/appio_counter_set.h"

#include <algorithm>

#include "core/counting/components/appio/appio_events.h"
#include "core/machine/clocks.h"
#include "core/util/thread_id.h"

namespace csink::appio {
namespace {

Error Running() { return {Errc::kInvalid, 0, "the counters are running"}; }

long long ValueOf(const Event& event, const long long* now, const long long* base) noexcept {
  const long long growth = now[event.place] - base[event.place];
  switch (event.kind) {
    case Kind::kGrowth:
      return growth;
    case Kind::kMicroseconds:
      return growth / 1000;
    case Kind::kMean: {
      const long long calls = now[event.of] - base[event.of];
      return calls != 0 ? growth / calls : 0;
    }
    default:
      return std::max(growth, 0LL);
  }
}

}  // namespace

AppioCounterSet::~AppioCounterSet() {
  if (running()) library_.counting(-1);
}

Result<void> AppioCounterSet::Configure(std::span<const CounterRequest> requests,
                                        const CountingOptions& options) {
  if (running()) return Running();
  if (options.target.kind != CountingTarget::Kind::kCaller || options.target.inherit) {
    return Error{Errc::kUnsupported, 0,
                 "appio counts the calling thread only: no other thread, processor or child can be "
                 "selected"};
  }
  if (options.multiplex != CountingOptions::Multiplex::kOff) {
    return Error{Errc::kUnsupported, 0, "events of appio need no multiplexing"};
  }
  std::vector<std::size_t> events;
  for (const CounterRequest& request : requests) {
    if (request.sampling.delivery != SamplingRequest::Delivery::kNone) {
      return Error{Errc::kUnsupported, 0, "events of appio cannot overflow"};
    }
    if (request.event == 0 || request.event > std::uint32_t{kEventCount}) {
      return Error{Errc::kNoEvent, 0, "there is no such event"};
    }
    events.push_back(request.event - 1);
  }
  last_.assign(events.size(), 0);
  events_ = std::move(events);
  tid_ = AskTid();
  ran_ns_ = 0;
  return {};
}

void AppioCounterSet::Begin() noexcept {
  const long long* const now = library_.counts();
  std::copy(now, now + kPlaces, base_.begin());
}

Result<void> AppioCounterSet::ReadNow(long long* values) const noexcept {
  if (AskTid() != tid_) {
    return Error{Errc::kUnsupported, 0, "appio counts the thread that started the set"};
  }
  const long long* const now = library_.counts();
  for (std::size_t i = 0; i < events_.size(); ++i) {
    values[i] = ValueOf(kEvents[events_[i]], now, base_.data());
  }
  return {};
}

Result<void> AppioCounterSet::Start() {
  if (running()) return Running();
  tid_ = AskTid();
  library_.counting(1);
  Begin();
  started_ns_ = MonotonicNs();
  running_.store(true, std::memory_order_release);
  return {};
}

Result<void> AppioCounterSet::Stop() {
  if (!running()) return Error{Errc::kInvalid, 0, "the counters are not running"};
  running_.store(false, std::memory_order_release);
  ran_ns_ = MonotonicNs() - started_ns_;
  std::fill(last_.begin(), last_.end(), 0);
  const Result<void> read = ReadNow(last_.data());
  library_.counting(-1);
  return read;
}

Result<void> AppioCounterSet::Read(long long* values) noexcept {
  if (running()) return ReadNow(values);
  std::copy(last_.begin(), last_.end(), values);
  return {};
}

Result<void> AppioCounterSet::Reset() noexcept {
  if (!running()) {
    std::fill(last_.begin(), last_.end(), 0);
  } else if (AskTid() == tid_) {
    Begin();
  } else {
    return Error{Errc::kUnsupported, 0, "appio counts the thread that started the set"};
  }
  return {};
}

Result<void> AppioCounterSet::ReadAndReset(long long* values) noexcept {
  const Result<void> read = Read(values);
  return read ? Reset() : read;
}

Result<void> AppioCounterSet::Write(const long long*) noexcept {
  return Error{Errc::kUnsupported, 0, "events of appio cannot be written"};
}

void AppioCounterSet::Times(std::size_t, std::uint64_t* enabled_ns,
                            std::uint64_t* running_ns) const noexcept {
  *enabled_ns = *running_ns = running() ? MonotonicNs() - started_ns_ : ran_ns_;
}

void AppioCounterSet::ForgetAfterFork() noexcept {
  // The child's copy of the library counts for a set that does not run there.
  if (running_.exchange(false, std::memory_order_relaxed)) library_.counting(-1);
  events_.clear();
  last_.clear();
  ran_ns_ = 0;
}

}  // namespace csink::appio
