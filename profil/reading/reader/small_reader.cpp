#include "profil/reading/reader/small_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>

#include "profil/reading/reader/file.h"

/// File: finds the records of a tree's file and converts them to Spool objects, as if each process
/// had left a spool. After damage the search continues at the next kSmallMagic at any offset,
/// because a torn record may have any length.

namespace csink::spool {
namespace {

constexpr std::uint32_t kMaxPathBytes = 4096;  // PATH_MAX

template <class T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Offsets of the parts of a process's record. `ok`: all parts lie inside the record.
struct Layout {
  bool ok = false;
  SmallProcess process{};
  std::size_t columns = 0;
  std::size_t regions = 0;
  std::size_t hits = 0;
  std::size_t texts = 0;
  std::size_t bytes = 0;
};

/// Reads the numbers of a record and computes where its parts are.
Layout LayoutOf(const std::byte* record, std::size_t bytes) {
  Layout layout;
  layout.bytes = bytes;
  layout.columns = sizeof(SmallHead) + sizeof(SmallProcess);
  if (bytes < layout.columns) return layout;
  layout.process = Load<SmallProcess>(record + sizeof(SmallHead));
  const SmallProcess& p = layout.process;
  // A record has at most kMaxSmallBytes bytes, so these bounds keep the sums below from
  // overflowing. The exact check is layout.ok.
  if (p.event_count == 0 || p.event_count > kMaxEvents || p.region_count > kMaxSmallBytes ||
      p.hit_count > kMaxSmallBytes) {
    return layout;
  }
  layout.regions = layout.columns + p.event_count * sizeof(EventColumn);
  layout.hits = layout.regions + p.region_count * sizeof(SmallRegion);
  layout.texts = layout.hits + p.hit_count * sizeof(SmallHit);
  layout.ok = layout.texts <= bytes;
  return layout;
}

/// The path behind a structure of `before` bytes, as long as the record has room for it.
std::string PathIn(const std::byte* body, std::size_t room, std::size_t before,
                   std::uint32_t path_bytes) {
  const std::size_t length = std::min<std::size_t>({path_bytes, room - before, kMaxPathBytes});
  return std::string(reinterpret_cast<const char*>(body + before), length);
}

/// Copies the next NUL-terminated text, cut to the size of `to`.
template <std::size_t N>
void TakeText(std::string_view& rest, char (&to)[N]) {
  // A text without a NUL ends with the record.
  const std::size_t length = std::min(rest.find('\0'), rest.size());
  std::memcpy(to, rest.data(), std::min(length, N - 1));
  rest.remove_prefix(std::min(length + 1, rest.size()));
}

// Fills in the header of a spool from a record; texts are taken afterwards.
void FillHeader(const Layout& layout, const std::byte* record, Header& header) {
  const SmallProcess& p = layout.process;
  header.version = kFormatVersion;
  header.header_bytes = kHeaderBytes;
  header.byte_order = kByteOrderMark;
  header.elf_machine = p.elf_machine;
  header.state = State::kComplete;
  header.end = p.end;
  header.end_detail = p.end_detail;
  header.source = p.source;
  header.pid = p.pid;
  header.parent_pid = p.parent_pid;
  header.uid = p.uid;
  header.tree_id = p.tree_id;
  header.start_realtime_ns = p.start_realtime_ns;
  header.start_monotonic_ns = p.start_monotonic_ns;
  header.update_monotonic_ns = p.update_monotonic_ns;
  header.user_ns = p.user_ns;
  header.system_ns = p.system_ns;
  header.start_user_ns = p.start_user_ns;
  header.start_system_ns = p.start_system_ns;
  header.agent_ns = p.agent_ns;
  header.drains = p.drains;
  std::memcpy(header.lost_ns, p.lost_ns, sizeof header.lost_ns);
  header.threads_seen = p.threads_seen;
  header.threads_sampled = p.threads_sampled;
  header.rank_plus_one = p.rank_plus_one;
  header.depth = p.depth;
  header.paused_ns = p.paused_ns;
  header.event_count = p.event_count;
  std::memcpy(header.events, record + layout.columns, p.event_count * sizeof(EventColumn));
  for (EventColumn& event : header.events) {
    event.name[sizeof event.name - 1] = 0;
    // Computed from the samples in the record.
    event.samples = event.weight = 0;
    event.weight_squared = 0;
  }
}

// The evidence in the record's tail; zero in records of older agents.
Evidence EvidenceOf(const std::byte* record, std::size_t bytes, const Layout& layout) {
  if (bytes < layout.texts + sizeof(SmallTail)) return {};
  const auto tail = Load<SmallTail>(record + bytes - sizeof(SmallTail));
  if (tail.magic != kSmallTailMagic || tail.bytes < sizeof(SmallTail)) return {};
  return tail.evidence;
}

// The times of the process's only thread. They begin with the agent, as those of a spool.
WallTotals WallOf(const SmallProcess& process, std::uint32_t wait_us_plus_one) {
  WallTotals wall{};
  if (wait_us_plus_one == 0 || process.update_monotonic_ns <= process.start_monotonic_ns)
    return wall;
  const std::uint64_t start_ns = process.start_user_ns + process.start_system_ns;
  wall.threads = 1;
  wall.wall_ns = process.update_monotonic_ns - process.start_monotonic_ns;
  if (process.thread_cpu_ns > start_ns) wall.run_ns = process.thread_cpu_ns - start_ns;
  // The clocks were read one after the other, so the parts may exceed the whole.
  wall.run_ns = std::min(wall.run_ns, wall.wall_ns);
  wall.wait_ns = std::min(std::uint64_t{wait_us_plus_one - 1} * 1000, wall.wall_ns - wall.run_ns);
  return wall;
}

// Appends the regions. `paths`: their paths, one behind the other.
void ReadRegions(const Layout& layout, std::string_view paths, Spool& spool) {
  for (std::uint32_t i = 0; i < layout.process.region_count; ++i) {
    const std::size_t at = layout.regions + i * sizeof(SmallRegion);
    const auto r = Load<SmallRegion>(spool.bytes.data() + at);
    // substr ends at the end of the record, whatever length the region claims.
    const std::string_view path = paths.substr(0, r.path_bytes);
    paths.remove_prefix(path.size());
    const auto* id = reinterpret_cast<const std::uint8_t*>(spool.bytes.data() + at +
                                                           offsetof(SmallRegion, build_id));
    spool.regions.push_back(
        {.start = r.start,
         .end = r.end,
         .file_offset = r.file_offset,
         .inode = r.inode,
         .device_major = r.device_major,
         .device_minor = r.device_minor,
         .flags = r.flags,
         .load_sequence = i,
         .path = path,
         .build_id = {id, std::min<std::size_t>(r.build_id_bytes, sizeof r.build_id)}});
  }
}

// Appends one hit for each sample. A sample of an unknown event is dropped.
void ReadHits(const Layout& layout, Spool& spool) {
  for (std::uint32_t i = 0; i < layout.process.hit_count; ++i) {
    const auto h = Load<SmallHit>(spool.bytes.data() + layout.hits + i * sizeof(SmallHit));
    if (h.event >= spool.header.event_count) continue;
    Hit hit;
    // The record is that of a process with one thread, which is number 1 (Process).
    hit.thread = 1;
    hit.pc = h.pc;
    hit.first_count = spool.counts.size();
    // A region that does not contain the address is damage; one that is kNone was not found by the
    // agent.
    const bool known = h.region < spool.regions.size() && h.pc >= spool.regions[h.region].start &&
                       h.pc < spool.regions[h.region].end;
    if (known) hit.region = h.region;
    if (!known && h.region != kNone) ++spool.misplaced_hits;
    // The number of hits is limited by the size of a record (kMaxSmallBytes).
    // A hit has counts for all events, as a bucket has; all but one are 0.
    spool.counts.resize(hit.first_count + spool.header.event_count);
    spool.counts[hit.first_count + h.event] = {1, h.weight};
    EventColumn& event = spool.header.events[h.event];
    ++event.samples;
    event.weight += h.weight;
    event.weight_squared += static_cast<double>(h.weight) * static_cast<double>(h.weight);
    spool.hits.push_back(hit);
  }
}

}  // namespace

SmallRecords::SmallRecords(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  // By ImageOf: the place of the image's last record.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> images;
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  const std::string_view magic(kSmallMagic, sizeof kSmallMagic);
  bool damaged = false;
  for (std::size_t at = 0; at < bytes_.size();) {
    const std::size_t size = TakeRecord(at);
    if (size != 0) {
      damaged = false;
      at += size;
      complete_bytes_ = at;
      continue;
    }
    // Adjacent damage counts once.
    if (!damaged) ++torn_;
    damaged = true;
    // A torn record has no valid size, so the next record is found by its magic.
    at = std::min(text.find(magic, at + 1), bytes_.size());
  }
  // If an image has several records, the last one is valid.
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    // The order of the first records is kept.
    const auto [it, is_new] = images.emplace(ImageOf(i), last.size());
    if (is_new) {
      last.push_back(processes_[i]);
    } else {
      last[it->second] = processes_[i];
    }
  }
  processes_ = std::move(last);
}

std::size_t SmallRecords::TakeRecord(std::size_t at) {
  const std::size_t room = bytes_.size() - at;
  if (room < sizeof(SmallHead)) return 0;
  const std::byte* record = bytes_.data() + at;
  auto head = Load<SmallHead>(record);
  if (std::memcmp(head.magic, kSmallMagic, sizeof head.magic) != 0 ||
      head.bytes < sizeof(SmallHead) || head.bytes % 8 != 0 || head.bytes > kMaxSmallBytes ||
      head.bytes > room) {
    return 0;
  }
  // The checksum was computed with 0 in its own field.
  std::vector<std::byte> copy(record, record + head.bytes);
  const std::uint64_t claimed = head.checksum;
  head.checksum = 0;
  std::memcpy(copy.data(), &head, sizeof head);
  if (SmallChecksum(copy.data(), copy.size() / 8) != claimed) return 0;
  // Behind the checksum: a damaged byte is not a version.
  if (head.version != kSmallVersion) {
    ++other_records_;
    other_version_ = head.version;
    return head.bytes;
  }
  if (head.kind == SmallKind::kProcess) {
    // The checksum is right, so a record that does not fit its own numbers comes from a faulty
    // writer; it is skipped like damage.
    if (!LayoutOf(record, head.bytes).ok) return 0;
    processes_.push_back(at);
  } else if (TakeFact(record, head)) {
    facts_.emplace_back(at, head.bytes);
  } else {
    // As for processes: the checksum is right and the size is wrong.
    return 0;
  }
  return head.bytes;  // Kind of a newer writer: skip it
}

bool SmallRecords::TakeFact(const std::byte* record, const SmallHead& head) {
  const std::byte* body = record + sizeof(SmallHead);
  const std::size_t room = head.bytes - sizeof(SmallHead);
  if (head.kind == SmallKind::kNotFollowed) {
    if (room < sizeof(SmallRefusal)) return false;
    const auto refusal = Load<SmallRefusal>(body);
    const std::string path = PathIn(body, room, sizeof refusal, refusal.path_bytes);
    const std::size_t time = sizeof refusal + path.size();
    const bool has_time = refusal.time_bytes == 8 && room - time >= 8;
    not_followed_.push_back(
        {refusal.pid, refusal.why, path, has_time ? Load<std::uint64_t>(body + time) : 0});
  } else if (head.kind == SmallKind::kOutside) {
    if (room < sizeof(SmallOutside)) return false;
    const auto outside = Load<SmallOutside>(body);
    // Sums saturate, as those of the merge do.
    if (__builtin_add_overflow(outside_ns_, outside.cpu_ns, &outside_ns_)) {
      outside_ns_ = ~std::uint64_t{0};
    }
  } else if (head.kind == SmallKind::kChildEnds) {
    if (room < sizeof(SmallChildEnds)) return false;
    const auto ends = Load<SmallChildEnds>(body);
    if ((room - sizeof ends) / sizeof(SmallChildEnd) < ends.count) return false;
    child_ends_.push_back({ends, {}});
    for (std::size_t i = 0; i < ends.count; ++i) {
      child_ends_.back().second.push_back(
          Load<SmallChildEnd>(body + sizeof ends + i * sizeof(SmallChildEnd)));
    }
  } else if (head.kind == SmallKind::kLeftOut) {
    if (room < sizeof(SmallLeftOut)) return false;
    const auto process = Load<SmallLeftOut>(body);
    left_out_.emplace_back(process, PathIn(body, room, sizeof process, process.path_bytes));
  } else if (head.kind == SmallKind::kNumbers) {
    if (room < sizeof(SmallNumbers)) return false;
    numbers_.push_back(Load<SmallNumbers>(body));
  }
  return true;
}

std::pair<std::uint32_t, std::uint64_t> SmallRecords::ImageOf(std::size_t index) const {
  const auto process = Load<SmallProcess>(bytes_.data() + processes_[index] + sizeof(SmallHead));
  return {process.pid, process.start_monotonic_ns};
}

End SmallRecords::EndOf(std::size_t index) const {
  return Load<SmallProcess>(bytes_.data() + processes_[index] + sizeof(SmallHead)).end;
}

std::vector<std::string_view> SmallRecords::Facts() const {
  std::vector<std::string_view> records;
  for (const auto& [at, size] : facts_) {
    records.emplace_back(reinterpret_cast<const char*>(bytes_.data() + at), size);
  }
  return records;
}

std::uint64_t SmallRecords::TreeId() const {
  if (processes_.empty()) return 0;
  return Load<SmallProcess>(bytes_.data() + processes_.front() + sizeof(SmallHead)).tree_id;
}

Spool SmallRecords::Process(std::size_t index) const {
  const std::byte* record = bytes_.data() + processes_[index];
  const auto head = Load<SmallHead>(record);
  Spool spool;
  // A copy, because the views in a Spool point into its own bytes.
  spool.bytes.assign(record, record + head.bytes);
  const Layout layout = LayoutOf(record, head.bytes);
  FillHeader(layout, record, spool.header);
  spool.header.evidence = EvidenceOf(record, head.bytes, layout);
  std::string_view rest(reinterpret_cast<const char*>(spool.bytes.data()) + layout.texts,
                        layout.bytes - layout.texts);
  TakeText(rest, spool.header.host);
  TakeText(rest, spool.header.program);
  TakeText(rest, spool.header.executable);
  TakeText(rest, spool.header.command);
  TakeText(rest, spool.header.working_directory);
  TakeText(rest, spool.header.source_reason);
  TakeText(rest, spool.header.job);
  ReadRegions(layout, rest, spool);
  // Thread 0 is the merged thread in every Spool; the main thread is number 1, as in ReadHits.
  Thread merged;
  // It has no samples here; the model expects it at this place.
  merged.name = "(merged)";
  Thread main;
  main.tid = layout.process.pid;
  main.ended = true;
  main.name.assign(layout.process.thread_name,
                   strnlen(layout.process.thread_name, sizeof layout.process.thread_name));
  main.cpu_ns = layout.process.thread_cpu_ns;
  spool.header.wall = main.wall = WallOf(layout.process, head.wait_us_plus_one);
  spool.threads = {merged, main};
  ReadHits(layout, spool);
  for (const EventColumn& event : spool.header.events) {
    // The weight of a clock is CPU time in ns.
    if (event.kind == EventClass::kClock) {
      spool.threads[1].sampled_ns = event.weight;
      break;
    }
  }
  return spool;
}

void UniqueFacts::Add(const SmallRecords& records) {
  for (const std::string_view record : records.Facts()) {
    if (!known_.emplace(record).second) continue;
    const auto* bytes = reinterpret_cast<const std::byte*>(record.data());
    bytes_.insert(bytes_.end(), bytes, bytes + record.size());
  }
}

Result<SmallRecords> ReadSmallFile(const std::string& path, std::uint64_t offset) {
  auto bytes = ReadFileFrom(path, offset, "too large for a tree's records");
  if (!bytes) return bytes.error();
  return SmallRecords(std::move(*bytes));
}

bool IsSmallFile(const std::string& path) {
  // By the name alone: the file may be empty, or damaged in its first record.
  const std::size_t slash = path.rfind('/');
  return path.compare(slash == std::string::npos ? 0 : slash + 1, std::string::npos,
                      kSmallFileName) == 0;
}

}  // namespace csink::spool
