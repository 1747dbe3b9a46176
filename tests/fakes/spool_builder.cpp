#include "tests/fakes/spool_builder.h"

#include <cstring>
#include <fstream>

#include "profil/format/records.h"

namespace csink::testing {
namespace {

using spool::SegmentHeader;
using spool::SegmentKind;

void Append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* p = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), p, p + size);
}

/// Appends a segment with one spare record, as a preallocating writer leaves it.
template <class T>
void AppendSegment(std::vector<std::byte>& bytes, std::size_t events, std::size_t used,
                   const std::vector<std::byte>& records) {
  SegmentHeader header{};
  header.magic = spool::kSegmentMagic;
  header.kind = spool::KindOf<T>::kKind;
  header.record_bytes = spool::BytesWithCounts<T>(static_cast<std::uint32_t>(events));
  header.capacity = static_cast<std::uint32_t>(used) + 1;
  header.used = header.kind == SegmentKind::kBuckets ? 0 : static_cast<std::uint32_t>(used);
  const std::size_t size = sizeof header + std::size_t{header.capacity} * header.record_bytes;
  header.bytes = (size + 7) / 8 * 8;
  const std::size_t begin = bytes.size();
  Append(bytes, &header, sizeof header);
  Append(bytes, records.data(), records.size());
  bytes.resize(begin + header.bytes);
}

/// The same for rows of one type.
template <class T>
void AppendRows(std::vector<std::byte>& bytes, const std::vector<T>& rows) {
  std::vector<std::byte> records;
  for (const T& row : rows) Append(records, &row, sizeof row);
  AppendSegment<T>(bytes, 0, rows.size(), records);
}

}  // namespace

SpoolBuilder::SpoolBuilder() {
  std::memset(static_cast<void*>(&header_), 0, sizeof header_);
  std::memcpy(header_.magic, spool::kMagic, sizeof header_.magic);
  header_.version = spool::kFormatVersion;
  header_.header_bytes = spool::kHeaderBytes;
  header_.byte_order = spool::kByteOrderMark;
  header_.elf_machine = 62;
  header_.state = spool::State::kComplete;
  header_.end = spool::End::kExit;
  header_.source = spool::Source::kRing;
  header_.pid = 4711;
  header_.parent_pid = 4700;
  header_.process_start_ticks = 123456;
  header_.start_realtime_ns = 1'700'000'000'000'000'000;
  header_.start_monotonic_ns = 5'000'000'000;
  header_.update_monotonic_ns = 6'050'000'000;
  header_.user_ns = 1'002'000'000;
  header_.system_ns = 20'000'000;
  header_.start_user_ns = 1'000'000;
  header_.start_system_ns = 1'000'000;
  header_.agent_ns = 9'000'000;
  header_.drains = 10;
  header_.threads_seen = 1;
  header_.threads_sampled = 1;
  SetText(header_.host, "host");
  SetCommand("app", "./app --fast");
  SetText(header_.source_reason, "no hardware PMU in this virtual machine");
  AddEvent("task-clock:u", EventClass::kClock, 1'000'003);
  event(0).skid = spool::Skid::kTimer;
  AddThread(0, "");
  AddThread(4711, "app");
}

void SpoolBuilder::SetCommand(std::string_view program, std::string_view command) {
  SetText(header_.program, program);
  SetText(header_.executable, std::string("/usr/bin/") + std::string(program));
  SetText(header_.command, command);
}

std::uint32_t SpoolBuilder::AddEvent(std::string_view name, EventClass kind, std::uint64_t period) {
  spool::EventColumn& column = header_.events[header_.event_count];
  SetText(column.name, name);
  column.kind = kind;
  column.period = period;
  return header_.event_count++;
}

std::uint32_t SpoolBuilder::AddRegion(const Mapping& mapping) {
  mappings_.push_back(mapping);
  return static_cast<std::uint32_t>(mappings_.size() - 1);
}

std::uint32_t SpoolBuilder::AddThread(std::uint32_t tid, std::string_view name,
                                      std::uint64_t start_routine, std::uint32_t start_region) {
  spool::ThreadRecord record{};
  record.tid = tid;
  SetText(record.name, name);
  record.start_routine = start_routine;
  record.start_region = start_region;
  threads_.push_back(record);
  return static_cast<std::uint32_t>(threads_.size() - 1);
}

void SpoolBuilder::AddHitsAt(std::uint32_t region, std::uint32_t thread, std::uint64_t pc,
                             std::uint64_t samples, std::uint32_t chain, std::uint32_t phase,
                             std::size_t event) {
  Hit hit{(std::uint64_t{region} + 1) << 32 | (thread + 1),
          pc,
          spool::kPublished | std::uint64_t{phase} << 32 | chain,
          {}};
  hit.counts.resize(spool::kMaxEvents);
  spool::EventColumn& column = header_.events[event];
  hit.counts[event] = {samples, samples * column.period};
  column.samples += samples;
  column.weight += samples * column.period;
  const double period = static_cast<double>(column.period);
  column.weight_squared += static_cast<double>(samples) * period * period;
  hits_.push_back(std::move(hit));
}

void SpoolBuilder::AddRoutine(std::uint64_t start_routine, std::uint32_t region,
                              std::uint64_t threads, std::uint64_t cpu_ns) {
  routines_.push_back({start_routine, region, 0, threads, cpu_ns, {}});
}

std::uint32_t SpoolBuilder::AddChain(std::uint32_t parent, std::uint32_t region, std::uint64_t pc,
                                     std::uint32_t flags) {
  chains_.push_back({.pc = pc, .region = region, .parent = parent, .flags = flags, .reserved = {}});
  return static_cast<std::uint32_t>(chains_.size());
}

std::uint32_t SpoolBuilder::AddPythonCode(std::string_view name, std::string_view file,
                                          std::string_view lines, std::uint32_t first_line) {
  python_code_.push_back({std::string(name), std::string(file), std::string(lines), first_line});
  return static_cast<std::uint32_t>(python_code_.size() - 1);
}

std::uint32_t SpoolBuilder::AddPhase(std::string_view name, std::uint64_t start_cpu_ns,
                                     std::uint64_t marks, std::uint64_t cpu_ns,
                                     std::uint64_t start_monotonic_ns) {
  spool::PhaseRecord record{};
  record.start_monotonic_ns = start_monotonic_ns;
  record.start_cpu_ns = start_cpu_ns;
  record.marks = marks;
  record.cpu_ns = cpu_ns;
  phases_.push_back({std::string(name), record});
  return static_cast<std::uint32_t>(phases_.size());
}

std::uint32_t SpoolBuilder::AddWaitSite(const spool::WaitSiteRecord& site) {
  wait_sites_.push_back(site);
  if (site.lock != 0 && site.lock <= locks_.size()) {
    spool::LockRecord& lock = locks_[site.lock - 1];
    lock.looks += site.looks;
    lock.blocked_ns += site.blocked_ns;
    lock.blocked_squared += site.blocked_squared;
  }
  return static_cast<std::uint32_t>(wait_sites_.size());
}

std::uint32_t SpoolBuilder::AddLock(const spool::LockRecord& lock) {
  locks_.push_back(lock);
  return static_cast<std::uint32_t>(locks_.size());
}

std::vector<std::byte> SpoolBuilder::Build() const {
  std::vector<std::byte> bytes(spool::kHeaderBytes);

  std::vector<std::byte> strings;
  std::vector<std::byte> regions;
  const std::uint64_t first_string = bytes.size() + sizeof(SegmentHeader);
  std::uint32_t sequence = 0;
  for (const Mapping& mapping : mappings_) {
    spool::RegionRecord record{};
    record.start = mapping.start;
    record.end = mapping.end;
    record.file_offset = mapping.file_offset;
    record.inode = mapping.inode;
    record.path = first_string + strings.size();
    record.path_bytes = static_cast<std::uint32_t>(mapping.path.size());
    record.flags = mapping.flags;
    record.load_sequence = ++sequence;
    record.build_id_bytes = static_cast<std::uint32_t>(mapping.build_id.size());
    std::memcpy(record.build_id, mapping.build_id.data(), mapping.build_id.size());
    Append(strings, mapping.path.data(), mapping.path.size());
    Append(regions, &record, sizeof record);
  }
  std::vector<std::byte> phases;
  for (const Phase& phase : phases_) {
    spool::PhaseRecord record = phase.record;
    record.text = first_string + strings.size();
    record.text_bytes = static_cast<std::uint32_t>(phase.name.size());
    Append(strings, phase.name.data(), phase.name.size());
    Append(phases, &record, sizeof record);
  }
  std::vector<spool::RunFactsRecord> run_facts;
  for (const auto& [facts, surroundings] : run_facts_) {
    spool::RunFactsRecord record = facts;
    record.surroundings.at = first_string + strings.size();
    record.surroundings.bytes = static_cast<std::uint32_t>(surroundings.size());
    Append(strings, surroundings.data(), surroundings.size());
    run_facts.push_back(record);
  }
  std::vector<spool::PythonCodeRecord> python_code;
  for (const PythonCode& code : python_code_) {
    const auto add = [&](const std::string& text) {
      const std::uint64_t at = first_string + strings.size();
      Append(strings, text.data(), text.size());
      return at;
    };
    spool::PythonCodeRecord record{};
    record.name = add(code.name);
    record.name_bytes = static_cast<std::uint32_t>(code.name.size());
    record.file = add(code.file);
    record.file_bytes = static_cast<std::uint32_t>(code.file.size());
    record.lines = add(code.lines);
    record.lines_bytes = static_cast<std::uint32_t>(code.lines.size());
    record.first_line = code.first_line;
    python_code.push_back(record);
  }
  const std::uint64_t configuration = first_string + strings.size();
  Append(strings, configuration_.data(), configuration_.size());
  AppendSegment<char>(bytes, 0, strings.size(), strings);
  AppendSegment<spool::RegionRecord>(bytes, 0, sequence, regions);
  AppendRows(bytes, threads_);

  const std::size_t events = header_.event_count;
  std::vector<std::byte> records;
  for (const Hit& hit : hits_) {
    const spool::Bucket bucket{hit.owner, hit.pc, hit.tag};
    Append(records, &bucket, sizeof bucket);
    Append(records, hit.counts.data(), events * sizeof(spool::Count));
  }
  AppendSegment<spool::Bucket>(bytes, events, hits_.size(), records);
  AppendRows(bytes, routines_);

  // As a writer does: these only where there is something to say.
  if (!phases_.empty()) AppendSegment<spool::PhaseRecord>(bytes, 0, phases_.size(), phases);
  const auto append = [&bytes](const auto& rows) {
    if (!rows.empty()) AppendRows(bytes, rows);
  };
  append(chains_);
  append(wait_sites_);
  append(locks_);
  append(holders_);
  append(moments_);
  append(timed_);
  append(switches_);
  append(chain_ends_);
  append(python_code);
  append(python_states_);
  append(run_facts);
  append(thread_slices_);
  append(place_slices_);

  spool::Header header = header_;
  header.file_bytes = bytes.size();
  if (!configuration_.empty()) {
    header.configuration = configuration;
    header.configuration_bytes = static_cast<std::uint32_t>(configuration_.size());
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

spool::ThreadSlicesRecord& SpoolBuilder::AddThreadSlices(std::uint32_t thread) {
  header_.slices_start_ns = header_.start_monotonic_ns;
  header_.slice_width_ns = 100'000'000;
  header_.place_width_ns = 400'000'000;
  spool::ThreadSlicesRecord& row = thread_slices_.emplace_back();
  row.thread = thread;
  row.start_ns = header_.start_monotonic_ns;
  row.end_ns = header_.update_monotonic_ns;
  return row;
}

spool::PlaceSlicesRecord& SpoolBuilder::AddPlaceSlices(std::uint32_t region, std::uint64_t pc) {
  spool::PlaceSlicesRecord& row = place_slices_.emplace_back();
  row.region = region;
  row.pc = pc;
  return row;
}

void SpoolBuilder::WriteTo(const std::string& path) const {
  const auto bytes = Build();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::string SpoolBuilder::Write(const std::string& folder) const {
  const std::string path = folder + "/" + header_.program + "." + header_.host + "." +
                           std::to_string(header_.pid) + "." +
                           std::to_string(header_.process_start_ticks) + "." +
                           std::to_string(header_.exec_generation) + spool::kFileSuffix;
  WriteTo(path);
  return path;
}

}  // namespace csink::testing
