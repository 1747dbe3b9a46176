#include "agent/attach/session.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/machine/clocks.h"
#include "core/perf/stack_sample.h"
#include "profil/inside/regions/mapping_record.h"

/// File: see the header. Layout of the records: perf_event_open(2), and thread_events.h.

namespace csink::attach {
namespace {

// FORK and EXIT: pid, ppid, tid, ptid.
constexpr std::size_t kTaskPid = 8;
constexpr std::size_t kTaskParent = 12;
constexpr std::size_t kTaskTid = 16;
// COMM: pid, tid, name. MMAP, MMAP2: pid, tid, ...
constexpr std::size_t kCommPid = 8;
constexpr std::size_t kCommTid = 12;
constexpr std::size_t kCommName = 16;
constexpr std::size_t kMapPid = 8;
// LOST and THROTTLE.
constexpr std::size_t kLostIdentifier = 8;
constexpr std::size_t kThrottleIdentifier = 16;
constexpr std::uint16_t kMiscExec = 1 << 13;  // PERF_RECORD_MISC_COMM_EXEC
// Rounds of AttachTo: a process that makes threads faster than they can be attached must not keep
// it busy for ever. Threads of later rounds are mostly inherited anyway.
constexpr int kMostRounds = 20;
// Time until the FORK record of a thread that /proc shows is in its ring: the kernel writes it a
// few microseconds after the thread has become visible.
constexpr timespec kUntilForkRecord = {0, 1'000'000};
// A RingRecord over plain memory: the mask of a ring that never wraps.
constexpr std::uint64_t kNoWrap = (std::uint64_t{1} << 40) - 1;

pid_t Pid(const RingRecord& record, std::size_t at) { return static_cast<pid_t>(record.U32(at)); }

// The state of a process whose last thread has ended. The kernel writes the record of the end
// before the process becomes a zombie, whose status can be read; on a busy machine that takes a
// while.
std::optional<ProcessStat> StatOfEnded(const std::string& folder) {
  constexpr timespec kPause = {0, 200'000};
  constexpr int kMostPauses = 50;
  auto stat = ReadProcessStat(folder);
  for (int i = 0; i < kMostPauses && stat && !stat->HasEnded(); ++i) {
    nanosleep(&kPause, nullptr);
    stat = ReadProcessStat(folder);
  }
  return stat;
}

}  // namespace

std::uint64_t Session::OwnNs(const ProcessImage& image) const {
  if (image.pid() != root_) return 0;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  ProcessCpuNs(&user, &system);
  return user + system;
}

Result<Session::Attached> Session::AttachTo(pid_t pid, bool on_exec) {
  root_ = pid;
  on_exec_ = on_exec;
  root_began_ = !on_exec;
  const std::string folder = FolderOf(pid);
  const auto stat = ReadProcessStat(folder);
  if (!stat) return Error{Errc::kNotFound, ESRCH, "the process has ended"};
  images_[pid] = std::make_unique<ProcessImage>(surroundings_, pid, 0);
  ProcessImage& image = *images_[pid];
  Attached attached;
  image.ReadFacts();
  // Before an exec the mappings are those of the program that waits.
  if (!on_exec) attached.maps_were_read = image.ReadMaps();
  if (on_exec) {
    // What this process ran before its exec is a part of the tree's CPU time. It has one thread,
    // whose time is exact, while those of the process are multiples of 10 ms.
    const auto times = ReadTaskTimes(folder, pid);
    const std::uint64_t all = times ? times->run_ns : stat->user_ns + stat->system_ns;
    image.SetStart(0, 0, MonotonicNs());
    image.SetEarlierImages(stat->user_ns, all - std::min(all, stat->user_ns));
  } else {
    image.SetStart(stat->user_ns, stat->system_ns, MonotonicNs());
  }
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<pid_t> unknown;
    for (const pid_t tid : ThreadsOf(folder)) {
      if (!image.HasThread(tid)) unknown.push_back(tid);
    }
    if (round > 0 && !unknown.empty()) {
      // Threads of threads that have events inherit them; the others must be attached.
      nanosleep(&kUntilForkRecord, nullptr);
      Drain(/*all=*/true);
      std::erase_if(unknown, [&](pid_t tid) { return image.HasThread(tid); });
    }
    if (unknown.empty()) break;
    for (const pid_t tid : unknown) {
      const auto times = ReadTaskTimes(folder, tid);
      const Result<void> opened = events_.Attach(tid);
      if (!opened && opened.error().code == Errc::kNotFound) continue;
      if (opened) {
        ++attached.threads;
      } else {
        ++attached.refused;
        attached.why = opened.error();
        if (attached.threads == 0) return attached.why;
      }
      image.AddThread(tid, opened.has_value(), ThreadName(folder, tid), times ? &*times : nullptr,
                      MonotonicNs());
    }
  }
  if (attached.threads == 0) return Error{Errc::kNotFound, ESRCH, "the process has ended"};
  if (!on_exec) image.StartFromThreads(*stat);
  return attached;
}

void Session::Collect() {
  events_.Drain([this](const RingRecord& record) {
    const std::uint16_t size = record.size_bytes();
    const bool sample = record.type() == PERF_RECORD_SAMPLE;
    if (!sample && size < sizeof(perf_event_header) + kTrailerBytes) return;
    const std::uint64_t time = record.U64(sample ? kSampleTime : size - kTrailerTime);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    record.Bytes(0, bytes_.data() + at, size);
    entries_.push_back({time, at, size});
  });
}

void Session::Drain(bool all) {
  const std::uint64_t before = all ? ~std::uint64_t{0} : MonotonicNs();
  Collect();
  // Stable: records of one moment keep the order of their ring.
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
  std::size_t taken = 0;
  for (; taken < entries_.size() && entries_[taken].time_ns < before; ++taken) {
    const Entry& entry = entries_[taken];
    Take(RingRecord(bytes_.data(), kNoWrap, entry.at), entry.time_ns);
  }
  std::vector<unsigned char> left;
  std::vector<Entry> waiting;
  for (; taken < entries_.size(); ++taken) {
    const Entry& entry = entries_[taken];
    waiting.push_back({entry.time_ns, left.size(), entry.size_bytes});
    left.insert(left.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(entry.at),
                bytes_.begin() + static_cast<std::ptrdiff_t>(entry.at + entry.size_bytes));
  }
  bytes_ = std::move(left);
  entries_ = std::move(waiting);
}

void Session::ObserveWaits() {
  const std::uint64_t before_ns = ThreadCpuNs();
  Drain(/*all=*/false);
  if (root_began_) waits_->Moment(images_, root_, MonotonicNs(), before_ns);
}

ProcessImage& Session::ImageOf(pid_t pid) {
  std::unique_ptr<ProcessImage>& image = images_[pid];
  if (!image) {
    image = std::make_unique<ProcessImage>(surroundings_, pid, 0);
    image->ReadFacts();
    (void)image->ReadMaps();
    image->SetStart(0, 0, MonotonicNs());
  }
  return *image;
}

void Session::Take(const RingRecord& record, std::uint64_t time_ns) {
  switch (record.type()) {
    case PERF_RECORD_SAMPLE:
      TakeSample(record);
      break;
    case PERF_RECORD_FORK:
      TakeFork(record, time_ns);
      break;
    case PERF_RECORD_EXIT:
      TakeExit(record);
      break;
    case PERF_RECORD_COMM:
      TakeName(record, time_ns);
      break;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2: {
      char path[4096];
      RegionIndex::Mapping mapping;
      const pid_t pid = Pid(record, kMapPid);
      const std::string root = FolderOf(pid) + "/root";
      if (pid > 0 && ReadMappingRecord(record, mapping, path, sizeof path, root.c_str())) {
        ImageOf(pid).AddMapping(mapping);
      }
      break;
    }
    case PERF_RECORD_LOST:
    case PERF_RECORD_THROTTLE: {
      const bool lost = record.type() == PERF_RECORD_LOST;
      const auto origin =
          events_.OriginOf(record.U64(lost ? kLostIdentifier : kThrottleIdentifier));
      const auto image = images_.find(Pid(record, record.size_bytes() - kTrailerBytes));
      const auto root = image != images_.end() ? image : images_.find(root_);
      if (!origin || root == images_.end()) break;
      if (lost) root->second->OnLost(origin->column, record.U64(kLostCount));
      if (!lost) root->second->OnThrottled(origin->column);
      break;
    }
    default:
      break;
  }
}

void Session::TakeSample(const RingRecord& record) {
  const std::uint64_t identifier = record.U64(kSampleIdentifier);
  const auto origin = events_.OriginOf(identifier);
  const pid_t pid = Pid(record, kSamplePid);
  // -1: the thread had already left its process when the sample was taken.
  if (!origin || pid <= 0) return;
  ProcessImage::Sample sample;
  sample.column = origin->column;
  sample.origin = identifier;
  sample.tid = Pid(record, kSampleTid);
  sample.pc = record.U64(kSampleAddress);
  const EventSpec& spec = list_.events[origin->column];
  std::size_t at = kSampleRest;
  sample.weight = spec.period;
  if (spec.period == 0) {
    sample.weight = record.U64(at);
    at += 8;
  }
  callers_.clear();
  if (surroundings_.stacks) {
    // The first user address is the sampled one itself; values near the end of the address space
    // are the kernel's marks (PERF_CONTEXT_USER).
    std::uint64_t count = record.U64(at);
    count = std::min<std::uint64_t>(count, (record.size_bytes() - at) / 8);
    bool first = true;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t address = record.U64(at + 8 + i * 8);
      if (address >= PERF_CONTEXT_MAX) continue;
      if (!first) callers_.push_back(address);
      first = false;
    }
    sample.deep = callers_.size() + 1 >= StackSample::kMaxAddresses;
    at += 8 + count * 8;
  }
  if (surroundings_.python) {
    stack_.pc = sample.pc;
    stack_.address_count = 0;
    ReadRegisters(record, at, stack_);
    sample.stack = &stack_;
  }
  sample.callers = callers_.data();
  sample.caller_count = callers_.size();
  ImageOf(pid).OnSample(sample);
}

void Session::TakeFork(const RingRecord& record, std::uint64_t time_ns) {
  const pid_t pid = Pid(record, kTaskPid);
  const pid_t parent = Pid(record, kTaskParent);
  const pid_t tid = Pid(record, kTaskTid);
  const TaskTimes none;
  if (pid == parent) {
    ProcessImage& image = ImageOf(pid);
    // One record for each processor's event cannot be: the kernel writes it once. But AttachTo may
    // know the thread from /proc.
    if (!image.HasThread(tid)) {
      image.AddThread(tid, true, ThreadName(FolderOf(pid), tid), &none, time_ns);
    }
    return;
  }
  const auto before = images_.find(parent);
  auto child = std::make_unique<ProcessImage>(surroundings_, pid, 0);
  if (before != images_.end()) {
    child->InheritFrom(*before->second);
    child->SetParent(static_cast<std::uint32_t>(parent), before->second->depth() + 1);
  }
  child->ReadIdentity();
  child->SetStart(0, 0, time_ns);
  child->AddThread(tid, true, ThreadName(FolderOf(pid), tid), &none, time_ns);
  ForgetWaits(pid);
  images_[pid] = std::move(child);
}

void Session::TakeName(const RingRecord& record, std::uint64_t time_ns) {
  const pid_t pid = Pid(record, kCommPid);
  const pid_t tid = Pid(record, kCommTid);
  char name[17] = {};
  record.Bytes(kCommName, name, sizeof name - 1);
  ProcessImage& image = ImageOf(pid);
  if (!(record.misc() & kMiscExec)) {
    image.NameThread(tid, name);
    return;
  }
  root_began_ = root_began_ || pid == root_;
  const unsigned generation = image.generation() + (image.has_spool() ? 1 : 0);
  auto next = std::make_unique<ProcessImage>(surroundings_, pid, generation);
  Close(image, spool::End::kExec, 0, nullptr, false);
  next->Continue(image, time_ns);
  next->SetName(name);
  next->ReadFacts();
  // All other threads end at an exec.
  const TaskTimes none;
  next->AddThread(pid, true, name, &none, time_ns);
  images_[pid] = std::move(next);
}

void Session::TakeExit(const RingRecord& record) {
  const pid_t pid = Pid(record, kTaskPid);
  const auto found = images_.find(pid);
  if (found == images_.end()) return;
  ProcessImage& image = *found->second;
  const pid_t tid = Pid(record, kTaskTid);
  if (!image.HasThread(tid) || image.live_threads() > 1) {
    image.EndThread(tid);
    return;
  }
  // The last thread. A zombie still has its times and, for those who may trace it, its status.
  const auto stat = StatOfEnded(FolderOf(pid));
  const bool known = stat && stat->HasEnded();
  const int status = known ? static_cast<int>(stat->exit_status) : 0;
  const bool by_signal = known && WIFSIGNALED(status);
  const spool::End end = !known                                     ? spool::End::kUnknown
                         : by_signal && WTERMSIG(status) == SIGABRT ? spool::End::kAbort
                         : by_signal                                ? spool::End::kSignal
                                                                    : spool::End::kExit;
  const int detail = by_signal ? WTERMSIG(status) : known ? WEXITSTATUS(status) : 0;
  image.ReadThreadTimes(MonotonicNs());
  Close(image, end, static_cast<std::uint32_t>(detail), stat ? &*stat : nullptr, known);
  images_.erase(found);
}

void Session::CompleteRoot(ProcessImage& image) {
  std::uint64_t others = explained_ns_;
  for (const auto& [pid, other] : images_) {
    if (other.get() != &image) others += other->spent_ns();
  }
  const std::uint64_t all = events_.ClockNs();
  if (all > others) image.RaiseSpent(all - others);
}

void Session::Close(ProcessImage& image, spool::End end, std::uint32_t detail,
                    const ProcessStat* stat, bool times_are_known) {
  ForgetWaits(image.pid());
  // The agent's own spool has this time already.
  if (image.has_agent()) {
    image.Discard();
    return;
  }
  if (on_exec_ && image.pid() == root_ && end != spool::End::kExec) {
    // Before CompleteRoot, which must see the last times.
    image.Update(stat, MonotonicNs(), OwnNs(image));
    CompleteRoot(image);
  }
  image.Finish(end, detail, stat, times_are_known, MonotonicNs(), OwnNs(image));
  explained_ns_ += image.spent_ns();
  spools_ += image.has_spool();
  failed_spools_ += image.failed();
}

void Session::SetSourceReason(const std::string& reason) {
  for (const auto& [pid, image] : images_) image->SetSourceReason(reason);
}

void Session::Update(bool thread_times) {
  for (const auto& [pid, image] : images_) {
    if (thread_times) image->ReadThreadTimes(MonotonicNs());
    const auto stat = ReadProcessStat(FolderOf(pid));
    image->Update(stat ? &*stat : nullptr, MonotonicNs(), OwnNs(*image));
  }
}

void Session::Finish() {
  // The CPU times first, and after them only the records that are older: samples that are taken
  // while a busy machine keeps this process waiting would belong to time that was not read.
  Update(/*thread_times=*/true);
  std::map<pid_t, std::optional<ProcessStat>> stats;
  for (const auto& [pid, image] : images_) stats[pid] = ReadProcessStat(FolderOf(pid));
  Drain(/*all=*/false);
  for (const auto& [pid, image] : images_) {
    const auto found = stats.find(pid);
    const bool known = found != stats.end() && found->second.has_value();
    Close(*image, spool::End::kUnknown, 0, known ? &*found->second : nullptr, known);
  }
  images_.clear();
}

}  // namespace csink::attach
