#include "profil/reading/reader/marks.h"

#include <algorithm>
#include <limits>

#include "profil/reading/reader/bytes.h"

/// File: records beside regions, threads and buckets. Times that later arithmetic relies on are
/// put in order here, indices are checked when all records are known
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

}  // namespace

void Read(Spool& spool, const StoredRecord<PhaseRecord>& at) {
  const PhaseRecord record = at.LoadClean(spool);
  std::string_view name;
  if (record.text_bytes != 0) {
    name = TextAt(spool, record.text, record.text_bytes, at.limit, kMaxPhaseBytes,
                  "a mark's name lies outside the file");
  }
  // Also with an unreadable name: the ids of the phases behind it must not change.
  spool.phases.push_back({.name = name,
                          .start_monotonic_ns = record.start_monotonic_ns,
                          .start_cpu_ns = record.start_cpu_ns,
                          .marks = record.marks,
                          .cpu_ns = record.cpu_ns});
}

void Read(Spool& spool, const StoredRecord<ChainNode>& at) {
  const ChainNode node = at.LoadClean(spool);
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

void Read(Spool& spool, const StoredRecord<ChainEndRecord>& at) {
  ChainEndRecord record = at.LoadClean(spool);
  if (static_cast<std::uint8_t>(record.end) >= kChainEndCount) record.end = ChainEnd::kUnknown;
  if (record.way > ChainWay::kKernel) record.way = ChainWay::kUnknown;
  spool.chain_ends.push_back(record);
}

void Read(Spool& spool, const StoredRecord<ProcessRecord>& at) {
  Process process;
  process.record = at.LoadClean(spool);
  process.spool_path = RowText(spool, process.record.spool_path, at.limit);
  process.host = RowText(spool, process.record.host, at.limit);
  process.program = RowText(spool, process.record.program, at.limit);
  process.command = RowText(spool, process.record.command, at.limit);
  process.source_reason = RowText(spool, process.record.source_reason, at.limit);
  process.job = RowText(spool, process.record.job, at.limit);
  process.configuration = RowText(spool, process.record.configuration, at.limit);
  process.first_count = at.KeepCounts(spool);
  process.wall = at.LoadTail<WallTotals>(spool.bytes, spool.header.event_count);
  process.evidence = at.LoadTail<Evidence>(spool.bytes, spool.header.event_count);
  process.identity = at.LoadTail<ProcessIdentity>(spool.bytes, spool.header.event_count);
  process.further = at.LoadTail<ProcessFurther>(spool.bytes, spool.header.event_count);
  spool.processes.push_back(process);
}

void Read(Spool& spool, const StoredRecord<ThreadTotalRecord>& at) {
  ThreadTotal thread;
  thread.record = at.LoadClean(spool);
  thread.first_count = at.KeepCounts(spool);
  thread.wall = at.LoadTail<WallTotals>(spool.bytes, spool.header.event_count);
  spool.thread_totals.push_back(thread);
}

void Read(Spool& spool, const StoredRecord<PythonCodeRecord>& at) {
  const PythonCodeRecord record = at.LoadClean(spool);
  const auto text = [&](std::uint64_t offset, std::uint32_t bytes) -> std::string_view {
    if (bytes == 0) return {};
    return TextAt(spool, offset, bytes, at.limit, kMaxRowTextBytes,
                  "a text of a Python function lies outside the file");
  };
  // Also with unreadable texts: the ids of the functions behind it must not change.
  spool.python_code.push_back({.name = text(record.name, record.name_bytes),
                               .file = text(record.file, record.file_bytes),
                               .lines = text(record.lines, record.lines_bytes),
                               .first_line = record.first_line,
                               .units = record.units});
}

void Read(Spool& spool, const StoredRecord<PythonStateRecord>& at) {
  spool.python_states.push_back(at.LoadClean(spool));
}

void Read(Spool& spool, const StoredRecord<RunFactsRecord>& at) {
  RunFacts facts;
  facts.record = at.LoadClean(spool);
  facts.surroundings = RowText(spool, facts.record.surroundings, at.limit);
  spool.run_facts.push_back(facts);
}

void Read(Spool& spool, const StoredRecord<DeviceCounterRecord>& at) {
  // One problem is added for all counters beyond the at.limit, when the first of them is met.
  if (spool.device_counters.size() >= kMaxDeviceCounters) {
    if (spool.device_counters.size() == kMaxDeviceCounters) {
      AddProblem(spool, "too many device counters");
    }
    return;
  }
  DeviceCounter counter;
  counter.record = at.LoadClean(spool);
  DeviceCounterRecord& record = counter.record;
  // Written at different moments of a live file, or damaged.
  if (record.last_ns < record.first_ns) record.last_ns = record.first_ns;
  // Users divide by these times and subtract them.
  record.covered_ns = std::min(record.covered_ns, record.last_ns - record.first_ns);
  counter.name = RowText(spool, {record.text, record.text_bytes, 0}, at.limit);
  counter.host = RowText(spool, {record.host, record.host_bytes, 0}, at.limit);
  // Without a name the counter cannot be matched with that of another process.
  if (!counter.name.empty()) spool.device_counters.push_back(counter);
}

void Read(Spool& spool, const StoredRecord<NoteRecord>& at) {
  const NoteRecord record = at.LoadClean(spool);
  const Note note{.text = RowText(spool, record.text, at.limit),
                  .why = RowText(spool, record.why, at.limit),
                  .times = record.times};
  // A note whose text is damaged says nothing.
  if (!note.text.empty()) spool.notes.push_back(note);
}

void Read(Spool& spool, const StoredRecord<TreeFactsRecord>& at) {
  const TreeFactsRecord record = at.LoadClean(spool);
  // Each is parsed, so many references to the same bytes would cost more than the file is worth.
  std::uint64_t sum = record.records.bytes;
  for (const TreeFacts& facts : spool.tree_facts) sum += facts.records.size();
  if (sum > spool.bytes.size()) return AddProblem(spool, "records of trees overlap");
  const std::string_view records =
      TextAt(spool, record.records.at, record.records.bytes, at.limit,
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
    if ((chain.flags & kChainPython) != 0) {
      chain.region = kNone;
      if (PythonCodeOf(chain.pc) < spool.python_code.size()) continue;
      // A node that stands for nothing; the samples keep their native place.
      chain.flags = kChainPython | kChainCut;
      chain.pc = PythonPc(kNone, kNoInstruction);
      if (spool.header.state != State::kLive) {
        AddProblem(spool, "a sample refers to an unknown Python function");
      }
      continue;
    }
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
