#include "profil/reading/reader/marks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "profil/reading/reader/bytes.h"

/// File: records beside regions, threads and buckets. Numbers that later arithmetic relies on are
/// corrected here (not finite, out of order), indices are checked when all records are known
/// (CheckReferences).

namespace csink::spool {
namespace {

// The longest text of a row, and the number of device counters, that are read.
constexpr std::uint32_t kMaxRowTextBytes = 64 * 1024;
constexpr std::size_t kMaxDeviceCounters = 4096;

// A text of a process's row; {0, 0} is no text.
std::string_view RowText(Spool& spool, const TextRef& text, std::uint64_t limit) {
  if (text.at == 0 && text.bytes == 0) return {};
  return TextAt(spool, text.at, text.bytes, limit, kMaxRowTextBytes,
                "a text of a process lies outside the file");
}

/// Reads the counts behind a record into spool.counts. Returns the index of the first one.
std::size_t KeepCounts(Spool& spool, std::uint64_t offset) {
  const std::size_t first = spool.counts.size();
  for (std::uint32_t i = 0; i < spool.header.event_count; ++i) {
    spool.counts.push_back(Load<Count>(spool.bytes, offset + i * sizeof(Count)));
  }
  return first;
}

// A structure that follows the counts of a record of a merged file after `skip` further bytes; zero
// if the record ends before. `fixed_bytes`: the record without its counts.
template <class Tail>
Tail BehindCounts(const Spool& spool, std::uint64_t offset, std::uint32_t record_bytes,
                  std::size_t fixed_bytes, std::size_t skip = 0) {
  const std::size_t before = fixed_bytes + spool.header.event_count * sizeof(Count) + skip;
  if (record_bytes < before + sizeof(Tail)) return {};
  return Load<Tail>(spool.bytes, offset + before);
}

}  // namespace

void ReadPhase(Spool& spool, std::uint64_t offset, std::uint64_t limit) {
  const auto record = Load<PhaseRecord>(spool.bytes, offset);
  std::string_view name;
  if (record.text_bytes != 0) {
    name = TextAt(spool, record.text, record.text_bytes, limit, kMaxPhaseBytes,
                  "a mark's name lies outside the file");
  }
  // Also with an unreadable name: the ids of the phases behind it must not change.
  spool.phases.push_back({.name = name,
                          .start_monotonic_ns = record.start_monotonic_ns,
                          .start_cpu_ns = record.start_cpu_ns,
                          .marks = record.marks,
                          .cpu_ns = record.cpu_ns});
}

void ReadChain(Spool& spool, std::uint64_t offset) {
  const auto node = Load<ChainNode>(spool.bytes, offset);
  Chain chain{.pc = node.pc, .region = node.region, .parent = node.parent, .flags = node.flags};
  if (chain.parent > spool.chains.size()) {  // The own id is chains.size() + 1
    AddProblem(spool, "a caller is stored before its own caller; the call chain is cut there");
    chain.parent = 0;
    chain.flags |= kChainCut;
  }
  const bool is_empty = (chain.flags & kChainEmpty) != 0;
  const bool has_parent = chain.parent != 0;
  // A node for "no callers" stands alone (format.h, kChainEmpty).
  if (has_parent && (is_empty || (spool.chains[chain.parent - 1].flags & kChainEmpty) != 0)) {
    AddProblem(spool,
               "a call chain without callers is part of another chain; that chain is cut there");
    chain.parent = 0;
    chain.flags = (chain.flags & ~kChainEmpty) | kChainCut;
  } else if (is_empty) {
    chain.flags |= kChainCut;
    chain.region = kNone;
    chain.pc = 0;
  }
  spool.chains.push_back(chain);
}

void ReadChainEnd(Spool& spool, std::uint64_t offset) {
  auto record = Load<ChainEndRecord>(spool.bytes, offset);
  if (static_cast<std::uint8_t>(record.end) >= kChainEndCount) record.end = ChainEnd::kUnknown;
  if (record.way > ChainWay::kKernel) record.way = ChainWay::kUnknown;
  spool.chain_ends.push_back(record);
}

void ReadProcess(Spool& spool, std::uint64_t offset, std::uint32_t record_bytes,
                 std::uint64_t limit) {
  Process process;
  process.record = Load<ProcessRecord>(spool.bytes, offset);
  process.spool_path = RowText(spool, process.record.spool_path, limit);
  process.host = RowText(spool, process.record.host, limit);
  process.program = RowText(spool, process.record.program, limit);
  process.command = RowText(spool, process.record.command, limit);
  process.source_reason = RowText(spool, process.record.source_reason, limit);
  process.job = RowText(spool, process.record.job, limit);
  process.configuration = RowText(spool, process.record.configuration, limit);
  // In the order of the file: the counts follow the fixed part, and WallTotals follow the counts.
  process.first_count = KeepCounts(spool, offset + sizeof(ProcessRecord));
  process.wall = BehindCounts<WallTotals>(spool, offset, record_bytes, sizeof(ProcessRecord));
  process.evidence = BehindCounts<Evidence>(spool, offset, record_bytes, sizeof(ProcessRecord),
                                            sizeof(WallTotals));
  process.identity = BehindCounts<ProcessIdentity>(
      spool, offset, record_bytes, sizeof(ProcessRecord), sizeof(WallTotals) + sizeof(Evidence));
  process.further =
      BehindCounts<ProcessFurther>(spool, offset, record_bytes, sizeof(ProcessRecord),
                                   sizeof(WallTotals) + sizeof(Evidence) + sizeof(ProcessIdentity));
  spool.processes.push_back(process);
}

void ReadThreadTotal(Spool& spool, std::uint64_t offset, std::uint32_t record_bytes) {
  ThreadTotal thread;
  thread.record = Load<ThreadTotalRecord>(spool.bytes, offset);
  Terminate(thread.record.name);
  thread.first_count = KeepCounts(spool, offset + sizeof(ThreadTotalRecord));
  thread.wall = BehindCounts<WallTotals>(spool, offset, record_bytes, sizeof(ThreadTotalRecord));
  spool.thread_totals.push_back(thread);
}

void ReadDeviceCounter(Spool& spool, std::uint64_t offset, std::uint64_t limit) {
  // One problem is added for all counters beyond the limit, when the first of them is met.
  if (spool.device_counters.size() >= kMaxDeviceCounters) {
    if (spool.device_counters.size() == kMaxDeviceCounters) {
      AddProblem(spool, "too many device counters");
    }
    return;
  }
  DeviceCounter counter;
  counter.record = Load<DeviceCounterRecord>(spool.bytes, offset);
  DeviceCounterRecord& record = counter.record;
  Terminate(record.units);
  for (double* value : {&record.value, &record.minimum, &record.maximum, &record.time_sum}) {
    // One number that is not finite would spoil every sum over processes.
    if (!std::isfinite(*value)) *value = 0;
  }
  // Written at different moments of a live file, or damaged.
  if (record.last_ns < record.first_ns) record.last_ns = record.first_ns;
  // Users divide by these times and subtract them.
  record.covered_ns = std::min(record.covered_ns, record.last_ns - record.first_ns);
  counter.name = RowText(spool, {record.text, record.text_bytes, 0}, limit);
  counter.host = RowText(spool, {record.host, record.host_bytes, 0}, limit);
  // Without a name the counter cannot be matched with that of another process.
  if (!counter.name.empty()) spool.device_counters.push_back(counter);
}

void ReadNote(Spool& spool, std::uint64_t offset, std::uint64_t limit) {
  const auto record = Load<NoteRecord>(spool.bytes, offset);
  const Note note{.text = RowText(spool, record.text, limit),
                  .why = RowText(spool, record.why, limit),
                  .times = record.times};
  // A note whose text is damaged says nothing.
  if (!note.text.empty()) spool.notes.push_back(note);
}

void ReadTreeFacts(Spool& spool, std::uint64_t offset, std::uint64_t limit) {
  const auto record = Load<TreeFactsRecord>(spool.bytes, offset);
  // Each is parsed, so many references to the same bytes would cost more than the file is worth.
  std::uint64_t sum = record.records.bytes;
  for (const TreeFacts& facts : spool.tree_facts) sum += facts.records.size();
  if (sum > spool.bytes.size()) return AddProblem(spool, "records of trees overlap");
  const std::string_view records =
      TextAt(spool, record.records.at, record.records.bytes, limit,
             std::numeric_limits<std::uint32_t>::max(), "a tree's records lie outside the file");
  if (!records.empty()) spool.tree_facts.push_back({record.tree_id, records});
}

void ReadConfiguration(Spool& spool, std::uint64_t limit) {
  const Header& header = spool.header;
  if (header.configuration == 0) return;
  spool.configuration = TextAt(spool, header.configuration, header.configuration_bytes, limit,
                               kMaxConfigurationBytes, "the configuration lies outside the file");
}

void CheckReferences(Spool& spool) {
  for (Chain& chain : spool.chains) {
    if (chain.region == kNone) continue;
    bool fits = chain.region < spool.regions.size();
    if (fits) {
      // A return address may be just behind a mapping if the call does not return.
      const Region& region = spool.regions[chain.region];
      fits = (region.flags & kRegionUnknown) != 0 ||
             (chain.pc >= region.start && chain.pc <= region.end);
    }
    if (fits) continue;
    chain.region = kNone;
    // In a live file the region may just be missing in the copy that was read.
    if (spool.header.state != State::kLive) {
      AddProblem(spool, "a caller refers to an unknown module");
    }
  }
  // Users index the processes with process_plus_one - 1.
  for (Region& region : spool.regions) {
    if (region.process_plus_one > spool.processes.size()) region.process_plus_one = 0;
  }
  // Compacted in place: the order of the rows is that of the file.
  std::size_t kept = 0;
  for (const ThreadTotal& thread : spool.thread_totals) {
    if (thread.record.process < spool.processes.size()) spool.thread_totals[kept++] = thread;
  }
  if (kept != spool.thread_totals.size()) {
    AddProblem(spool, "a thread refers to an unknown process");
  }
  spool.thread_totals.resize(kept);
}

}  // namespace csink::spool
