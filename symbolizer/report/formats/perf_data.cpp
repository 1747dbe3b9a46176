#include <linux/perf_event.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/version/number.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/layout.h"
#include "symbolizer/report/formats/parts/sample_list.h"

/// File: writes perf.data (tools/perf/Documentation/perf.data-file-format.txt in Linux; the records
/// are those of perf_event_open(2)): a header, the events, the records, and features. Numbers have
/// the byte order of this machine, as the format demands.

namespace csink::report {
namespace {

/// Sizes of the file header, of a pair (offset, size), and of an event that all versions of perf
/// since Linux 4.1 read (PERF_ATTR_SIZE_VER5 in linux/perf_event.h).
constexpr std::uint64_t kHeaderBytes = 104, kSectionBytes = 16, kAttrBytes = 112;
/// Features, as bits of the header.
enum Feature : unsigned { kBuildIds = 2, kHostName = 3, kVersion = 5, kCommand = 11, kEvents = 12 };
/// Records have a size of 16 bits. perf takes no longer paths than PATH_MAX.
constexpr std::size_t kMostFrames = 8000, kMostPath = 4000, kMostComm = 15;
/// perf pads strings of features to this size.
constexpr std::size_t kStringPadding = 64;

/// Bytes of a file, appended value by value.
class Bytes {
 public:
  template <typename T>
  Bytes& Add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return Raw(std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
  }
  Bytes& Raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  /// A text with at least one 0 behind it, up to a multiple of `padding` from its beginning.
  Bytes& Text(std::string_view text, std::size_t padding) {
    Raw(text);
    bytes_.append(padding - text.size() % padding, '\0');
    return *this;
  }
  /// A string of a feature: its padded length, then its bytes.
  Bytes& FeatureText(std::string_view text) {
    const std::size_t padded = text.size() + kStringPadding - text.size() % kStringPadding;
    return Add(static_cast<std::uint32_t>(padded)).Text(text, kStringPadding);
  }
  const std::string& bytes() const { return bytes_; }

 protected:
  std::string bytes_;
};

/// One record: struct perf_event_header, then its fields.
class Record : public Bytes {
 public:
  Record(std::uint32_t type, std::uint16_t misc) { Add(perf_event_header{type, misc, 0}); }
  /// Sets the size, which is known only now.
  const std::string& Finish() {
    const auto size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data() + offsetof(perf_event_header, size), &size, sizeof size);
    return bytes_;
  }
};

/// A name without what is not text, cut between characters.
std::string Short(std::string_view name, std::size_t most) {
  std::string clean = CleanName(name);
  if (clean.size() <= most) return clean;
  // Continuation bytes of UTF-8 are 10xxxxxx.
  while (most > 0 && (static_cast<unsigned char>(clean[most]) & 0xc0) == 0x80) --most;
  return clean.substr(0, most);
}

/// The type and number of the kernel for a class of events. perf shows the event's own name, which
/// is a feature; this is for readers that look at the numbers.
std::pair<std::uint32_t, std::uint64_t> KernelEvent(EventClass kind) {
  switch (kind) {
    case EventClass::kClock:
      return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
    case EventClass::kPageFaults:
      return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
    case EventClass::kContextSwitches:
      return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES};
    case EventClass::kCycles:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
    case EventClass::kInstructions:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
    case EventClass::kCacheReferences:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES};
    case EventClass::kCacheMisses:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES};
    case EventClass::kBranches:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS};
    case EventClass::kBranchMisses:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES};
    case EventClass::kOther:
      break;
  }
  return {PERF_TYPE_RAW, 0};
}

/// Writes all events in one file. The records are made twice, because the header has their size and
/// stands before them.
class PerfData {
 public:
  PerfData(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        profile_(report.profile),
        events_(ChosenEvents(report, options)),
        sink_(sink),
        spots_(report),
        layout_(report, spots_),
        owners_(SampleOwners(report)),
        list_(ListSamples(report, RunClock(profile_), owners_, events_, {}, Spread::kRunning)),
        seen_by_(profile_.callers.size(), kNoProcess),
        mapped_by_(layout_.segments().size(), kNoProcess) {}

  void Write() {
    // Only counts bytes. A file in memory would be as large as the text of all stacks.
    Records(nullptr);
    first_sample_ns_ = time_ns_ + 1;
    // The layout: header, ids of the events, events, records, and behind them the features.
    const std::uint64_t data_bytes = written_;
    const std::uint64_t ids = kHeaderBytes;
    const std::uint64_t attrs = ids + events_.size() * sizeof(std::uint64_t);
    const std::uint64_t attr_bytes = kAttrBytes + kSectionBytes;
    const std::uint64_t data = attrs + events_.size() * attr_bytes;

    Bytes head;
    head.Raw("PERFILE2").Add(kHeaderBytes).Add(attr_bytes);
    head.Add(attrs).Add(events_.size() * attr_bytes).Add(data).Add(data_bytes);
    head.Add(std::uint64_t{0}).Add(std::uint64_t{0});  // Event types: not used any more
    const std::vector<std::pair<Feature, std::string>> features = Features();
    std::uint64_t bits[4] = {};
    for (const auto& [feature, bytes] : features) bits[0] |= std::uint64_t{1} << feature;
    head.Add(bits);
    for (std::size_t i = 0; i < events_.size(); ++i) head.Add(IdOf(i));
    for (std::size_t i = 0; i < events_.size(); ++i) {
      head.Raw(AttrOf(events_[i]));
      head.Add(ids + i * sizeof(std::uint64_t)).Add(std::uint64_t{sizeof(std::uint64_t)});
    }
    sink_ << head.bytes();
    Records(&sink_);

    // Behind the records: where each feature is, in the order of the bits, then the features.
    Bytes table;
    std::uint64_t offset = data + data_bytes + features.size() * kSectionBytes;
    for (const auto& [feature, bytes] : features) {
      table.Add(offset).Add(std::uint64_t{bytes.size()});
      offset += bytes.size();
    }
    sink_ << table.bytes();
    for (const auto& [feature, bytes] : features) sink_ << bytes;
  }

 private:
  static constexpr std::uint32_t kNoProcess = 0xffffffff;

  /// The id by which records name the event. `index` is that in events_.
  static std::uint64_t IdOf(std::size_t index) { return index + 1; }
  bool HasStacks() const { return !profile_.callers.empty(); }

  /// The event as perf_event_open(2) would have got it, the first kAttrBytes of it.
  std::string AttrOf(std::size_t event) const {
    const EventTotals& totals = profile_.events[event];
    perf_event_attr attr;
    static_assert(sizeof attr >= kAttrBytes);
    std::memset(&attr, 0, sizeof attr);
    const auto [type, config] = KernelEvent(totals.kind);
    attr.type = type;
    attr.config = config;
    attr.size = kAttrBytes;
    // sample_period and sample_freq are one field of the kernel's structure.
    attr.freq = totals.period == 0 && totals.frequency_hz != 0;
    attr.sample_period = attr.freq ? totals.frequency_hz : totals.period;
    attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
    if (HasStacks()) attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr.exclude_kernel = !report_.system_sampled;
    attr.mmap = attr.mmap2 = attr.comm = attr.sample_id_all = 1;
    attr.precise_ip = std::min(totals.precise_ip, 3u);
    return std::string(reinterpret_cast<const char*>(&attr), kAttrBytes);
  }

  /// The features with their bytes, in the order of their bits, as the header wants them.
  std::vector<std::pair<Feature, std::string>> Features() const {
    std::vector<std::pair<Feature, std::string>> features;
    const std::string ids = BuildIds();
    if (!ids.empty()) features.emplace_back(kBuildIds, ids);
    if (!report_.host.empty()) {
      features.emplace_back(kHostName, Bytes().FeatureText(CleanName(report_.host)).bytes());
    }
    features.emplace_back(kVersion, Bytes().FeatureText("csink " CSINK_VERSION).bytes());
    // The command is the only text that perf shows (perf report --header), so the facts of the run
    // stand in it as comments.
    const std::vector<std::string> facts = FactLines(report_);
    Bytes command;
    command.Add(static_cast<std::uint32_t>(facts.size() + 3));
    command.FeatureText("csink run --").FeatureText(CleanName(report_.command, {}, ' '));
    for (const std::string& line : facts) command.FeatureText("\n#  " + line);
    command.FeatureText("\n#  " + list_.Describe());
    features.emplace_back(kCommand, command.bytes());
    Bytes events;
    events.Add(static_cast<std::uint32_t>(events_.size()));
    events.Add(static_cast<std::uint32_t>(kAttrBytes));
    for (std::size_t i = 0; i < events_.size(); ++i) {
      events.Raw(AttrOf(events_[i])).Add(std::uint32_t{1});
      events.FeatureText(CleanName(profile_.events[events_[i]].name)).Add(IdOf(i));
    }
    features.emplace_back(kEvents, events.bytes());
    return features;
  }
  /// The build-ids of all files, by which perf finds their symbols and refuses other files.
  std::string BuildIds() const {
    constexpr std::uint16_t kHasSize = 1 << 15;  // PERF_RECORD_MISC_BUILD_ID_SIZE
    constexpr std::size_t kMostId = 20;
    std::string all;
    for (const Module& module : profile_.modules) {
      if (module.build_id.empty() || module.build_id.size() > kMostId || !HasFile(module)) continue;
      // struct perf_record_header_build_id: 20 bytes, the size of the id, 3 bytes of padding.
      std::uint8_t id[24] = {};
      std::copy(module.build_id.begin(), module.build_id.end(), id);
      id[kMostId] = static_cast<std::uint8_t>(module.build_id.size());
      Record record(0, PERF_RECORD_MISC_USER | kHasSize);
      record.Add(std::int32_t{-1}).Add(id).Text(Short(module.path, kMostPath), 8);
      all += record.Finish();
    }
    return all;
  }

  /// Makes all records: names and mappings process by process, then the samples by time. Counts
  /// their bytes in written_, and passes them to `sink` if it is not null.
  void Records(Sink* sink) {
    out_ = sink;
    written_ = 0;
    time_ns_ = 0;
    // Both passes must make the same records, so all state begins anew.
    std::fill(seen_by_.begin(), seen_by_.end(), kNoProcess);
    std::fill(mapped_by_.begin(), mapped_by_.end(), kNoProcess);
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      const bool is_new_process = i == 0 || owners_[i].process != owners_[i - 1].process;
      // Owners are sorted by process.
      if (is_new_process) {
        Comm(owners_[i], owners_[i].pid, owners_[i].program);
        // perf finds a mapping by the time of the sample, so all mappings come first.
        for (std::size_t k = i; k < owners_.size() && owners_[k].process == owners_[i].process;
             ++k) {
          for (const std::uint32_t place : owners_[k].places) Map(owners_[k], place);
        }
      }
      if (owners_[i].tid != owners_[i].pid) Comm(owners_[i], owners_[i].tid, owners_[i].name);
    }
    for (const ListedSample& sample : list_.records) Sample(sample);
  }
  /// Completes a record. In the first pass it is only counted.
  void Emit(Record& record) {
    const std::string& bytes = record.Finish();
    written_ += bytes.size();
    if (out_ != nullptr) *out_ << bytes;
  }
  /// The end of a record that is no sample (sample_id_all): thread, time, event.
  void EmitWithId(Record& record, const SampleOwner& owner, std::uint32_t tid) {
    record.Add(owner.pid).Add(tid).Add(NextTime()).Add(IdOf(0));
    Emit(record);
  }
  /// A time for a name or a mapping, later than all before it: perf sorts by time, and needs them
  /// before the samples.
  std::uint64_t NextTime() { return ++time_ns_; }

  /// The name of a thread.
  void Comm(const SampleOwner& owner, std::uint32_t tid, const std::string& name) {
    const bool is_process = tid == owner.pid;
    Record record(PERF_RECORD_COMM, is_process ? PERF_RECORD_MISC_COMM_EXEC : 0);
    record.Add(owner.pid).Add(tid).Text(Short(name.empty() ? "unknown" : name, kMostComm), 8);
    EmitWithId(record, owner, tid);
  }
  /// The mappings of a place and of its callers, once for each process.
  void Map(const SampleOwner& owner, std::uint32_t place) {
    MapSpot(owner, spots_.OfPlace(place));
    const auto process = static_cast<std::uint32_t>(owner.process);
    for (std::uint32_t c = profile_.places[place].caller; c != 0; c = profile_.callers[c].parent) {
      // The callers above were mapped together with this one.
      if (seen_by_[c] == process) return;
      seen_by_[c] = process;
      if (!profile_.callers[c].IsEmpty()) MapSpot(owner, spots_.OfCaller(c));
    }
  }
  /// The mapping of a spot's segment, once for each process.
  void MapSpot(const SampleOwner& owner, std::uint32_t spot) {
    const std::uint32_t index = layout_.SegmentOf(spot);
    const auto process = static_cast<std::uint32_t>(owner.process);
    if (mapped_by_[index] == process) return;
    mapped_by_[index] = process;
    const Segment& segment = layout_.segments()[index];
    const Module& module = profile_.modules[segment.module];
    // perf knows where the kernel is, and shows code without a mapping as unknown.
    if (IsKernelCode(module) || module.is_unknown) return;
    // "//anon" is perf's name for memory in which it looks for code of a JIT.
    const std::string path = module.is_anonymous || module.path.empty() ? "//anon" : module.path;
    Record record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    record.Add(owner.pid).Add(owner.pid);
    record.Add(segment.start).Add(segment.limit - segment.start).Add(segment.file_offset);
    record.Add(std::uint32_t{0}).Add(std::uint32_t{0});  // Device
    record.Add(std::uint64_t{0}).Add(std::uint64_t{0});  // Inode and its generation
    record.Add(std::uint32_t{PROT_READ | PROT_EXEC}).Add(std::uint32_t{MAP_PRIVATE});
    record.Text(Short(path, kMostPath), 8);
    EmitWithId(record, owner, owner.pid);
  }
  bool IsKernelSpot(std::uint32_t spot) const {
    return IsKernelCode(profile_.modules[spots_.all()[spot].code.module]);
  }
  void Sample(const ListedSample& sample) {
    const SampleOwner& owner = owners_[sample.owner];
    const std::uint32_t place = sample.place;
    const auto index = static_cast<std::size_t>(
        std::find(events_.begin(), events_.end(), sample.event) - events_.begin());
    const std::uint32_t spot = spots_.OfPlace(place);
    bool is_kernel = IsKernelSpot(spot);
    const std::uint64_t address = layout_.AddressOf(spot);
    Record record(PERF_RECORD_SAMPLE, is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
    record.Add(IdOf(index)).Add(address).Add(owner.pid).Add(owner.tid);
    record.Add(first_sample_ns_ + sample.time_ns);
    // The order of perf_event_open(2) has the period before the call chain.
    record.Add(sample.weight);
    if (HasStacks()) {
      frames_.clear();
      frames_.push_back(is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
      frames_.push_back(address);
      for (std::uint32_t c = profile_.places[place].caller; c != 0 && frames_.size() < kMostFrames;
           c = profile_.callers[c].parent) {
        if (profile_.callers[c].IsEmpty()) continue;
        const std::uint32_t caller = spots_.OfCaller(c);
        // A context says to what the following addresses belong.
        if (IsKernelSpot(caller) != is_kernel) {
          is_kernel = !is_kernel;
          frames_.push_back(is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
        }
        frames_.push_back(layout_.AddressOf(caller));
      }
      record.Add(std::uint64_t{frames_.size()});
      record.Raw(std::string_view(reinterpret_cast<const char*>(frames_.data()),
                                  frames_.size() * sizeof frames_[0]));
    }
    Emit(record);
  }

  const Report& report_;
  const Profile& profile_;
  const std::vector<std::size_t> events_;
  Sink& sink_;
  const Spots spots_;
  const Layout layout_;
  const std::vector<SampleOwner> owners_;
  const SampleList list_;
  Sink* out_ = nullptr;
  std::uint64_t written_ = 0;
  std::uint64_t time_ns_ = 0;             ///< Of the last name or mapping
  std::uint64_t first_sample_ns_ = 0;     ///< The begin of the run; behind all names and mappings
  std::vector<std::uint32_t> seen_by_;    ///< By caller: the process that mapped it last
  std::vector<std::uint32_t> mapped_by_;  ///< By segment, likewise
  std::vector<std::uint64_t> frames_;
};

}  // namespace

/// perf.data with one record for each sample (sample_list.h). Names are not in it: perf reads them
/// from the files.
Result<void> WritePerfData(const Report& report, const FormatOptions& options, Sink& sink) {
  PerfData(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
