#include "core/counting/counter_sets/perf_counter_set.h"

#include <algorithm>

#include "core/util/thread_id.h"

// Configure makes a plan (MakePlan: which open events stay, by request), opens the new events
// beside the old ones (Add) or everything anew (Replace), and then builds the tables that reads use
// (BuildTable). Where the kernel refuses an event, the new ones are closed again and the set is as
// it was. Reading is in perf_counter_read_signal.cpp.

namespace csink {
namespace {

using Kind = CountingTarget::Kind;
using Multiplex = CountingOptions::Multiplex;

// Equal requests may keep an open event. With kNone the other members have no meaning.
bool Same(const SamplingRequest& a, const SamplingRequest& b) {
  if (a.delivery != b.delivery) return false;
  if (a.delivery == SamplingRequest::Delivery::kNone) return true;
  return a.period == b.period && a.cookie == b.cookie && a.signal == b.signal &&
         a.data_address == b.data_address && a.exact_pc == b.exact_pc;
}

bool Same(const CounterRequest& a, const CounterRequest& b) {
  return a.event == b.event && Same(a.sampling, b.sampling);
}

bool Same(const CountingTarget& a, const CountingTarget& b) {
  if (a.kind != b.kind || a.inherit != b.inherit) return false;
  return a.kind == Kind::kThread ? a.tid == b.tid : a.kind != Kind::kCpu || a.cpu == b.cpu;
}

// Whether open events stay usable. The time slice is not compared: it belongs to the timer.
bool SameOpening(const CountingOptions& a, const CountingOptions& b) {
  return Same(a.target, b.target) && a.domain == b.domain && a.multiplex == b.multiplex;
}

// 0 for a processor: the events then count all threads that run on it.
pid_t CountedTid(const CountingTarget& target) {
  if (target.kind == Kind::kThread) return target.tid;
  return target.kind == Kind::kCpu ? 0 : AskTid();
}

Scaling ScalingOf(Multiplex multiplex) {
  switch (multiplex) {
    case Multiplex::kKernel:
      return Scaling::kRunning;
    case Multiplex::kSoftware:
      return Scaling::kTurns;
    default:
      return Scaling::kNone;
  }
}

Result<void> CheckOptions(std::span<const CounterRequest> requests,
                          const CountingOptions& options) {
  if (options.target.kind == Kind::kThread && options.target.tid <= 0) {
    return Error{Errc::kInvalid, 0, "there is no such thread"};
  }
  if (options.target.kind == Kind::kCpu && options.target.cpu < 0) {
    return Error{Errc::kInvalid, 0, "there is no such processor"};
  }
  // Software multiplexing switches the groups in a tick of the counted thread's CPU time; a
  // processor has no such clock.
  if (options.multiplex == Multiplex::kSoftware && options.target.kind == Kind::kCpu) {
    return Error{Errc::kUnsupported, 0, "software multiplexing can count threads, not processors"};
  }
  for (const CounterRequest& request : requests) {
    using Delivery = SamplingRequest::Delivery;
    if (request.sampling.delivery != Delivery::kNone && request.sampling.period == 0) {
      return Error{Errc::kInvalid, 0, "sampling needs a sampling period"};
    }
  }
  return {};
}

}  // namespace

// What of the present configuration stays. new_index[i]: the new number of counter i; kGone: it is
// removed.
struct PerfCounterSet::Plan {
  static constexpr std::uint32_t kGone = UINT32_MAX;
  std::vector<std::uint32_t> new_index;
  std::vector<bool> is_new;  ///< By request: has no open event yet
  bool replace = false;      ///< No open event can stay
};

PerfCounterSet::PerfCounterSet(Kernel& kernel, CountableEvents& events) noexcept
    : kernel_(kernel), events_(events) {
  table_.kernel = &kernel;
  table_.instructions = &NativeCounterInstructions();
}

PerfCounterSet::~PerfCounterSet() {
  // A destructor has nowhere to report a failure.
  // Before the events are closed: the slice timer's handler must not switch groups that are going.
  if (running_) (void)SwitchOff();
  CloseAll(opened_);
}

void PerfCounterSet::CloseAll(std::vector<OpenedGroup>& groups) noexcept {
  // Members first: when a leader closes, the kernel makes each of its members a group of its own.
  for (OpenedGroup& group : groups) {
    while (!group.events.empty()) {
      CloseEvent(group.events.back(), events_.memory(), kernel_);
      group.events.pop_back();
    }
  }
  groups.clear();
}

PerfCounterSet::Plan PerfCounterSet::MakePlan(std::span<const CounterRequest> requests,
                                              const CountingOptions& options) const {
  Plan plan;
  plan.new_index.assign(requests_.size(), Plan::kGone);
  plan.is_new.assign(requests.size(), true);
  plan.replace = requests_.empty() || !SameOpening(options, options_) ||
                 // An event of the caller counts the thread that opened it, whoever reads it.
                 (options.target.kind == Kind::kCaller && owner_thread_ != ThisThread());
  if (plan.replace) return plan;
  std::size_t from = 0;  // the search starts behind the last match: the order rarely changes
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    for (std::size_t step = 0; step < requests_.size(); ++step) {
      const std::size_t old = (from + step) % requests_.size();
      if (plan.new_index[old] != Plan::kGone || !Same(requests_[old], requests[i])) continue;
      plan.new_index[old] = i;
      plan.is_new[i] = false;
      from = old + 1;
      break;
    }
  }
  const bool adds = std::count(plan.is_new.begin(), plan.is_new.end(), true) > 0;
  for (const OpenedGroup& group : opened_) {
    // A group ends with its leader, so a new event must not join a group whose leader is removed.
    if (plan.new_index[group.events.front().counter] != Plan::kGone) continue;
    plan.replace = plan.replace || adds;
    for (const OpenedEvent& event : group.events) {
      // A member that stays would lose its leader.
      plan.replace = plan.replace || plan.new_index[event.counter] != Plan::kGone;
    }
  }
  if (plan.replace) plan.is_new.assign(requests.size(), true);
  return plan;
}

Result<void> PerfCounterSet::OpenPlanned(std::span<const CounterRequest> requests,
                                         const CountingOptions& options, const Plan& plan,
                                         std::vector<OpenedGroup>& groups) {
  EventOpener opener(kernel_, events_.memory(), options,
                     options.multiplex == Multiplex::kSoftware ? events_.CountersAtOnce() : 0);
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    if (!plan.is_new[i]) continue;
    CountableEvent event;
    if (!events_.Encode(requests[i].event, event)) {
      return Error{Errc::kNoEvent, 0, "there is no such event"};
    }
    if (const auto r = opener.Open(groups, event, requests[i].sampling, i); !r) return r;
  }
  // The kernel opens more events than it has counters for, so success alone does not mean that they
  // count.
  return opener.CheckScheduling(groups);
}

// The options, with multiplexing by us instead of the kernel's where some counters do not count:
// the kernel does not know which and assigns events to all counters in turn.
CountingOptions PerfCounterSet::Usable(const CountingOptions& options) {
  CountingOptions usable = options;
  if (options.multiplex != Multiplex::kKernel || options.target.kind != Kind::kCaller) {
    return usable;
  }
  (void)events_.CountersAtOnce();  // finds dead counters as a side effect
  if (events_.memory().HasDead()) usable.multiplex = Multiplex::kSoftware;
  return usable;
}

Result<void> PerfCounterSet::Configure(std::span<const CounterRequest> requests,
                                       const CountingOptions& wanted) {
  if (running_) return Error{Errc::kInvalid, 0, "the counters are running"};
  if (const Result<void> possible = CheckOptions(requests, wanted); !possible) return possible;
  const CountingOptions options = Usable(wanted);
  // PAPI programs add events one by one, and each PAPI_add_event configures the set: to keep what
  // is open makes adding N events N opens instead of N * N / 2.
  const Plan plan = MakePlan(requests, options);
  Result<void> done = plan.replace ? Replace(requests, options) : Add(requests, options, plan);
  // Removed events still held their counters while the new events were opened into the same group.
  // Without them the new ones may fit.
  const bool drops = std::count(plan.new_index.begin(), plan.new_index.end(), Plan::kGone) > 0;
  if (!done && done.error().code == Errc::kConflict && !plan.replace && drops) {
    done = Replace(requests, options);
  }
  if (!done) return done;
  requests_.assign(requests.begin(), requests.end());
  options_ = options;
  // Only after success, as everything below: a refused change leaves the set as it was.
  owner_thread_ = ThisThread();
  counted_tid_ = requests.empty() ? 0 : CountedTid(options.target);
  MapPages(requests);
  BuildTable(options);
  return {};
}

Result<void> PerfCounterSet::Replace(std::span<const CounterRequest> requests,
                                     const CountingOptions& options) {
  Plan plan;
  plan.is_new.assign(requests.size(), true);
  std::vector<OpenedGroup> groups;
  const Result<void> opened = OpenPlanned(requests, options, plan, groups);
  // The old events are closed after the new ones are open. While both are open they may share the
  // counters: pinned events that are disabled hold none.
  if (opened) opened_.swap(groups);
  CloseAll(groups);
  return opened;
}

Result<void> PerfCounterSet::Add(std::span<const CounterRequest> requests,
                                 const CountingOptions& options, const Plan& plan) {
  std::vector<std::size_t> before;
  for (const OpenedGroup& group : opened_) before.push_back(group.events.size());
  // New events have their final numbers already. The old events get theirs here, after success.
  const Result<void> opened = OpenPlanned(requests, options, plan, opened_);
  KeepLastCounts();
  if (opened) {
    for (std::size_t g = 0; g < before.size(); ++g) {
      auto& events = opened_[g].events;
      for (std::size_t e = 0; e < before[g]; ++e) {
        events[e].counter = plan.new_index[events[e].counter];
      }
    }
    DropUnused();
    return {};
  }
  // Undo: close the groups and the members that were added.
  while (opened_.size() > before.size()) {
    std::vector<OpenedGroup> last;
    last.push_back(std::move(opened_.back()));
    opened_.pop_back();
    CloseAll(last);
  }
  for (std::size_t g = 0; g < before.size(); ++g) {
    while (opened_[g].events.size() > before[g]) opened_[g].events.pop_back();
  }
  return opened;
}

// CheckScheduling may have let old events count. Brings the slots and the open events to the same
// last counts. Slots are in the order of the events; new events stand behind the old ones of their
// group.
void PerfCounterSet::KeepLastCounts() noexcept {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::uint32_t e = 0; e < groups_[g].count; ++e) {
      RawCount& now = slots_[groups_[g].first + e].now;
      RawCount& checked = opened_[g].events[e].now;
      if (checked.value < now.value || checked.enabled_ns < now.enabled_ns) {
        checked = now;
      } else {
        now = checked;
      }
    }
  }
}

void PerfCounterSet::DropUnused() {
  for (OpenedGroup& group : opened_) {
    for (std::size_t e = group.events.size(); e-- > 0;) {
      if (group.events[e].counter != Plan::kGone) continue;
      // Closed, not passed to CountingMemory: a kept event would stay a member of its group and
      // would be read with the group.
      group.events.erase(group.events.begin() + static_cast<std::ptrdiff_t>(e));
    }
  }
  std::erase_if(opened_, [](const OpenedGroup& group) { return group.events.empty(); });
}

// An event has one mapping: a page for user-space reads, or the ring of its sampling. On Linux 6.16
// and later the ring of a member also takes the records of its leader (PERF_EVENT_IOC_SET_OUTPUT),
// and the leader must then have no mapping. So a set that samples is read by read(2), as is a set
// with so many counters that read(2) is faster.
void PerfCounterSet::MapPages(std::span<const CounterRequest> requests) {
  const bool by_kernel =
      requests.size() > events_.memory().user_reads_at_most.load(std::memory_order_relaxed) ||
      std::any_of(requests.begin(), requests.end(), [](const CounterRequest& request) {
        return request.sampling.delivery != SamplingRequest::Delivery::kNone;
      });
  for (OpenedGroup& group : opened_) {
    for (OpenedEvent& event : group.events) {
      if (by_kernel || !event.user_reads) {
        event.page = {};
      } else if (!event.page.get()) {
        event.page = MapEventPage(event, kernel_);
      }
    }
  }
}

void PerfCounterSet::BuildTable(const CountingOptions& options) {
  slots_.clear();
  groups_.clear();
  table_.user_reads = false;
  for (const OpenedGroup& opened : opened_) {
    CounterGroup group;
    group.leader_fd = opened.events.front().event.fd();
    // The last member: the only one that was opened with PERF_FORMAT_GROUP (CounterGroup).
    group.read_fd = opened.events.back().event.fd();
    group.first = static_cast<std::uint32_t>(slots_.size());
    group.count = static_cast<std::uint32_t>(opened.events.size());
    // A single pinned event that loses its counter makes read(2) return nothing, which is seen; a
    // member of a group reads as before.
    group.may_stand_still = group.count > 1 && opened.Pmu() != 0;
    group.may_jump = opened.Pmu() == PERF_TYPE_RAW;
    groups_.push_back(group);
    for (const OpenedEvent& event : opened.events) {
      // Base and now are equal: every counter begins at zero.
      slots_.push_back({event.page.get(), event.counter, event.now, event.now});
      table_.user_reads = table_.user_reads || event.page.get();
    }
  }
  values_.assign(requests_.size(), {});
  // Made here, because Stop may be called in a handler, where nothing can be allocated.
  scratch_.assign(requests_.size(), 0);
  table_.slots = slots_.data();
  table_.slot_count = slots_.size();
  table_.groups = groups_.data();
  table_.group_count = groups_.size();
  table_.values = values_.data();
  table_.value_count = values_.size();
  table_.scaling = ScalingOf(options.multiplex);
  table_.plain_user =
      table_.scaling == Scaling::kNone && slots_.size() == values_.size() && table_.user_reads;
  // A fake kernel of the tests must see each read.
  table_.direct = &kernel_ == &RealKernel();
  table_.owner_thread = owner_thread_;
  written_ = false;
  BuildQuickRead();
}

void PerfCounterSet::BuildQuickRead() noexcept {
  may_be_quick_ = table_.direct && table_.scaling == Scaling::kNone && !table_.user_reads &&
                  groups_.size() == 1 && slots_.size() == values_.size();
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    may_be_quick_ = may_be_quick_ && slots_[i].counter == i;
  }
  if (!may_be_quick_) return;
  const CounterGroup& group = groups_.front();
  quick_.fd = group.read_fd;
  quick_.bytes = static_cast<long>(AnswerWords(group.count) * sizeof(std::uint64_t));
  quick_.first = FirstCountWord(group.count);
  quick_.count = group.count;
  quick_.slots = slots_.data();
  quick_.values = values_.data();
  quick_.suspect_bits = group.may_jump ? ~std::uint64_t{0} << (kJumpBit - 1) : 0;
  quick_.running_ns = group.may_stand_still ? &slots_.front().now.running_ns : nullptr;
}

Result<void> PerfCounterSet::Start() {
  if (running_) return Error{Errc::kInvalid, 0, "the counters are running"};
  if (options_.target.kind == Kind::kCaller && owner_thread_ != ThisThread() &&
      // Events that count the caller count the thread that opened them. Another thread starts the
      // set now, so the events are opened anew.
      !requests_.empty()) {
    const std::vector<CounterRequest> requests = requests_;
    // Configure sets the counts to zero. Written values must survive it.
    const auto values = values_;
    const bool written = written_;
    if (const Result<void> anew = Configure(requests, options_); !anew) return anew;
    for (std::size_t i = 0; i < values.size(); ++i) values_[i] = values[i];
    written_ = written;
  }
  // Values that were written while the set was stopped are the start; otherwise a start begins at
  // zero.
  if (written_) {
    RebaseSlots(table_);
  } else {
    Rebase(table_, nullptr);
  }
  running_ = true;  // before the events count: their overflow handler may read the set
  switched_on_.store(true, std::memory_order_seq_cst);
  const Result<void> on = SwitchOn();
  running_ = on.has_value();
  if (!on) switched_on_.store(false, std::memory_order_seq_cst);
  if (on) written_ = false;
  return on;
}

Result<void> PerfCounterSet::Stop() {
  if (!running_) return Error{Errc::kInvalid, 0, "the counters are not running"};
  // First, so that a tick that comes now does not switch a group on again.
  switched_on_.store(false, std::memory_order_seq_cst);
  const Result<void> off = SwitchOff();
  running_ = false;
  if (!off) return off;
  // Where this read fails, Read returns the last values shown.
  const Result<void> read = Refresh(table_, false);
  if (HasValues(read)) Evaluate(table_, scratch_.data());
  return read;
}

int PerfCounterSet::fd(std::size_t i) const noexcept {
  for (const OpenedGroup& group : opened_) {
    for (const OpenedEvent& event : group.events) {
      if (event.counter == i) return event.event.fd();
    }
  }
  return -1;
}

int PerfCounterSet::leader_fd(std::size_t i) const noexcept {
  for (const OpenedGroup& group : opened_) {
    for (const OpenedEvent& event : group.events) {
      if (event.counter == i) return group.events.front().event.fd();
    }
  }
  return -1;
}

void PerfCounterSet::ForgetAfterFork() noexcept {
  switched_on_.store(false, std::memory_order_relaxed);
  turns_.ForgetAfterFork();
  for (OpenedGroup& group : opened_) {
    // The mapping itself was not copied by the fork (the kernel marks it VM_DONTCOPY), so unmapping
    // it could hit something else at that address.
    for (OpenedEvent& event : group.events) event.page.Forget();
  }
  opened_.clear();  // closes the descriptors; see PerfEvent on why nothing else is allowed here
  requests_.clear();
  slots_.clear();
  groups_.clear();
  values_.clear();
  table_.slot_count = table_.group_count = table_.value_count = 0;
  table_.user_reads = may_be_quick_ = false;
  table_.turns.ResetAfterFork();
  running_ = written_ = false;
  counted_tid_ = 0;
}

}  // namespace csink
