#include "profil/reading/merge/merged_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "core/util/copy_text.h"
#include "profil/format/records.h"
#include "profil/reading/model/saturating.h"
#include "profil/reading/reader/reader.h"

/// File: writes a profile as a spool with two more kinds of segments. An older csink skips those
/// and still reads the sum. A module becomes a region with start 0, so that a bucket's pc is the
/// offset in the file; ids of regions, chains and phases are the profile's indices.

namespace csink {
namespace {

using spool::TextRef;

/// For fields of 32 bits, of which larger numbers have no use.
std::uint32_t AtMost32Bits(std::uint64_t number) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

/// Collects records of one type; they are written as one segment of its kind. `Tails`: what is
/// behind the counts of a record.
template <class T, class Tails = typename spool::KindOf<T>::Tails>
class Records;
template <class T, class... Tails>
class Records<T, spool::TailsBehind<Tails...>> {
 public:
  explicit Records(std::size_t events = 0)
      : record_bytes_(spool::BytesWithCounts<T>(static_cast<std::uint32_t>(events)) +
                      (sizeof(Tails) + ... + 0)) {}
  void Add(const T& record) { Append(&record, sizeof record); }
  void Add(const T& record, const std::vector<EventCount>& counts, const Tails&... tails) {
    Append(&record, sizeof record);
    for (const EventCount& count : counts) {
      const spool::Count stored{count.samples, count.weight};
      Append(&stored, sizeof stored);
    }
    (Append(&tails, sizeof tails), ...);
  }
  void Append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::size_t size() const { return bytes_.size(); }
  void AppendTo(std::vector<std::byte>& file) const {
    if (bytes_.empty()) return;
    spool::SegmentHeader header{};
    header.magic = spool::kSegmentMagic;
    header.kind = spool::KindOf<T>::kKind;
    header.record_bytes = static_cast<std::uint32_t>(record_bytes_);
    header.capacity = static_cast<std::uint32_t>(bytes_.size() / record_bytes_);
    header.used = header.capacity;
    // Segments are aligned to 8 bytes (format.h).
    header.bytes = (sizeof header + bytes_.size() + 7) / 8 * 8;
    const std::size_t begin = file.size();
    const auto* bytes = reinterpret_cast<const std::byte*>(&header);
    file.insert(file.end(), bytes, bytes + sizeof header);
    file.insert(file.end(), bytes_.begin(), bytes_.end());
    file.resize(begin + header.bytes);  // zeros up to a multiple of 8
  }

 private:
  std::size_t record_bytes_;
  std::vector<std::byte> bytes_;
};

/// The segment of texts, which is the first in the file. A text equal to one of the last texts is
/// not written again, because processes of one program share most of their texts.
class Texts {
 public:
  TextRef Add(const std::string& text) {
    if (text.empty()) return {};
    // Only the last kRecent texts are compared.
    for (const auto& [known, ref] : recent_) {
      if (known == text) return ref;
    }
    const TextRef ref{spool::kHeaderBytes + sizeof(spool::SegmentHeader) + records_.size(),
                      static_cast<std::uint32_t>(text.size()), 0};
    records_.Append(text.data(), text.size());
    recent_[next_++ % kRecent] = {text, ref};
    return ref;
  }
  const Records<char>& records() const { return records_; }

 private:
  // Texts that are remembered.
  static constexpr std::size_t kRecent = 32;
  Records<char> records_;
  std::vector<std::pair<std::string, TextRef>> recent_ =
      std::vector<std::pair<std::string, TextRef>>(kRecent);
  std::size_t next_ = 0;
};

// The header: the first process and the sums of the events.
void SetHeader(const Profile& profile, spool::Header& header) {
  // Readers of an older csink show this process as if the whole file were its profile. Sums that
  // belong to one process only (CPU times, losses) stay 0 there.
  const ProcessRow& first = profile.processes.front();
  std::memcpy(header.magic, spool::kMagic, sizeof header.magic);
  header.version = spool::kFormatVersion;
  header.header_bytes = spool::kHeaderBytes;
  header.byte_order = spool::kByteOrderMark;
  header.state = spool::State::kComplete;
  header.end = first.end;
  header.end_detail = first.end_detail;
  header.source = first.source;
  header.pid = first.pid;
  header.parent_pid = first.parent_pid;
  header.process_start_ticks = first.start_ticks;
  header.exec_generation = first.generation;
  header.start_realtime_ns = first.start_realtime_ns;
  header.image_realtime_ns = first.image_realtime_ns;
  header.namespace_pid = first.namespace_pid;
  header.start_monotonic_ns = first.start_monotonic_ns;
  header.update_monotonic_ns = first.update_monotonic_ns;
  CopyText(header.host, first.host);
  CopyText(header.program, first.program);
  CopyText(header.command, first.command);
  header.waits = profile.waits.observer;
  header.elf_machine = profile.waits.machine;
  header.event_count = static_cast<std::uint32_t>(profile.events.size());
  for (std::size_t i = 0; i < profile.events.size(); ++i) {
    const EventTotals& event = profile.events[i];
    spool::EventColumn& column = header.events[i];
    CopyText(column.name, event.name);
    column.kind = event.kind;
    column.skid = event.skid;
    column.period = event.period;
    column.frequency_hz = event.frequency_hz;
    column.precise_ip = event.precise_ip;
    column.precise_asked = event.precise_asked;
    column.precise_errno = event.precise_errno;
    column.precise_by = event.precise_by;
    column.samples = event.samples;
    column.weight = event.weight;
    column.weight_squared = event.weight_squared;
    column.lost_records = event.lost_records;
    column.throttled = event.throttled;
    column.enabled_ns = event.enabled_ns;
    column.running_ns = event.running_ns;
    column.unplaced = event.unplaced;
    column.due_ns = event.due_ns;
    column.throttled_ns = event.throttled_ns;
    column.unsampled = event.unsampled;
    column.rate_limit_hz = event.rate_limit_hz;
    column.mixed_periods = event.mixed_periods ? 1 : 0;
  }
}

Records<spool::RegionRecord> RegionsOf(const Profile& profile, Texts& texts) {
  Records<spool::RegionRecord> records;
  std::uint32_t sequence = 0;
  for (const Module& module : profile.modules) {
    spool::RegionRecord record{};
    record.start = module.is_anonymous ? module.region_start : 0;
    // The reader takes a bucket whose pc lies outside its region for damage.
    // The region covers all offsets, and all addresses behind the start of anonymous code.
    record.end = ~0ull;
    record.inode = module.inode;
    record.device_major = module.device_major;
    record.device_minor = module.device_minor;
    const TextRef path = texts.Add(module.path);
    record.path = path.at;
    record.path_bytes = path.bytes;
    if (module.is_vdso) record.flags |= spool::kRegionVdso;
    if (module.is_deleted) record.flags |= spool::kRegionDeleted;
    if (module.is_anonymous) record.flags |= spool::kRegionAnonymous;
    if (module.is_unknown) record.flags |= spool::kRegionUnknown;
    if (module.is_python) record.flags |= spool::kRegionPython;
    record.load_sequence = sequence++;
    record.build_id_bytes =
        static_cast<std::uint32_t>(std::min(module.build_id.size(), sizeof record.build_id));
    std::copy_n(module.build_id.begin(), record.build_id_bytes, record.build_id);
    // The addresses of two processes mean different code.
    if (module.is_anonymous) {
      record.process_plus_one = static_cast<std::uint32_t>(module.process + 1);
    }
    records.Add(record);
  }
  return records;
}

spool::WallTotals TotalsOf(const WallParts& parts) {
  spool::WallTotals wall{};
  wall.threads = parts.threads;
  wall.wall_ns = parts.wall_ns;
  wall.run_ns = parts.run_ns;
  wall.wait_ns = parts.wait_ns;
  wall.undivided_ns = parts.undivided_ns;
  return wall;
}

/// ProcessRecord::state.
std::uint32_t WrittenState(ProcessState state) {
  switch (state) {
    case ProcessState::kComplete:
      return 0;
    case ProcessState::kLive:
      return 1;
    case ProcessState::kUnknown:
      break;
    case ProcessState::kKilled:
      return 3;
    case ProcessState::kExited:
      return 4;
  }
  return 2;
}

// The records of all processes, with their counts and times.
Records<spool::ProcessRecord> ProcessesOf(const Profile& profile, Texts& texts) {
  Records<spool::ProcessRecord> records(profile.events.size());
  for (const ProcessRow& row : profile.processes) {
    spool::ProcessRecord record{};
    record.spool_path = texts.Add(row.spool_path);
    record.host = texts.Add(row.host);
    record.program = texts.Add(row.program);
    record.command = texts.Add(row.command);
    record.source_reason = texts.Add(row.source_reason);
    record.job = texts.Add(row.job);
    record.configuration = texts.Add(row.configuration);
    record.pid = row.pid;
    record.parent_pid = row.parent_pid;
    record.generation = row.generation;
    record.state = WrittenState(row.state);
    record.end = row.end;
    record.end_detail = row.end_detail;
    record.source = row.source;
    record.frozen = row.frozen ? 1 : 0;
    record.threads_seen = row.threads_seen;
    record.threads_sampled = row.threads_sampled;
    // rank is -1 if there is none.
    record.rank_plus_one = static_cast<std::uint32_t>(row.rank + 1);
    record.depth = row.depth;
    record.uid = row.uid;
    record.processes = row.processes;
    record.start_ticks = row.start_ticks;
    record.start_realtime_ns = row.start_realtime_ns;
    record.start_monotonic_ns = row.start_monotonic_ns;
    record.update_monotonic_ns = row.update_monotonic_ns;
    record.user_ns = row.user_ns;
    record.system_ns = row.system_ns;
    record.start_user_ns = row.start_user_ns;
    record.start_system_ns = row.start_system_ns;
    record.agent_ns = row.agent_ns;
    std::copy(row.lost_ns.begin(), row.lost_ns.end(), record.lost_ns);
    record.paused_ns = row.paused_ns;
    record.bad_stacks = row.bad_stacks;
    record.switches = AtMost32Bits(row.switches);
    spool::WallTotals wall = TotalsOf(row.wall);
    wall.processors = row.processors;
    wall.read_errno = row.wall_errno;
    records.Add(record, row.counts, wall, row.evidence,
                {row.image_realtime_ns, row.namespace_pid, 0},
                {row.tree_id, row.unseen_ns, row.switched_off_ns});
  }
  return records;
}

Records<spool::RunFactsRecord> RunFactsOf(const Profile& profile, Texts& texts) {
  Records<spool::RunFactsRecord> records;
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    const RunFacts& facts = profile.processes[i].facts;
    if (!facts.known) continue;
    spool::RunFactsRecord record = facts.record;
    record.surroundings = texts.Add(facts.surroundings);
    record.process = static_cast<std::uint32_t>(i);
    records.Add(record);
  }
  return records;
}

/// The records of all threads, with their counts and times.
Records<spool::ThreadTotalRecord> ThreadsOf(const Profile& profile) {
  Records<spool::ThreadTotalRecord> records(profile.events.size());
  for (const ThreadRow& row : profile.threads) {
    spool::ThreadTotalRecord record{};
    record.process = static_cast<std::uint32_t>(row.process);
    record.tid = row.tid;
    CopyText(record.name, row.name);
    record.start_routine = row.start_routine.offset;
    record.start_region =
        row.start_routine.module == kNoModule ? spool::kNone : row.start_routine.module;
    record.flags =
        (row.is_merged ? spool::kThreadIsMerged : 0) | (row.ended ? spool::kThreadHasEnded : 0);
    record.cpu_ns = row.cpu_ns;
    record.sampled_ns = row.sampled_ns;
    record.lost_records = row.lost_records;
    record.threads = row.is_merged ? row.threads : 0;
    records.Add(record, row.counts, TotalsOf(row.wall));
  }
  return records;
}

/// Number of problems with a note of their own; the others are counted in one note, because a
/// thousand damaged spools would otherwise fill the report.
constexpr std::size_t kMaxProblems = 64;

// Problems and programs that were not followed; a note with an empty `why` is a problem.
Records<spool::NoteRecord> NotesOf(const Profile& profile, Texts& texts) {
  Records<spool::NoteRecord> records;
  const auto add = [&](const std::string& text, const std::string& why, std::uint64_t times) {
    const spool::NoteRecord record{texts.Add(text), texts.Add(why), times};
    records.Add(record);
  };
  const std::size_t listed = std::min(profile.problems.size(), kMaxProblems);
  for (std::size_t i = 0; i < listed; ++i) add(profile.problems[i], "", 0);
  if (listed < profile.problems.size()) {
    add("damage in " + std::to_string(profile.problems.size() - listed) + " more places", "", 0);
  }
  for (const NotFollowedRow& row : profile.not_followed) add(row.program, row.why, row.times);
  return records;
}

// What waits returned of a process belongs to its row, so that a sum of processes has none of it.
Records<spool::TreeFactsRecord> TreeFactsOf(const Profile& profile, Texts& texts) {
  Records<spool::TreeFactsRecord> records;
  const auto is_sum = [](const ProcessRow& row) {
    return row.processes > 1 && !row.IsBeforeExec();
  };
  if (std::any_of(profile.processes.begin(), profile.processes.end(), is_sum)) return records;
  for (const TreeFacts& facts : profile.tree_facts) {
    const std::string bytes(reinterpret_cast<const char*>(facts.records.data()),
                            facts.records.size());
    const spool::TreeFactsRecord record{facts.tree_id, texts.Add(bytes)};
    records.Add(record);
  }
  return records;
}

Records<spool::PythonCodeRecord> PythonCodeRecordsOf(const Profile& profile, Texts& texts) {
  Records<spool::PythonCodeRecord> records;
  for (const PythonFunction& function : profile.python_functions) {
    const TextRef name = texts.Add(function.name);
    const TextRef file = texts.Add(function.file);
    const TextRef lines = texts.Add(function.lines);
    spool::PythonCodeRecord record{};
    record.name = name.at;
    record.name_bytes = name.bytes;
    record.file = file.at;
    record.file_bytes = file.bytes;
    record.lines = lines.at;
    record.lines_bytes = lines.bytes;
    record.first_line = function.first_line;
    record.units = function.units;
    records.Add(record);
  }
  return records;
}

// The sums are those of the first interpreter; the others have their versions alone.
Records<spool::PythonStateRecord> PythonStatesOf(const Profile& profile) {
  Records<spool::PythonStateRecord> records;
  for (const std::uint32_t version : profile.python.versions) {
    spool::PythonStateRecord record{};
    record.version = version;
    if (records.size() == 0) {
      record.named = profile.python.named;
      record.nameless = profile.python.nameless;
      record.cut = profile.python.cut;
      record.outside = profile.python.outside;
    }
    records.Add(record);
  }
  return records;
}

Records<spool::DeviceCounterRecord> DeviceCountersOf(const Profile& profile, Texts& texts) {
  Records<spool::DeviceCounterRecord> records;
  for (const DeviceCounter& counter : profile.device_counters) {
    spool::DeviceCounterRecord record{};
    const TextRef name = texts.Add(counter.name);
    const TextRef host = texts.Add(counter.host);
    record.text = name.at;
    record.text_bytes = name.bytes;
    record.host = host.at;
    record.host_bytes = host.bytes;
    CopyText(record.units, counter.units);
    record.machine = counter.machine;
    record.value_type = counter.value_type;
    record.flags = counter.flags;
    record.first_ns = counter.first_ns;
    record.last_ns = counter.last_ns;
    record.covered_ns = counter.covered_ns;
    record.machine_busy_ns = counter.machine_busy_ns;
    record.readings = counter.readings;
    record.failed_readings = counter.failed_readings;
    record.value = counter.value;
    record.minimum = counter.minimum;
    record.maximum = counter.maximum;
    record.time_sum = counter.time_sum;
    records.Add(record);
  }
  return records;
}

// Phases from 1 on: phase 0 is the time before the first mark and has no record.
Records<spool::PhaseRecord> PhasesOf(const Profile& profile, Texts& texts) {
  Records<spool::PhaseRecord> records;
  for (std::size_t i = 1; i < profile.phases.size(); ++i) {
    spool::PhaseRecord record{};
    const TextRef name = texts.Add(profile.phases[i].name);
    record.text = name.at;
    record.text_bytes = name.bytes;
    record.marks = profile.phases[i].marks;
    record.cpu_ns = profile.phases[i].cpu_ns;
    records.Add(record);
  }
  return records;
}

// Added to a node of the tree of waits to get its chain id: the tree follows that of the samples,
// and both have no record for entry 0.
std::uint32_t FirstWaitChain(const Profile& profile) {
  return profile.callers.empty() ? 0 : static_cast<std::uint32_t>(profile.callers.size() - 1);
}

// Callers from 1 on: 0 means none. First those of samples, then those of waiting threads.
Records<spool::ChainNode> ChainsOf(const Profile& profile) {
  Records<spool::ChainNode> records;
  const auto add = [&](const std::vector<Caller>& callers, std::uint32_t first) {
    for (std::size_t i = 1; i < callers.size(); ++i) {
      const Caller& caller = callers[i];
      const bool is_python = (caller.flags & spool::kChainPython) != 0;
      const spool::ChainNode node{.pc = caller.address.offset,
                                  // kNoModule equals kNone
                                  .region = is_python ? spool::kNone : caller.address.module,
                                  .parent = caller.parent == 0 ? 0 : caller.parent + first,
                                  .flags = caller.flags,
                                  .reserved = {}};
      records.Add(node);
    }
  };
  add(profile.callers, 0);
  add(profile.waits.callers, FirstWaitChain(profile));
  return records;
}
static_assert(kNoModule == spool::kNone);

// The thread record of a thread: 0 stands for all of them (BucketsOf).
std::uint32_t ThreadRecordOf(std::uint32_t thread) { return thread == kNoThread ? 0 : thread + 1; }

Records<spool::ChainEndRecord> ChainEndsOf(const Profile& profile) {
  Records<spool::ChainEndRecord> records;
  for (const ChainEndSum& sum : profile.chain_ends) {
    spool::ChainEndRecord record{};
    record.end = sum.end;
    record.way = sum.way;
    record.region = sum.module;
    record.copied_bytes = sum.copied_bytes;
    record.chains = sum.chains;
    records.Add(record);
  }
  return records;
}

Records<spool::WaitSiteRecord> WaitSitesOf(const Profile& profile) {
  Records<spool::WaitSiteRecord> records;
  const std::uint32_t first_chain = FirstWaitChain(profile);
  for (const WaitSite& site : profile.waits.sites) {
    spool::WaitSiteRecord record{};
    record.pc = site.address.offset;
    record.region = site.address.module;
    record.chain = site.caller == 0 ? 0 : site.caller + first_chain;
    record.thread = ThreadRecordOf(site.thread);
    record.phase = site.phase;
    record.lock = site.lock == kNoLock ? 0 : site.lock + 1;
    record.kind = site.kind;
    record.descriptor = site.descriptor;
    record.system_call = site.system_call;
    record.looks = site.looks;
    record.blocked_ns = site.blocked_ns;
    record.blocked_squared = site.blocked_squared;
    record.longest_ns = site.longest_ns;
    records.Add(record);
  }
  return records;
}

Records<spool::LockRecord> LocksOf(const Profile& profile) {
  Records<spool::LockRecord> records;
  const std::uint32_t first_chain = FirstWaitChain(profile);
  for (const WaitLock& lock : profile.waits.locks) {
    spool::LockRecord record{};
    record.address = lock.address;
    record.region = lock.module;
    record.kind = lock.kind;
    record.offset = lock.address;
    record.first_pc = lock.first.offset;
    record.first_region = lock.first.module;
    record.first_chain = lock.first_caller == 0 ? 0 : lock.first_caller + first_chain;
    record.looks = lock.looks;
    record.blocked_ns = lock.blocked_ns;
    record.blocked_squared = lock.blocked_squared;
    record.moments = lock.moments;
    record.most_waiters = AtMost32Bits(lock.most_waiters);
    record.known_holders = AtMost32Bits(lock.known_holders);
    record.operation_plus_one = lock.operation_plus_one;
    record.expected = lock.expected;
    record.process = lock.process;
    records.Add(record);
  }
  return records;
}

Records<spool::HolderRecord> HoldersOf(const Profile& profile) {
  Records<spool::HolderRecord> records;
  const std::uint32_t first_chain = FirstWaitChain(profile);
  for (const WaitHolder& holder : profile.waits.holders) {
    spool::HolderRecord record{};
    record.lock = holder.lock + 1;
    record.thread = ThreadRecordOf(holder.thread);
    record.pc = holder.address.module == kNoModule ? 0 : holder.address.offset;
    record.region = holder.address.module;
    record.chain = holder.caller == 0 ? 0 : holder.caller + first_chain;
    record.state = holder.state;
    record.tid = holder.tid;
    record.looks = holder.looks;
    record.blocked_ns = holder.blocked_ns;
    records.Add(record);
  }
  return records;
}

Records<spool::RankCodeRecord> RankCodesOf(const Profile& profile) {
  Records<spool::RankCodeRecord> records;
  for (const RankCode& code : profile.ranks.codes) {
    const spool::RankCodeRecord record{code.address.offset, code.address.module,
                                       static_cast<std::uint32_t>(code.event)};
    records.Add(record);
  }
  return records;
}

Records<spool::RankRecord> RanksOf(const Profile& profile) {
  Records<spool::RankRecord> records;
  for (const RankRow& row : profile.ranks.rows) {
    const spool::RankRecord record{row.rank, static_cast<std::uint32_t>(row.counts.size()), 0};
    records.Add(record);
  }
  return records;
}

Records<spool::RankCountRecord> RankCountsOf(const Profile& profile) {
  Records<spool::RankCountRecord> records;
  for (const RankRow& row : profile.ranks.rows) {
    for (const RankCount& count : row.counts) {
      const spool::RankCountRecord record{count.code, count.samples, count.weight};
      records.Add(record);
    }
  }
  return records;
}

Records<spool::Bucket> BucketsOf(const Profile& profile) {
  Records<spool::Bucket> records(profile.events.size());
  for (const Place& place : profile.places) {
    // Thread 0 stands for all threads; threads that are kept apart follow it.
    const std::uint64_t thread = place.thread == kNoThread ? 0 : std::uint64_t{place.thread} + 1;
    const spool::Bucket bucket{(std::uint64_t{place.address.module} + 1) << 32 | (thread + 1),
                               place.address.offset,
                               spool::kPublished | std::uint64_t{place.phase} << 32 | place.caller};
    records.Add(bucket, place.counts);
  }
  return records;
}

Records<spool::RoutineRecord> RoutinesOf(const Profile& profile) {
  Records<spool::RoutineRecord> records;
  for (const ShortThreads& threads : profile.short_threads) {
    const CodeAddress& address = threads.start_routine;
    const bool known = address.module != kNoModule;
    const spool::RoutineRecord record{known ? address.offset : 0,
                                      known ? address.module : spool::kNone,
                                      0,
                                      threads.threads,
                                      threads.cpu_ns,
                                      {}};
    records.Add(record);
  }
  return records;
}

}  // namespace

Result<std::vector<std::byte>> BuildMergedFile(const Profile& profile) {
  // The header needs a first process.
  if (profile.processes.empty()) return Error{Errc::kInvalid, 0, "there is nothing to merge"};
  if (profile.events.size() > spool::kMaxEvents) {
    return Error{Errc::kLimit, 0,
                 "more than 8 different events; merge the spools into several files"};
  }
  // The texts are collected while the records are built, but their segment is the first, because
  // Texts computes offsets for that place.
  Texts texts;
  const Records regions = RegionsOf(profile, texts);
  const Records processes = ProcessesOf(profile, texts);
  const Records phases = PhasesOf(profile, texts);
  const Records notes = NotesOf(profile, texts);
  const Records facts = TreeFactsOf(profile, texts);
  const Records counters = DeviceCountersOf(profile, texts);
  const Records python = PythonCodeRecordsOf(profile, texts);
  const Records run_facts = RunFactsOf(profile, texts);
  std::vector<std::byte> file(spool::kHeaderBytes);
  texts.records().AppendTo(file);
  regions.AppendTo(file);
  processes.AppendTo(file);
  phases.AppendTo(file);
  notes.AppendTo(file);
  facts.AppendTo(file);
  counters.AppendTo(file);
  python.AppendTo(file);
  run_facts.AppendTo(file);
  PythonStatesOf(profile).AppendTo(file);
  ThreadsOf(profile).AppendTo(file);
  {
    // Every bucket needs a thread record; its contents are in the thread's total record.
    const auto has_thread = [](const auto& row) { return row.thread != kNoThread; };
    const Waits& waits = profile.waits;
    const bool apart = std::any_of(profile.places.begin(), profile.places.end(), has_thread) ||
                       std::any_of(waits.sites.begin(), waits.sites.end(), has_thread) ||
                       std::any_of(waits.holders.begin(), waits.holders.end(), has_thread);
    Records<spool::ThreadRecord> threads;
    const spool::ThreadRecord nameless{};
    for (std::size_t i = 0; i < (apart ? profile.threads.size() : 0) + 1; ++i) {
      threads.Add(nameless);
    }
    threads.AppendTo(file);
  }
  // Buckets come last: a file that is cut off still has all that the rest of it refers to.
  ChainsOf(profile).AppendTo(file);
  ChainEndsOf(profile).AppendTo(file);
  RoutinesOf(profile).AppendTo(file);
  LocksOf(profile).AppendTo(file);
  WaitSitesOf(profile).AppendTo(file);
  HoldersOf(profile).AppendTo(file);
  RankCodesOf(profile).AppendTo(file);
  RanksOf(profile).AppendTo(file);
  RankCountsOf(profile).AppendTo(file);
  BucketsOf(profile).AppendTo(file);
  if (file.size() > spool::kMaxSpoolBytes) {
    return Error{Errc::kLimit, 0, "the sum is larger than 1 GiB; merge fewer spools"};
  }
  spool::Header header{};
  SetHeader(profile, header);
  // The header is written last, when the size is known.
  header.file_bytes = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

}  // namespace csink
