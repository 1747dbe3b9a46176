#include "agent/attach/thread_events.h"

#include <errno.h>
#include <time.h>

#include <algorithm>

#include "core/perf/stack_sample.h"
#include "core/sampling/sampling_attr.h"
#include "core/util/errno_words.h"
#include "core/util/parse.h"

/// File: see the header. The first event of a processor owns its ring. When the thread of that
/// event ends, the descriptor and the ring stay, so that other events can still write there.

namespace csink::attach {
namespace {

// Bits that older kernels refuse (EINVAL, E2BIG), in the order in which they are given up:
// build-ids in mapping records (Linux 5.12), the depth of chains (4.8).
constexpr unsigned kDropBuildId = 1;
constexpr unsigned kDropMaxStack = 2;

void DropBits(perf_event_attr& attr, unsigned dropped) {
  if (dropped & kDropBuildId) attr.build_id = 0;
  if (dropped & kDropMaxStack) attr.sample_max_stack = 0;
}

unsigned NextBit(const perf_event_attr& attr) {
  if (attr.build_id) return kDropBuildId;
  if (attr.sample_max_stack) return kDropMaxStack;
  return 0;
}

Error FromOpen(int error) {
  switch (error) {
    case ESRCH:
      return {Errc::kNotFound, error, "the thread has ended"};
    case EACCES:
    case EPERM:
      return {Errc::kPermission, error, "perf_event_open is not permitted"};
    case EMFILE:
      return {Errc::kLimit, error, "the limit of open files is reached (ulimit -n)"};
    case ENFILE:
      return {Errc::kLimit, error, "the system's limit of open files is reached (fs.file-max)"};
    case EBUSY:
      return {Errc::kConflict, error, kCountersBusy};
    case ENOSYS:
      return {Errc::kUnsupported, error, "this kernel has no perf_event_open"};
    case ENOENT:
      return {Errc::kNoEvent, error, "this machine does not have the event"};
    default:
      return {ErrcFromErrno(error), error, "perf_event_open failed"};
  }
}

}  // namespace

std::vector<int> ParseCpuList(std::string_view text) {
  std::vector<int> cpus;
  std::string_view rest = Trimmed(text);
  while (!rest.empty()) {
    std::string_view range = NextToken(rest, ',');
    const auto first = ParseUnsigned(NextToken(range, '-'));
    if (!first) return {};
    std::uint64_t end = *first;
    if (!range.empty()) {
      const auto last = ParseUnsigned(range);
      if (!last) return {};
      end = *last;
    }
    // 64 Ki is more processors than Linux supports.
    if (end < *first || end >= 65536) return {};
    for (std::uint64_t cpu = *first; cpu <= end; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

ThreadEvents::ThreadEvents(Kernel& kernel, const EventList& events, std::vector<int> cpus,
                           const Options& options)
    : kernel_(kernel),
      list_(events),
      cpus_(std::move(cpus)),
      options_(options),
      ladders_(events.count),
      rings_(cpus_.size()),
      ring_owners_(cpus_.size(), -1),
      ring_bytes_(options.ring_bytes) {}

ThreadEvents::~ThreadEvents() {
  events_.clear();
  for (RingBuffer& ring : rings_) ring.Unmap(kernel_);
}

perf_event_attr ThreadEvents::AttrOf(std::size_t column, bool reports) const {
  SamplingOptions sampling;
  sampling.record_mappings = reports;
  perf_event_attr attr = MakeSamplingAttr(list_.events[column], sampling);
  attr.sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  // Records of several rings are sorted by their time, which is compared with our own clock.
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.inherit = 1;
  attr.remove_on_exec = 0;
  if (reports) {
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
  }
  if (options_.on_exec) {
    attr.disabled = 1;
    attr.enable_on_exec = 1;
  }
  if (options_.stacks) {
    attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr.exclude_callchain_kernel = 1;
    attr.sample_max_stack = StackSample::kMaxAddresses;
  }
  if (options_.stack_bytes != 0) AskForRegisters(attr, options_.stack_bytes);
  return attr;
}

Result<PerfEvent> ThreadEvents::Open(std::size_t column, bool reports, pid_t tid, int cpu) {
  perf_event_attr attr = AttrOf(column, reports);
  Ladder& ladder = ladders_[column];
  if (ladder.known) attr.precise_ip = ladder.precise & 3;
  const unsigned asked = attr.precise_ip;
  unsigned dropped = dropped_;
  DropBits(attr, dropped);
  for (;;) {
    const long fd = kernel_.PerfEventOpen(&attr, tid, cpu, -1);
    if (fd >= 0) {
      dropped_ = dropped;
      ladder = {static_cast<unsigned>(attr.precise_ip), true};
      return PerfEvent(kernel_, static_cast<int>(fd));
    }
    const int error = static_cast<int>(-fd);
    const bool too_new = error == EINVAL || error == E2BIG;
    if (attr.precise_ip > 0 && (too_new || error == EOPNOTSUPP || error == ENOENT)) {
      attr.precise_ip = attr.precise_ip - 1;
      continue;
    }
    const bool too_deep = error == EOVERFLOW && attr.sample_max_stack != 0;
    const unsigned bit = too_deep ? kDropMaxStack : too_new ? NextBit(attr) : 0;
    if (bit == 0) return FromOpen(error);
    dropped |= bit;
    DropBits(attr, bit);
    attr.precise_ip = asked & 3;
  }
}

Result<void> ThreadEvents::Connect(const PerfEvent& event, std::size_t cpu) {
  if (ring_owners_[cpu] >= 0) {
    const long r = kernel_.EventControl(event.fd(), PERF_EVENT_IOC_SET_OUTPUT,
                                        static_cast<unsigned long>(ring_owners_[cpu]));
    if (r < 0)
      return Error{ErrcFromErrno(static_cast<int>(-r)), static_cast<int>(-r),
                   "the event could not be given a ring"};
    return {};
  }
  const Result<void> mapped = rings_[cpu].MapAtMost(kernel_, event.fd(), ring_bytes_);
  if (!mapped) return mapped.error();
  ring_owners_[cpu] = event.fd();
  ring_bytes_ = std::min(ring_bytes_, rings_[cpu].data_bytes());
  return {};
}

Result<void> ThreadEvents::Add(PerfEvent event, std::size_t column, std::size_t cpu) {
  const int fd = event.fd();
  // Before Connect: CloseFrom must find the event if it owns the ring.
  events_.push_back({std::move(event), column});
  if (const Result<void> connected = Connect(events_.back().event, cpu); !connected) {
    return connected;
  }
  std::uint64_t identifier = 0;
  const long r =
      kernel_.EventControl(fd, PERF_EVENT_IOC_ID, reinterpret_cast<unsigned long>(&identifier));
  if (r < 0) return FromOpen(static_cast<int>(-r));
  origins_[identifier] = {static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(cpu)};
  return {};
}

void ThreadEvents::CloseFrom(std::size_t first) {
  // A ring whose owner goes is unmapped, since no event could be redirected to it any more.
  for (std::size_t i = 0; i < ring_owners_.size(); ++i) {
    bool goes = false;
    for (std::size_t k = first; k < events_.size(); ++k) {
      goes |= events_[k].event.fd() == ring_owners_[i];
    }
    if (ring_owners_[i] < 0 || !goes) continue;
    ring_owners_[i] = -1;
    rings_[i].Unmap(kernel_);
  }
  events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(first), events_.end());
}

Result<void> ThreadEvents::Attach(pid_t tid) {
  const std::size_t before = events_.size();
  // A thread that is sampled in part would distort the shares, so after a failure it has no event.
  const auto fail = [&](std::size_t column, const Error& error) -> Result<void> {
    failed_event_ = column;
    CloseFrom(before);
    return error;
  };
  // By column: success if a processor has the event, else why the last one refused it.
  std::vector<Result<void>> found(list_.count,
                                  Error{Errc::kNoEvent, ENODEV, "no processor is online"});
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    bool reports = true;
    for (std::size_t column = 0; column < list_.count; ++column) {
      Result<PerfEvent> event = Open(column, reports, tid, cpus_[cpu]);
      if (!event) {
        const Error& error = event.error();
        // The processor went offline after the list was read.
        if (error.sys_errno == ENODEV && reports) break;
        if (error.code != Errc::kNoEvent) return fail(column, error);
        if (!found[column]) found[column] = error;
        continue;
      }
      if (const auto added = Add(std::move(*event), column, cpu); !added) {
        return fail(column, added.error());
      }
      reports = false;
      found[column] = {};
    }
  }
  for (std::size_t column = 0; column < list_.count; ++column) {
    if (!found[column]) return fail(column, found[column].error());
  }
  return {};
}

std::optional<ThreadEvents::Origin> ThreadEvents::OriginOf(std::uint64_t identifier) const {
  const auto found = origins_.find(identifier);
  if (found == origins_.end()) return std::nullopt;
  return found->second;
}

std::uint64_t ThreadEvents::ClockNs() const {
  std::size_t column = 0;
  while (column < list_.count && list_.events[column].kind != EventClass::kClock) ++column;
  std::uint64_t sum = 0;
  // A clock counts the time on the processor, although it is sampled in user mode alone.
  for (const Opened& opened : events_) {
    std::uint64_t values[4] = {};
    if (opened.column == column &&
        kernel_.EventRead(opened.event.fd(), values, sizeof values) >= 8) {
      sum += values[0];
    }
  }
  return sum;
}

unsigned ThreadEvents::FullestEighths() const {
  std::uint64_t fullest = 0;
  for (const RingBuffer& ring : rings_) {
    if (ring.mapped()) fullest = std::max(fullest, ring.pending_bytes() * 8 / ring.data_bytes());
  }
  return static_cast<unsigned>(fullest);
}

}  // namespace csink::attach
