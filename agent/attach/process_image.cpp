#include "agent/attach/process_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "agent/attach/file_build_id.h"
#include "agent/process/start_state.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

/// File: see the header. Mappings are kept beside the RegionIndex, because the index writes regions
/// into the spool, which does not exist before the first sample. They are given to the index
/// without image_start: with it the index would read the image in this process's memory.

namespace csink::attach {
namespace {

// As the collector (profil/collector/collector.h): threads with a record, and the size of the
// buckets from which on new threads share one.
constexpr std::uint32_t kMaxThreadRecords = 16 * 1024;
constexpr std::uint64_t kPerThreadBucketBytes = 4u << 20;

template <std::size_t N>
void CopyText(char (&to)[N], const std::string& from) {
  const std::size_t n = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), n);
  std::memset(to + n, 0, N - n);
}

std::string BaseOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The build-id of a mapped file. The name is that of the process's own file system, so the file may
// be another one here: it must have the inode of the mapping.
void ReadBuildIdOf(const std::string& folder, Mapped& mapped) {
  if (mapped.facts.build_id_bytes != 0 || mapped.path.empty() || mapped.path[0] != '/' ||
      mapped.facts.deleted) {
    return;
  }
  // O_NONBLOCK: a fifo that replaced the file must not block.
  const UniqueFd fd(
      open((folder + "/root" + mapped.path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return;
  struct stat status;
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (mapped.facts.inode != 0 && status.st_ino != mapped.facts.inode) return;
  mapped.facts.build_id_bytes =
      static_cast<std::uint32_t>(ReadFileBuildId(fd.get(), mapped.facts.build_id));
}

}  // namespace

ProcessImage::ProcessImage(const Surroundings& surroundings, pid_t pid, unsigned generation)
    : surroundings_(surroundings),
      pid_(pid),
      generation_(generation),
      header_(surroundings.header),
      random_(0x9e3779b97f4a7c15ull * (static_cast<std::uint64_t>(pid) + 1)) {
  header_.pid = static_cast<std::uint32_t>(pid);
}

void ProcessImage::ReadIdentity() {
  if (const auto stat = ReadProcessStat(Folder())) {
    if (header_.parent_pid == 0) header_.parent_pid = stat->parent_pid;
    header_.process_start_ticks = stat->start_ticks;
    if (header_.program[0] == 0) CopyText(header_.program, stat->name);
  }
}

void ProcessImage::ReadFacts() {
  ReadIdentity();
  const std::string folder = Folder();
  if (const auto user = UserOf(folder)) header_.uid = *user;
  if (const std::string command = CommandOf(folder); !command.empty()) {
    CopyText(header_.command, command);
  }
  if (const std::string program = LinkOf(folder, "exe"); !program.empty()) {
    CopyText(header_.executable, program);
    CopyText(header_.program, BaseOf(program));
  }
  if (const std::string where = LinkOf(folder, "cwd"); !where.empty()) {
    CopyText(header_.working_directory, where);
  }
}

void ProcessImage::InheritFrom(const ProcessImage& parent) {
  for (const auto& [start, mapped] : parent.mappings_) mappings_[start] = mapped;
  for (auto& [start, mapped] : mappings_) mapped.facts.path = mapped.path;
  std::memcpy(header_.command, parent.header_.command, sizeof header_.command);
  std::memcpy(header_.program, parent.header_.program, sizeof header_.program);
  std::memcpy(header_.executable, parent.header_.executable, sizeof header_.executable);
  std::memcpy(header_.working_directory, parent.header_.working_directory,
              sizeof header_.working_directory);
  header_.uid = parent.header_.uid;
}

void ProcessImage::SetName(const std::string& name) {
  CopyText(header_.program, name);
  CopyText(header_.command, name);
  header_.executable[0] = 0;
}

void ProcessImage::SetStart(std::uint64_t user_ns, std::uint64_t system_ns,
                            std::uint64_t monotonic_ns) {
  // The header's times begin with the attaching: the time before it is no loss, and no part of what
  // the report is about.
  base_user_ns_ = user_ns;
  base_system_ns_ = system_ns;
  header_.start_realtime_ns = surroundings_.header.start_realtime_ns + monotonic_ns -
                              surroundings_.header.start_monotonic_ns;
  header_.start_monotonic_ns = header_.update_monotonic_ns = monotonic_ns;
}

void ProcessImage::SetEarlierImages(std::uint64_t user_ns, std::uint64_t system_ns) {
  header_.start_user_ns = header_.user_ns = user_ns;
  header_.start_system_ns = header_.system_ns = system_ns;
}

void ProcessImage::RaiseSpent(std::uint64_t ns) {
  // As Update does, so that the rest is not taken for system time.
  if (!surroundings_.system_is_sampled) {
    header_.user_ns = std::max(header_.user_ns, header_.start_user_ns + sampled_ns_);
  }
  const std::uint64_t known = spent_ns();
  if (ns > known) header_.system_ns += ns - known;
}

void ProcessImage::StartFromThreads(const ProcessStat& before) {
  std::uint64_t with_events = 0;
  for (const auto& [tid, thread] : threads_) {
    const auto times = ReadTaskTimes(Folder(), tid);
    if (times && times->run_ns > thread.start.run_ns) {
      with_events += times->run_ns - thread.start.run_ns;
    }
  }
  const auto now = ReadProcessStat(Folder());
  if (!now || now->user_ns < before.user_ns || now->system_ns < before.system_ns) return;
  const std::uint64_t user = now->user_ns - before.user_ns;
  const std::uint64_t all = user + (now->system_ns - before.system_ns);
  if (all <= with_events) return;
  const double share = static_cast<double>(all - with_events) / static_cast<double>(all);
  const auto skipped = static_cast<std::uint64_t>(share * static_cast<double>(user));
  base_user_ns_ = before.user_ns + skipped;
  base_system_ns_ = before.system_ns + (all - with_events - skipped);
}

void ProcessImage::Continue(const ProcessImage& before, std::uint64_t monotonic_ns) {
  SetStart(before.base_user_ns_, before.base_system_ns_, monotonic_ns);
  SetParent(before.header_.parent_pid, before.header_.depth);
  header_.process_start_ticks = before.header_.process_start_ticks;
  header_.uid = before.header_.uid;
  std::memcpy(header_.working_directory, before.header_.working_directory,
              sizeof header_.working_directory);
  // When the record of the exec is read, the new image has already used CPU time. So its start is
  // what the samples of the old image explain.
  header_.start_user_ns = header_.user_ns =
      before.header_.start_user_ns + (surroundings_.system_is_sampled ? 0 : before.sampled_ns_);
  header_.start_system_ns = header_.system_ns = before.header_.start_system_ns;
}

void ProcessImage::SetParent(std::uint32_t parent_pid, std::uint32_t depth) {
  header_.parent_pid = parent_pid;
  header_.depth = depth;
}

void ProcessImage::SetSourceReason(const std::string& reason) {
  CopyText(header_.source_reason, reason);
  if (has_spool()) CopyText(spool_->header().source_reason, reason);
}

bool ProcessImage::ReadMaps() {
  const auto visit = [](const MapsLine& line, void* arg) noexcept {
    if (!line.executable) return true;
    RegionIndex::Mapping mapping;
    mapping.start = line.start;
    mapping.end = line.end;
    mapping.file_offset = line.offset;
    mapping.inode = line.inode;
    mapping.device_major = line.dev_major;
    mapping.device_minor = line.dev_minor;
    mapping.deleted = line.deleted;
    mapping.path = line.path;
    static_cast<ProcessImage*>(arg)->AddMapping(mapping);
    return true;
  };
  // The caller has decided to attach although the agent may be there.
  const bool had_agent = has_agent_;
  const bool read = ForEachMapping((Folder() + "/maps").c_str(), visit, this).has_value();
  has_agent_ = had_agent;
  return read;
}

void ProcessImage::AddMapping(const RegionIndex::Mapping& mapping) {
  Mapped mapped = {mapping, std::string(mapping.path)};
  mapped.facts.image_start = 0;
  if (mapped.path.ends_with("/libagent.so")) has_agent_ = true;
  // The kernel maps the program itself before all libraries.
  if (mappings_.empty() && header_.executable[0] == 0 && !mapped.path.empty() &&
      mapped.path[0] == '/') {
    CopyText(header_.executable, mapped.path);
    CopyText(header_.program, BaseOf(mapped.path));
  }
  ReadBuildIdOf(Folder(), mapped);
  // What the new mapping covers is gone; the index keeps the parts beside it.
  auto at = mappings_.lower_bound(mapping.start);
  while (at != mappings_.end() && at->second.facts.end <= mapping.end) at = mappings_.erase(at);
  Mapped& kept = mappings_[mapping.start] = std::move(mapped);
  kept.facts.path = kept.path;
  if (has_spool()) AddToIndex(kept);
}

void ProcessImage::AddToIndex(const Mapped& mapped) { regions_->Add(*spool_, mapped.facts); }

void ProcessImage::AddThread(pid_t tid, bool sampled, const std::string& name,
                             const TaskTimes* times, std::uint64_t now_ns) {
  Thread& thread = threads_[tid];
  thread = Thread();
  thread.name = name;
  thread.sampled = sampled;
  thread.had_start = times != nullptr;
  if (times) thread.start = thread.last = *times;
  thread.start_ns = thread.last_ns = now_ns;
  ++live_;
  ++threads_seen_;
  threads_sampled_ += sampled;
}

void ProcessImage::NameThread(pid_t tid, const std::string& name) {
  const auto found = threads_.find(tid);
  if (found == threads_.end()) return;
  found->second.name = name;
  if (!has_spool() || found->second.record == spool::kNone) return;
  if (spool::ThreadRecord* record = spool_->Thread(found->second.record)) {
    CopyText(record->name, name);
  }
}

void ProcessImage::Unmap::operator()(CallerChains* chains) const {
  munmap(chains, sizeof(CallerChains));
}

bool ProcessImage::MakeSpool() {
  if (failed_) return false;
  spool_ = std::make_unique<SpoolWriter>();
  Text<256> stem;
  agent::SpoolStem(header_, stem);
  const Result<void> made = spool_->Create(surroundings_.folder, stem.view(), header_, generation_);
  if (!made) {
    failed_ = true;
    spool_.reset();
    std::fprintf(stderr, "csink: warn: the spool of process %d cannot be created in %s: %s\n",
                 static_cast<int>(pid_), surroundings_.folder.c_str(), made.error().what);
    return false;
  }
  regions_ = std::make_unique<RegionIndex>();
  if (surroundings_.stacks || surroundings_.waits) chains_.reset(CallerChains::Map());
  for (const auto& [start, mapped] : mappings_) AddToIndex(mapped);
  // Thread 0 collects the threads without a record.
  spool::ThreadRecord merged = {};
  merged.start_region = spool::kNone;
  (void)spool_->AddThread(merged);
  return true;
}

std::uint32_t ProcessImage::RegionOf(std::uint64_t pc) {
  std::uint32_t region = regions_->Find(pc);
  if (region != spool::kNone) return region;
  if (RegionIndex::IsKernel(pc)) return regions_->Kernel(*spool_);
  // Records of mappings may be lost; /proc knows what is mapped now. Once: code without a mapping
  // would have the file read for each sample.
  if (!maps_read_) {
    maps_read_ = true;
    (void)ReadMaps();
    region = regions_->Find(pc);
  }
  return region != spool::kNone ? region : regions_->Unknown(*spool_);
}

std::uint32_t ProcessImage::RecordOf(pid_t tid, Thread& thread) {
  if (thread.record != spool::kNone) return thread.record;
  thread.record = spool::kMergedThread;
  if (thread_records_ < kMaxThreadRecords && spool_->bucket_bytes() <= kPerThreadBucketBytes) {
    spool::ThreadRecord record = {};
    record.tid = static_cast<std::uint32_t>(tid);
    record.start_region = spool::kNone;
    CopyText(record.name, thread.name);
    const std::uint32_t id = spool_->AddThread(record);
    if (id != spool::kNone) {
      thread.record = id;
      ++thread_records_;
    }
  }
  return thread.record;
}

std::uint32_t ProcessImage::ThreadRecordOf(pid_t tid) {
  const auto found = threads_.find(tid);
  return found == threads_.end() ? spool::kMergedThread : RecordOf(tid, found->second);
}

const BucketSegment::Key* ProcessImage::LastPlaceOf(pid_t tid) const {
  const auto found = threads_.find(tid);
  return found == threads_.end() || found->second.last_place.pc == 0 ? nullptr
                                                                     : &found->second.last_place;
}

std::uint32_t ProcessImage::ChainOf(const Sample& sample) {
  if (!chains_ || !surroundings_.stacks) return 0;
  ChainIndex& nodes = chains_->index();
  if (sample.caller_count == 0) {
    StoreLive(spool_->header().bad_stacks, ++bad_stacks_);
    return nodes.FindOrAdd(*spool_, 0, spool::kNone, 0, spool::kChainCut | spool::kChainEmpty);
  }
  std::uint32_t node = 0;
  // From the outermost caller inwards. The kernel ends a chain at the first frame pointer that it
  // cannot read, which is 0 in the outermost frame; where that is wrong cannot be known.
  for (std::size_t i = sample.caller_count; i > 0; --i) {
    const std::uint64_t pc = sample.callers[i - 1];
    const bool outermost = i == sample.caller_count;
    const std::uint32_t flags =
        outermost && sample.deep ? spool::kChainCut | spool::kChainDeep : 0u;
    node = nodes.FindOrAdd(*spool_, node, regions_->Find(pc), pc, flags);
    if (node == 0) return 0;  // No room
  }
  if (sample.deep) StoreLive(spool_->header().bad_stacks, ++bad_stacks_);
  return node;
}

std::uint64_t ProcessImage::Random(std::uint64_t below) {
  // xorshift64*: which sample gets a remainder need not be secret, only spread evenly.
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return (random_ * 0x2545f4914f6cdd1dull >> 11) % below;
}

void ProcessImage::Count(const BucketSegment::Key& key, std::size_t column, std::uint64_t weight) {
  if (!spool_->AddHit(key, column, weight)) return;
  spool::EventColumn& sums = spool_->header().events[column];
  StoreLive(sums.samples, sums.samples + 1);
  StoreLive(sums.weight, sums.weight + weight);
  sums.weight_squared += static_cast<double>(weight) * static_cast<double>(weight);
}

void ProcessImage::OnSample(const Sample& sample) {
  if (has_agent_ || finished_ || (!has_spool() && !MakeSpool())) return;
  auto found = threads_.find(sample.tid);
  if (found == threads_.end()) {
    // Its FORK record was lost.
    AddThread(sample.tid, true, header_.program, nullptr, 0);
    found = threads_.find(sample.tid);
  }
  Thread& thread = found->second;
  const std::uint32_t region = RegionOf(sample.pc);
  if (region == spool::kNone) {
    spool::EventColumn& sums = spool_->header().events[sample.column];
    StoreLive(sums.unplaced, sums.unplaced + 1);
    return;
  }
  const BucketSegment::Key key = {region, RecordOf(sample.tid, thread), sample.pc, 0,
                                  ChainOf(sample)};
  Count(key, sample.column, sample.weight);
  thread.last_place = key;
  const spool::EventColumn& column = header_.events[sample.column];
  if (column.kind != EventClass::kClock) return;
  thread.sampled_ns += sample.weight;
  sampled_ns_ += sample.weight;
  if (column.period == 0) return;
  // Each of the event's samples is the chosen one with the same probability.
  Place& place = thread.places[sample.origin];
  place.column = sample.column;
  if (Random(++place.samples) == 0) place.key = key;
}

double ProcessImage::SampledShare() const {
  if (surroundings_.system_is_sampled) return 1;
  const std::uint64_t user = header_.user_ns - header_.start_user_ns;
  const std::uint64_t system = header_.system_ns - header_.start_system_ns;
  return user == 0 ? 1 : static_cast<double>(user) / static_cast<double>(user + system);
}

void ProcessImage::AddRemainders(Thread& thread, bool times_are_known) {
  // Several clocks would each explain the same time.
  std::size_t clocks = 0;
  for (std::size_t i = 0; i < header_.event_count; ++i) {
    clocks += header_.events[i].kind == EventClass::kClock;
  }
  const double share = SampledShare();
  const auto ran = static_cast<std::uint64_t>(
      share * static_cast<double>(thread.last.run_ns - thread.start.run_ns));
  const bool exact = times_are_known && clocks == 1 && thread.had_start;
  if (thread.places.empty() && exact && thread.sampled) short_threads_ns_ += ran;
  const std::uint64_t missing = ran - std::min(ran, thread.sampled_ns);
  for (const auto& [origin, place] : thread.places) {
    const double period = static_cast<double>(header_.events[place.column].period);
    auto weight = static_cast<std::uint64_t>(period / 2 * share);
    // A remainder is less than a period; what is missing beyond that has other causes.
    if (exact)
      weight = std::min(missing / thread.places.size(), static_cast<std::uint64_t>(period));
    if (weight == 0) continue;
    Count(place.key, place.column, weight);
    thread.sampled_ns += weight;
    sampled_ns_ += weight;
  }
  thread.places.clear();
}

void ProcessImage::StoreThread(Thread& thread) {
  if (!has_spool() || thread.record == spool::kNone) return;
  spool::ThreadRecord* record = spool_->Thread(thread.record);
  if (!record) return;
  const std::uint64_t run = thread.last.run_ns - thread.start.run_ns;
  if (thread.record == spool::kMergedThread) {
    // The sum of several threads; each is added when it has ended.
    if (thread.ended) {
      StoreLive(record->cpu_ns, record->cpu_ns + std::max(run, thread.sampled_ns));
      StoreLive(record->sampled_ns, record->sampled_ns + thread.sampled_ns);
    }
    return;
  }
  StoreLive(record->cpu_ns, std::max(run, thread.sampled_ns));
  StoreLive(record->sampled_ns, thread.sampled_ns);
  if (thread.had_start && !thread.ended) {
    record->start_monotonic_ns = thread.start_ns;
    StoreLive(record->end_monotonic_ns, thread.last_ns);
    StoreLive(record->run_ns, run);
    StoreLive(record->wait_ns, thread.last.wait_ns - thread.start.wait_ns);
    StoreLive(record->turns, thread.last.turns - thread.start.turns);
  }
  if (thread.ended) StoreLive(record->ended, 1u);
}

void ProcessImage::EndThread(pid_t tid) {
  const auto found = threads_.find(tid);
  if (found == threads_.end()) return;
  Thread& thread = found->second;
  if (has_spool() && !finished_) AddRemainders(thread, /*times_are_known=*/false);
  thread.ended = true;
  if (!thread.sampled) unsampled_threads_ns_ += thread.last.run_ns - thread.start.run_ns;
  StoreThread(thread);
  // The number may be given to another thread.
  threads_.erase(found);
  --live_;
}

void ProcessImage::OnLost(std::size_t column, std::uint64_t count) {
  if (!has_spool() || finished_) return;
  spool::EventColumn& sums = spool_->header().events[column];
  StoreLive(sums.lost_records, sums.lost_records + count);
  if (sums.kind == EventClass::kClock && sums.period != 0) {
    std::uint64_t& lost =
        spool_->header().lost_ns[static_cast<std::size_t>(spool::Loss::kBlockedDrain)];
    StoreLive(lost, lost + count * sums.period);
  }
}

void ProcessImage::OnThrottled(std::size_t column) {
  if (!has_spool() || finished_) return;
  spool::EventColumn& sums = spool_->header().events[column];
  StoreLive(sums.throttled, sums.throttled + 1);
}

void ProcessImage::ReadThreadTimes(std::uint64_t now_ns) {
  for (auto& [tid, thread] : threads_) {
    const auto times = ReadTaskTimes(Folder(), tid);
    if (!times || times->run_ns < thread.start.run_ns) continue;
    thread.last = *times;
    thread.last_ns = now_ns;
  }
}

void ProcessImage::Update(const ProcessStat* stat, std::uint64_t now_ns, std::uint64_t own_ns) {
  if (finished_) return;
  if (stat) {
    header_.user_ns =
        std::max(header_.user_ns, stat->user_ns - std::min(stat->user_ns, base_user_ns_));
    header_.system_ns =
        std::max(header_.system_ns, stat->system_ns - std::min(stat->system_ns, base_system_ns_));
  }
  std::uint64_t no_ring_ns = unsampled_threads_ns_;
  for (auto& [tid, thread] : threads_) {
    if (!thread.sampled) no_ring_ns += thread.last.run_ns - thread.start.run_ns;
    StoreThread(thread);
  }
  if (!has_spool()) return;
  spool::Header& header = spool_->header();
  // A process that ended before its times were read has at least the time in its samples.
  header_.user_ns = std::max(
      header_.user_ns, header_.start_user_ns + (surroundings_.system_is_sampled ? 0 : sampled_ns_));
  StoreLive(header.user_ns, header_.user_ns);
  StoreLive(header.system_ns, header_.system_ns);
  StoreLive(header.agent_ns, own_ns);
  StoreLive(header.drains, header.drains + 1);
  StoreLive(header.threads_seen, threads_seen_);
  StoreLive(header.threads_sampled, threads_sampled_);
  StoreLive(header.lost_ns[static_cast<std::size_t>(spool::Loss::kNoRing)], no_ring_ns);
  StoreLive(header.lost_ns[static_cast<std::size_t>(spool::Loss::kShortThread)], short_threads_ns_);
  std::uint64_t spent = header_.user_ns - header_.start_user_ns;
  if (surroundings_.system_is_sampled) spent += header_.system_ns - header_.start_system_ns;
  const std::uint64_t known = sampled_ns_ + no_ring_ns + short_threads_ns_ +
                              header.lost_ns[static_cast<std::size_t>(spool::Loss::kBlockedDrain)];
  bool has_clock = false;
  for (std::size_t i = 0; i < header.event_count; ++i) {
    has_clock = has_clock || header.events[i].kind == EventClass::kClock;
  }
  StoreLive(header.lost_ns[static_cast<std::size_t>(spool::Loss::kUnexplained)],
            has_clock && spent > known ? spent - known : std::uint64_t{0});
  StoreLive(header.update_monotonic_ns, now_ns);
}

void ProcessImage::Finish(spool::End end, std::uint32_t detail, const ProcessStat* stat,
                          bool times_are_known, std::uint64_t now_ns, std::uint64_t own_ns) {
  if (finished_) return;
  // The share of user time, which the remainders need, is read first.
  Update(stat, now_ns, own_ns);
  if (has_spool()) {
    for (auto& [tid, thread] : threads_) AddRemainders(thread, times_are_known);
  }
  if (end == spool::End::kExec && !surroundings_.system_is_sampled) {
    // What was read may include time of the next image; see Continue.
    header_.user_ns = header_.start_user_ns + sampled_ns_;
    Update(nullptr, now_ns, own_ns);
  } else {
    Update(stat, now_ns, own_ns);
  }
  finished_ = true;
  if (has_spool()) spool_->SetState(spool::State::kComplete, end, detail);
}

void ProcessImage::Discard() {
  if (has_spool()) spool_->Discard();
  finished_ = true;
}

}  // namespace csink::attach
