#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

#include <cstring>

#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"
#include "profil/collector.h"

namespace csink {
namespace {

constexpr std::uint32_t kMergedThread = 0;

template <class T>
void StoreLive(T& field, T value) noexcept {
  __atomic_store(&field, &value, __ATOMIC_RELAXED);  // generic: enumerations too
}

std::uint64_t ToNs(const timeval& t) noexcept {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_usec) * 1000;
}

// The comm of a thread of this process; the program may rename it at any time.
void ReadThreadName(pid_t tid, char (&name)[16]) noexcept {
  Text<64> path;
  path.Add("/proc/self/task/").Number(static_cast<std::uint64_t>(tid)).Add("/comm");
  long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (r < 0) return;
  const UniqueFd fd(static_cast<int>(r));
  char text[16];
  r = RawSyscall(SYS_read, fd.get(), SyscallArg(text), sizeof text);
  if (r <= 0) return;
  if (text[r - 1] == '\n') --r;
  if (r > 15) r = 15;
  std::memcpy(name, text, static_cast<std::size_t>(r));
  name[r] = 0;
}

// Layout behind the header of PERF_RECORD_MMAP and MMAP2 (perf_event_open(2)).
constexpr std::size_t kMapStart = 16;
constexpr std::size_t kMapBytes = 24;
constexpr std::size_t kMapOffset = 32;
constexpr std::size_t kMapName1 = 40;  // MMAP
constexpr std::size_t kMapMajor = 40;  // MMAP2
constexpr std::size_t kMapMinor = 44;
constexpr std::size_t kMapInode = 48;
constexpr std::size_t kMapBuildIdBytes = 40;  // with PERF_RECORD_MISC_MMAP_BUILD_ID
constexpr std::size_t kMapBuildId = 44;
constexpr std::size_t kMapProtection = 64;
constexpr std::size_t kMapName2 = 72;
constexpr std::uint32_t kProtExec = 4;
constexpr std::uint16_t kMiscBuildId = 1 << 14;

}  // namespace

void ProcessCpuNs(std::uint64_t* user_ns, std::uint64_t* system_ns) noexcept {
  struct rusage usage = {};
  RawSyscall(SYS_getrusage, RUSAGE_SELF, SyscallArg(&usage));
  *user_ns = ToNs(usage.ru_utime);
  *system_ns = ToNs(usage.ru_stime);
}

std::uint64_t MonotonicNs() noexcept {
  timespec now = {};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, SyscallArg(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void Collector::set_spool_threshold(std::size_t samples) noexcept {
  spool_threshold_ = samples < 1 ? 1 : (samples > kMaxPending ? kMaxPending : samples);
}

void Collector::BeginThread(ThreadSlot& slot, pid_t tid, bool armed) noexcept {
  // Seen and sampled are counted by adds: threads begin without the lock.
  __atomic_fetch_add(&threads_seen_, 1, __ATOMIC_RELAXED);
  if (armed) __atomic_fetch_add(&threads_sampled_, 1, __ATOMIC_RELAXED);
  const long now = kernel_.ThreadCpuNs(tid);
  slot.armed_cpu_ns = slot.drained_cpu_ns = now > 0 ? static_cast<std::uint64_t>(now) : 0;
}

bool Collector::EnsureSpool() noexcept {
  if (spool_.open()) return true;
  if (spool_failed_ || frozen_) return false;
  if (!factory_.MakeSpool(spool_)) {
    spool_failed_ = true;
    return false;
  }
  spool::ThreadRecord merged = {};
  std::memcpy(merged.name, "(merged)", 9);
  merged.start_region = spool::kNone;
  spool_.AddThread(merged);
  for (std::size_t i = 0; i < spool_.header().event_count; ++i) {
    spool_.header().events[i].lost_records = lost_records_[i];
    spool_.header().events[i].throttled = throttled_[i];
  }
  std::uint64_t wanted[kMaxPending];
  for (std::size_t i = 0; i < pending_count_; ++i) wanted[i] = pending_[i].pc;
  const bool few = pending_count_ < spool_threshold_ && !frozen_soon_;
  regions_.ReadMaps(spool_, wanted, few ? pending_count_ : 0);
  FlushPending();
  return true;
}

void Collector::FlushPending() noexcept {
  pid_t tid = -1;
  std::uint32_t thread = kMergedThread;
  for (std::size_t i = 0; i < pending_count_; ++i) {
    const Pending& p = pending_[i];
    if (p.tid != tid) {
      ThreadSlot* slot = registry_.Find(p.tid);
      thread = slot ? ThreadOf(*slot) : NewThreadRecord(p.tid, p.start_routine, p.name);
      tid = p.tid;
    }
    Place(thread, p.event, p.pc, p.weight);
  }
  pending_count_ = 0;
}

std::uint32_t Collector::NewThreadRecord(pid_t tid, std::uint64_t start_routine,
                                         const char* name) noexcept {
  if (thread_records_ >= kMaxThreadRecords || spool_.bucket_bytes() > kPerThreadBucketBytes) {
    return kMergedThread;
  }
  spool::ThreadRecord record = {};
  record.tid = static_cast<std::uint32_t>(tid);
  record.start_routine = start_routine;
  record.start_region = start_routine ? RegionOf(start_routine) : spool::kNone;
  std::memcpy(record.name, name, sizeof record.name);
  const std::uint32_t id = spool_.AddThread(record);
  if (id == spool::kNone) return kMergedThread;
  ++thread_records_;
  return id;
}

std::uint32_t Collector::ThreadOf(ThreadSlot& slot) noexcept {
  if (slot.spool_thread == spool::kNone) {
    const pid_t tid = slot.tid.load(std::memory_order_relaxed);
    if (slot.name[0] == 0 && !frozen_) ReadThreadName(tid, slot.name);
    slot.spool_thread =
        NewThreadRecord(tid, reinterpret_cast<std::uint64_t>(slot.start_routine), slot.name);
  }
  return slot.spool_thread;
}

std::uint32_t Collector::RegionOf(std::uint64_t pc) noexcept {
  std::uint32_t region = regions_.Find(pc);
  if (region != spool::kNone) return region;
  // Another thread's dlopen is in that thread's ring: ask the kernel, once a drain.
  if (!maps_read_this_drain_ && !frozen_) {
    maps_read_this_drain_ = true;
    regions_.ReadMaps(spool_);
    region = regions_.Find(pc);
  }
  return region != spool::kNone ? region : regions_.Unknown(spool_);
}

void Collector::Place(std::uint32_t thread, std::size_t event, std::uint64_t pc,
                      std::uint64_t weight) noexcept {
  const std::uint32_t region = RegionOf(pc);
  if (region == spool::kNone) {  // no room in the table of regions
    ++spool_.header().events[event].unplaced;
    return;
  }
  const BucketSegment::Key key = {region, thread, pc};
  if (!spool_.AddHit(key, event, weight)) return;
  spool::EventColumn& column = spool_.header().events[event];
  StoreLive(column.samples, column.samples + 1);
  StoreLive(column.weight, column.weight + weight);
  column.weight_squared += static_cast<double>(weight) * static_cast<double>(weight);
}

void Collector::OnSample(ThreadSlot& slot, std::size_t event, std::uint64_t pc,
                         std::uint64_t weight) noexcept {
  ++samples_;
  ++slot.samples;
  if (static_cast<int>(event) == clock_event_) slot.clock_weight += weight;
  if (spool_.open()) {
    Place(ThreadOf(slot), event, pc, weight);
    return;
  }
  if (pending_count_ == kMaxPending) return;  // no spool could be made
  if (frozen_) return;
  if (slot.name[0] == 0) ReadThreadName(slot.tid.load(std::memory_order_relaxed), slot.name);
  Pending& p = pending_[pending_count_++];
  p.pc = pc;
  p.weight = weight;
  p.start_routine = reinterpret_cast<std::uint64_t>(slot.start_routine);
  p.event = static_cast<std::uint32_t>(event);
  p.tid = slot.tid.load(std::memory_order_relaxed);
  std::memcpy(p.name, slot.name, sizeof p.name);
  if (pending_count_ >= spool_threshold_) EnsureSpool();
}

void Collector::OnMapping(const RingRecord& record) noexcept {
  if (!spool_.open()) return;  // maps are read when it is made
  const bool second = record.type() == PERF_RECORD_MMAP2;
  if (second && !(record.U32(kMapProtection) & kProtExec)) return;
  RegionIndex::Mapping mapping;
  mapping.start = record.U64(kMapStart);
  mapping.end = mapping.start + record.U64(kMapBytes);
  mapping.file_offset = record.U64(kMapOffset);
  if (mapping.end <= mapping.start) return;
  if (second && (record.misc() & kMiscBuildId)) {
    std::uint8_t bytes = 0;
    record.Bytes(kMapBuildIdBytes, &bytes, 1);
    mapping.build_id_bytes = bytes > kMaxBuildIdBytes ? kMaxBuildIdBytes : bytes;
    record.Bytes(kMapBuildId, mapping.build_id, mapping.build_id_bytes);
  } else if (second) {
    mapping.device_major = record.U32(kMapMajor);
    mapping.device_minor = record.U32(kMapMinor);
    mapping.inode = record.U64(kMapInode);
  }
  // Under the lock: one buffer for everybody, off the handler's stack.
  static char path[4096];
  const std::size_t got = record.Bytes(second ? kMapName2 : kMapName1, path, sizeof path - 1);
  path[got] = 0;
  mapping.path = std::string_view(path, strlen(path));
  if (mapping.path == "//anon") mapping.path = "";
  // As in /proc/*/maps, which the same mapping is compared with.
  constexpr std::string_view kDeleted = " (deleted)";
  const std::size_t length = mapping.path.size();
  if (length > kDeleted.size() &&
      std::memcmp(path + length - kDeleted.size(), kDeleted.data(), kDeleted.size()) == 0) {
    mapping.path.remove_suffix(kDeleted.size());
    mapping.deleted = true;
  }
  regions_.Add(spool_, mapping);
}

void Collector::OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept {
  slot.lost_records += count;
  lost_records_[event] += count;
  if (spool_.open()) StoreLive(spool_.header().events[event].lost_records, lost_records_[event]);
}

void Collector::OnThrottled(std::size_t event) noexcept {
  ++throttled_[event];
  if (spool_.open()) StoreLive(spool_.header().events[event].throttled, throttled_[event]);
}

void Collector::DrainSlot(ThreadSlot& slot) noexcept {
  if (!slot.armed()) return;
  const std::uint64_t clock_before = slot.clock_weight;
  bool full = false;
  bool any = false;
  unsigned eighths = 0;
  for (std::size_t i = 0; i < slot.ring_count; ++i) {
    const RingBuffer& ring = slot.rings[i];
    const std::uint64_t pending = ring.pending_bytes();
    any |= pending != 0;
    full |= pending + 64 > ring.data_bytes();
    const unsigned e = static_cast<unsigned>(pending * 8 / ring.data_bytes());
    if (e > eighths) eighths = e;
  }
  if (slot.timer >= 0 && slot.soft) {
    any |= slot.soft->pending() != 0;
    full |= slot.soft->pending() == SoftRing::kSamples;
  }
  if (eighths > fullest_eighths_) fullest_eighths_ = eighths;
  if (!any) return;
  rings_.Drain(slot, *this);
  timers_.Drain(slot, *this);
  if (frozen_) return;
  const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  if (now <= 0) return;
  const auto cpu = static_cast<std::uint64_t>(now);
  if (full && clock_event_ >= 0) {
    // The kernel tells of lost records only with the next that fits: ask the clock instead.
    const std::uint64_t spent = cpu - slot.drained_cpu_ns;
    const std::uint64_t sampled = slot.clock_weight - clock_before;
    if (spent > sampled) slot.blocked_lost_ns += spent - sampled;
  }
  slot.drained_cpu_ns = cpu;
  if (spool_.open() && slot.spool_thread != spool::kNone && slot.spool_thread != kMergedThread) {
    if (spool::ThreadRecord* record = spool_.Thread(slot.spool_thread)) {
      StoreLive(record->cpu_ns, cpu);
      StoreLive(record->sampled_ns, slot.clock_weight);
    }
  }
}

void Collector::UpdateHeader() noexcept {
  if (!spool_.open()) return;
  spool::Header& header = spool_.header();
  StoreLive(header.drains, drains_);
  StoreLive(header.threads_seen, __atomic_load_n(&threads_seen_, __ATOMIC_RELAXED));
  StoreLive(header.threads_sampled, __atomic_load_n(&threads_sampled_, __ATOMIC_RELAXED));
  StoreLive(header.agent_ns, own_cost_ns_);
  // An exec that failed had marked the end.
  spool_.SetState(spool::State::kLive, spool::End::kUnknown);
  if (frozen_) {
    for (std::size_t i = 0; i < spool::kLossCauses; ++i) StoreLive(header.lost_ns[i], lost_ns_[i]);
    return;
  }
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  ProcessCpuNs(&user, &system);
  StoreLive(header.user_ns, user);
  StoreLive(header.system_ns, system);
  if (clock_event_ >= 0) {
    // What no other cause explains: sampling switched off by the program, for instance.
    std::uint64_t known = header.events[clock_event_].weight;
    for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Loss::kUnexplained); ++i) {
      known += lost_ns_[i];
    }
    const std::uint64_t spent = user - header.start_user_ns;
    lost_ns_[static_cast<std::size_t>(spool::Loss::kUnexplained)] =
        user > header.start_user_ns && spent > known ? spent - known : 0;
  }
  for (std::size_t i = 0; i < spool::kLossCauses; ++i) StoreLive(header.lost_ns[i], lost_ns_[i]);
  StoreLive(header.update_monotonic_ns, MonotonicNs());
}

void Collector::DrainAll() noexcept {
  maps_read_this_drain_ = false;
  fullest_eighths_ = 0;
  ++drains_;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    if (state == SlotState::kLive || state == SlotState::kEnded) DrainSlot(slot);
  }
  UpdateHeader();
}

void Collector::CountShortThread(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept {
  lost_ns_[static_cast<std::size_t>(spool::Loss::kShortThread)] += cpu_ns;
  const auto start = reinterpret_cast<std::uint64_t>(slot.start_routine);
  Routine* routine = nullptr;
  for (std::size_t i = 0; i < routine_count_ && !routine; ++i) {
    if (routines_[i].start_routine == start) routine = &routines_[i];
  }
  if (!routine && routine_count_ < kRoutines) {
    routine = &routines_[routine_count_++];
    *routine = {routine_count_ < kRoutines ? start : 0, 0, 0, spool::kNone};
  }
  if (!routine) routine = &routines_[kRoutines - 1];
  ++routine->threads;
  routine->cpu_ns += cpu_ns;
}

void Collector::Settle(ThreadSlot& slot, bool ended, Accounts& accounts) noexcept {
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  const long now = frozen_ ? 0 : kernel_.ThreadCpuNs(tid);
  const std::uint64_t cpu = now > 0 ? static_cast<std::uint64_t>(now) : slot.drained_cpu_ns;
  const std::uint64_t since_armed = cpu > slot.armed_cpu_ns ? cpu - slot.armed_cpu_ns : 0;
  if (!slot.armed()) {
    accounts.no_ring_ns += since_armed;
  } else if (slot.samples == 0 && ended && !slot.is_main && slot.lost_records == 0) {
    CountShortThread(slot, since_armed);
  }
  lost_ns_[static_cast<std::size_t>(spool::Loss::kBlockedDrain)] += slot.blocked_lost_ns;
  slot.blocked_lost_ns = 0;
  for (std::size_t i = 0; i < slot.ring_count; ++i) {
    accounts.enabled_ns[i] += slot.rings[i].enabled_ns();
    accounts.running_ns[i] += slot.rings[i].running_ns();
  }
  if (!spool_.open() || slot.spool_thread == spool::kNone) return;
  if (slot.spool_thread == kMergedThread) {
    accounts.merged_cpu_ns += cpu;
    accounts.merged_sampled_ns += slot.clock_weight;
    return;
  }
  spool::ThreadRecord* record = spool_.Thread(slot.spool_thread);
  if (!record) return;
  if (!frozen_ && !slot.is_main) ReadThreadName(tid, record->name);
  StoreLive(record->cpu_ns, cpu);
  StoreLive(record->sampled_ns, slot.clock_weight);
  StoreLive(record->lost_records, slot.lost_records);
  if (ended) StoreLive(record->ended, 1u);
}

void Collector::StoreAccounts(const Accounts& accounts) noexcept {
  lost_ns_[static_cast<std::size_t>(spool::Loss::kNoRing)] = accounts.no_ring_ns;
  if (!spool_.open()) return;
  for (std::size_t i = 0; i < spool_.header().event_count; ++i) {
    spool::EventColumn& column = spool_.header().events[i];
    StoreLive(column.enabled_ns, accounts.enabled_ns[i]);
    StoreLive(column.running_ns, accounts.running_ns[i]);
  }
  if (spool::ThreadRecord* merged = spool_.Thread(kMergedThread)) {
    StoreLive(merged->cpu_ns, accounts.merged_cpu_ns);
    StoreLive(merged->sampled_ns, accounts.merged_sampled_ns);
  }
}

void Collector::EndThread(ThreadSlot& slot) noexcept {
  maps_read_this_drain_ = false;
  DrainSlot(slot);
  Settle(slot, true, ended_);
  StoreAccounts(ended_);
  rings_.Disarm(slot);
  timers_.Disarm(slot);
  registry_.Release(slot);
}

void Collector::SettleLive() noexcept {
  // An exec that fails settles, and the program lives on: nothing may be added twice.
  Accounts all = ended_;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) == SlotState::kLive) Settle(slot, false, all);
  }
  StoreAccounts(all);
}

void Collector::SettleAll() noexcept {
  SettleLive();
  if (!spool_.open()) {
    if (Significance() < final_threshold_ || !EnsureSpool()) return;
    SettleLive();  // into the records that came with the spool
  }
  for (std::size_t i = 0; i < routine_count_; ++i) {
    Routine& routine = routines_[i];
    if (routine.spool_id == spool::kNone) {
      spool::RoutineRecord record = {};
      record.start_routine = routine.start_routine;
      record.start_region = routine.start_routine ? RegionOf(routine.start_routine) : spool::kNone;
      routine.spool_id = spool_.AddRoutine(record);
    }
    if (spool::RoutineRecord* record = spool_.Routine(routine.spool_id)) {
      StoreLive(record->threads, routine.threads);
      StoreLive(record->cpu_ns, routine.cpu_ns);
    }
  }
  UpdateHeader();
}

void Collector::Freeze() noexcept {
  // Without a spool, too: what is sampled from then on is counted, not kept.
  frozen_soon_ = true;  // the table of libraries must be whole now
  if (EnsureSpool()) {
    DrainAll();
    spool_.Freeze();
  }
  frozen_ = true;
}

std::uint64_t Collector::Significance() const noexcept {
  return samples_ +
         lost_ns_[static_cast<std::size_t>(spool::Loss::kShortThread)] / clock_period_ns_ +
         lost_ns_[static_cast<std::size_t>(spool::Loss::kNoRing)] / clock_period_ns_;
}

void Collector::ResetAfterFork() noexcept {
  lock_.ResetAfterFork();
  spool_.ForgetAfterFork();
  regions_.Clear();
  spool_failed_ = false;
  maps_read_this_drain_ = false;
  ended_ = Accounts();
  pending_count_ = 0;
  routine_count_ = 0;
  thread_records_ = 0;
  samples_ = own_cost_ns_ = drains_ = 0;
  for (std::uint64_t& ns : lost_ns_) ns = 0;
  for (std::uint64_t& records : lost_records_) records = 0;
  for (std::uint64_t& times : throttled_) times = 0;
  threads_seen_ = threads_sampled_ = 0;
  fullest_eighths_ = 0;
}

}  // namespace csink
