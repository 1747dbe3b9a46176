#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/util/hex.h"
#include "core/version/number.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/json_text.h"
#include "symbolizer/report/formats/parts/paths.h"
#include "symbolizer/report/formats/parts/sample_list.h"
#include "symbolizer/report/formats/parts/strings.h"
#include "symbolizer/report/tables/thread_trace.h"

/// File: writes Firefox Profiler's processed profile format, version 70 (docs-developer/
/// CHANGELOG-formats.md and src/types/profile.ts of github.com/firefox-devtools/profiler, August
/// 2026). The viewer upgrades profiles of older versions when it loads them.

namespace csink::report {
namespace {

constexpr std::uint64_t kProcessedVersion = 70;
/// The version of Gecko's own format, from which the viewer decides nothing for processed profiles.
constexpr std::uint64_t kGeckoVersion = 31;
/// Indices into meta.categories.
constexpr std::uint64_t kUser = 0, kKernel = 1, kOther = 2;
/// Resource type of functions in a library.
constexpr std::uint64_t kLibraryResource = 1;
/// JSON's numbers are doubles in the viewer: addresses above are not exact and are left out.
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;
/// Nodes, steps and modules without a number in the tables; of a sample: no stack.
constexpr std::uint32_t kNone = 0xffffffff;
/// Phases of markers.
constexpr std::uint64_t kInstant = 0, kInterval = 1;
/// More waits are not drawn: the viewer lays out all markers of a thread.
constexpr std::size_t kMostWaits = 100'000;

/// Numbers for the entries of a large table that the file uses.
class Renumbered {
 public:
  explicit Renumbered(std::size_t size) : number_of_(size, kNone) {}
  bool Has(std::uint32_t entry) const { return number_of_[entry] != kNone; }
  std::uint32_t Of(std::uint32_t entry) const { return number_of_[entry]; }
  /// Gives the next number to an entry that has none.
  void Add(std::uint32_t entry) {
    if (Has(entry)) return;
    number_of_[entry] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(entry);
  }
  /// The entries, by number.
  const std::vector<std::uint32_t>& entries() const { return entries_; }

 private:
  std::vector<std::uint32_t> number_of_, entries_;
};

/// Breakpad's id of a library, by which the viewer identifies it: the first 16 bytes of the
/// build-id as a GUID, whose first three parts are stored with the lowest byte first, and an age
/// of 0.
std::string BreakpadId(const std::vector<std::uint8_t>& build_id) {
  std::vector<std::uint8_t> guid(build_id);
  guid.resize(16);
  std::reverse(guid.begin(), guid.begin() + 4);
  std::reverse(guid.begin() + 4, guid.begin() + 6);
  std::reverse(guid.begin() + 6, guid.begin() + 8);
  std::string id = ToHex(guid) + "0";
  std::transform(id.begin(), id.end(), id.begin(), [](char c) {
    return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return id;
}

/// Writes a thread of the format for each thread and event with samples.
class Firefox {
 public:
  Firefox(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        profile_(report.profile),
        events_(ChosenEvents(report, options)),
        json_(sink),
        spots_(report),
        paths_(report, spots_, PathDetail::kAddresses, options.inlines),
        pids_(UniquePids()),
        clock_(profile_),
        owners_(OwnersOf(report)),
        list_(ListSamples(report, clock_, owners_, events_, RankOfPlaces(), Spread::kRunning)),
        trace_(MakeThreadTrace(report)),
        stacks_(paths_.nodes().size()),
        frames_(paths_.steps().size()),
        functions_(paths_.functions().size()),
        resources_(profile_.modules.size()),
        symbols_(0) {}

  void Write() {
    FindShortestWait();
    for (const ListedSample& sample : list_.records) Use(paths_.OfPlace(sample.place));
    json_.BeginObject();
    Meta();
    json_.NewLine();
    Libraries();
    FindSymbols();
    json_.NewLine();
    json_.Key("threads").BeginArray();
    // Records are sorted by time, and stay so.
    std::vector<std::vector<std::uint32_t>> records(owners_.size() * profile_.events.size());
    for (std::uint32_t i = 0; i < list_.records.size(); ++i) {
      const ListedSample& record = list_.records[i];
      records[record.owner * profile_.events.size() + record.event].push_back(i);
    }
    marks_owner_ = MarksOwner(records);
    for (std::size_t owner = 0; owner < owners_.size(); ++owner) {
      // Waits are shown once, with the first event.
      bool with_markers = true;
      for (const std::size_t event : events_) {
        Thread(owner, event, records[owner * profile_.events.size() + event], with_markers);
      }
    }
    json_.EndArray();
    json_.NewLine();
    json_.Key("shared").BeginObject();
    Stacks();
    Frames();
    Functions();
    Resources();
    Symbols();
    Sources();
    // Last, because only now all strings are known.
    json_.NewLine();
    json_.Key("stringArray").BeginArray();
    for (const auto& text : strings_.texts()) {
      json_.Value(text);
      if (&text != &strings_.texts().back()) json_.NewLine();
    }
    json_.EndArray();
    json_.EndObject();
    json_.EndObject();
    json_.End();
  }

 private:
  /// The pid of each process as text. Images of one process, and processes of several machines, may
  /// have the same pid; the format wants texts that differ.
  std::vector<std::string> UniquePids() const {
    std::vector<std::string> pids;
    std::map<std::uint32_t, std::uint64_t> seen;
    for (const ProcessRow& process : profile_.processes) {
      const std::uint64_t earlier = seen[process.pid]++;
      pids.push_back(std::to_string(process.pid) +
                     (earlier == 0 ? "" : "." + std::to_string(earlier)));
    }
    return pids;
  }
  /// The owners of samples, and the threads that only waited.
  static std::vector<SampleOwner> OwnersOf(const Report& report) {
    std::vector<SampleOwner> owners = SampleOwners(report);
    if (report.profile.timed.counts.recorded == 0) return owners;
    std::vector<bool> has(report.profile.threads.size());
    for (const SampleOwner& owner : owners) {
      if (owner.thread != kNoThread) has[owner.thread] = true;
    }
    for (std::uint32_t i = 0; i < has.size(); ++i) {
      if (!has[i] && !report.profile.threads[i].is_merged) owners.push_back(OwnerOf(report, i));
    }
    std::stable_sort(owners.begin(), owners.end(), [](const SampleOwner& a, const SampleOwner& b) {
      return a.process < b.process;
    });
    return owners;
  }
  /// Stacks with a common beginning stand side by side where their times are not known, so that the
  /// chart over time shows them as one block.
  std::vector<std::uint32_t> RankOfPlaces() const {
    const std::vector<std::uint32_t> rank_of_node = paths_.Ranks();
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < profile_.places.size(); ++i) {
      ranks.push_back(rank_of_node[paths_.OfPlace(i)]);
    }
    return ranks;
  }
  /// Sets shortest_wait_ns_ so that at most kMostWaits are as long.
  void FindShortestWait() {
    std::vector<std::uint64_t> lengths;
    for (const TracedThread& thread : trace_.threads) {
      for (const TracedWait& wait : thread.waits) lengths.push_back(wait.end_ns - wait.begin_ns);
    }
    if (lengths.size() <= kMostWaits) return;
    std::nth_element(lengths.begin(), lengths.begin() + kMostWaits, lengths.end(),
                     std::greater<>());
    shortest_wait_ns_ = lengths[kMostWaits] + 1;
  }
  /// The owner that shows the marks: of the first process the main thread, if it has samples, else
  /// the first one that has.
  std::size_t MarksOwner(const std::vector<std::vector<std::uint32_t>>& records) const {
    std::size_t first = owners_.size();
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      bool has_samples = false;
      for (const std::size_t event : events_) {
        has_samples = has_samples || !records[i * profile_.events.size() + event].empty();
      }
      if (!has_samples) continue;
      if (owners_[i].tid == owners_[i].pid) return i;
      first = std::min(first, i);
    }
    return first;
  }
  bool IsClock(std::size_t event) const {
    return profile_.events[event].kind == EventClass::kClock;
  }

  /// What holds for all threads: times, categories, and the facts of the run as extra settings.
  void Meta() {
    const bool has_clock = !events_.empty() && IsClock(events_[0]);
    const std::uint64_t period = has_clock ? profile_.events[events_[0]].period : 0;
    json_.Key("meta").BeginObject();
    json_.Key("interval").Raw(period == 0 ? "1" : JsonMilliseconds(period));
    json_.Key("startTime").Raw(JsonMilliseconds(clock_.start_realtime_ns()));
    json_.Member("processType", 0);
    json_.Member("product", report_.command.empty() ? "csink" : report_.command);
    json_.Member("stackwalk", profile_.callers.empty() ? 0 : 1);
    json_.Member("debug", false);
    json_.Member("version", kGeckoVersion);
    json_.Member("preprocessedProfileVersion", kProcessedVersion);
    json_.Member("symbolicated", true);
    json_.Member("importedFrom", "csink " CSINK_VERSION);
    json_.NewLine();
    json_.Key("categories")
        .Raw(R"([{"name":"User","color":"yellow","subcategories":["Other"]},)"
             R"({"name":"Kernel","color":"orange","subcategories":["Other"]},)"
             R"({"name":"Other","color":"grey","subcategories":["Other"]}])");
    json_.Key("markerSchema")
        .Raw(R"([{"name":"csink-wait","tooltipLabel":"Wait: {marker.data.what}",)"
             R"("tableLabel":"{marker.data.what} {marker.data.site} {marker.data.waker}",)"
             R"("chartLabel":"{marker.data.what}",)"
             R"("display":["marker-chart","marker-table","timeline-overview"],"fields":[)"
             R"({"key":"what","label":"For","format":"string"},)"
             R"({"key":"object","label":"Object","format":"string"},)"
             R"({"key":"waker","label":"Ended by","format":"string"},)"
             R"({"key":"site","label":"Place","format":"string"}]},)"
             R"({"name":"csink-mark","tooltipLabel":"{marker.data.mark}",)"
             R"("tableLabel":"{marker.data.mark}","chartLabel":"{marker.data.mark}",)"
             R"("display":["marker-chart","marker-table","timeline-overview"],)"
             R"("fields":[{"key":"mark","label":"Mark","format":"string"}]}])");
    json_.NewLine();
    json_.Key("sampleUnits").Raw(R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
    json_.NewLine();
    json_.Member("usesOnlyOneStackType", true);
    json_.Member("sourceCodeIsNotOnSearchfox", true);
    json_.Member("keepProfileThreadOrder", true);
    json_.Key("extra").BeginArray();
    json_.BeginObject();
    json_.Member("label", "csink");
    json_.Key("entries").BeginArray();
    std::vector<std::string> facts = FactLines(report_);
    facts.push_back(list_.Describe());
    if (trace_.threads.empty()) {
      facts.emplace_back("Waits were not recorded with times (csink run --critical)");
    } else if (shortest_wait_ns_ != 0) {
      facts.push_back("Waits shorter than " + std::to_string(shortest_wait_ns_) +
                      " ns have no marker");
    }
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (i > 0) json_.NewLine();
      json_.BeginObject();
      json_.Member("label", std::to_string(i + 1));
      json_.Member("format", "string");
      json_.Member("value", facts[i]);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
    json_.EndArray();
    json_.EndObject();
  }

  /// All files with spots. lib_of_ gets their numbers.
  void Libraries() {
    lib_of_.assign(profile_.modules.size(), kNone);
    std::uint32_t libs = 0;
    json_.Key("libs").BeginArray();
    for (const Spot& spot : spots_.all()) {
      const Module& module = profile_.modules[spot.code.module];
      if (lib_of_[spot.code.module] != kNone || !HasFile(module)) continue;
      lib_of_[spot.code.module] = libs++;
      const std::string_view name = spots_.ModuleName(spot.code.module);
      json_.NewLine();
      json_.BeginObject();
      json_.Member("arch", "");
      json_.Member("name", name);
      json_.Member("path", module.path);
      json_.Member("debugName", name);
      json_.Member("debugPath", module.path);
      json_.Member("breakpadId", BreakpadId(module.build_id));
      json_.Key("codeId");
      if (module.build_id.empty()) {
        json_.Value(nullptr);
      } else {
        json_.Value(ToHex(module.build_id));
      }
      json_.EndObject();
    }
    json_.EndArray();
  }

  /// One thread of the format: the owner's samples of one event, and its waits with the first one
  /// that is written. Nothing if it has neither.
  void Thread(std::size_t index, std::size_t event, const std::vector<std::uint32_t>& records,
              bool& with_markers) {
    const SampleOwner& owner = owners_[index];
    const TracedThread* traced = trace_.Of(owner.thread);
    const bool has_waits = with_markers && traced != nullptr && !traced->waits.empty();
    if (records.empty() && !has_waits) return;
    // A thread that waits for other events, too, has its waits where it has samples.
    if (records.empty() && event != events_.back()) return;

    std::string name = owner.name.empty() ? "unnamed" : owner.name;
    // The viewer has one kind of weight for a thread.
    if (events_.size() > 1) name += " (" + profile_.events[event].name + ")";
    const bool has_process = owner.process < pids_.size();
    const Activity life(profile_, clock_, owner.process, owner.thread, true);
    std::uint64_t begin = life.begin_ns(), end = life.end_ns();
    if (traced != nullptr) {
      begin = clock_.Since(traced->process, traced->begin_ns);
      end = std::max(begin, clock_.Since(traced->process, traced->end_ns));
    }
    if (!records.empty()) {
      begin = std::min(begin, list_.records[records.front()].time_ns);
      end = std::max(end, list_.records[records.back()].time_ns);
    }
    const bool ended = owner.thread != kNoThread && profile_.threads[owner.thread].ended;
    json_.NewLine();
    json_.BeginObject();
    json_.Member("processType", "default");
    json_.Key("processStartupTime")
        .Raw(JsonMilliseconds(has_process ? clock_.BeginOf(owner.process) : 0));
    json_.Member("processShutdownTime", nullptr);
    json_.Key("registerTime").Raw(JsonMilliseconds(begin));
    if (ended) {
      json_.Key("unregisterTime").Raw(JsonMilliseconds(end));
    } else {
      json_.Member("unregisterTime", nullptr);
    }
    json_.Key("pausedRanges").Raw("[]");
    json_.Member("showMarkersInTimeline", true);
    json_.Member("name", name);
    json_.Member("isMainThread", owner.tid == owner.pid);
    json_.Member("processName", owner.program);
    json_.Member("pid", has_process ? pids_[owner.process] : std::to_string(owner.pid));
    json_.Member("tid", owner.tid);
    Samples(event, records, traced, end);
    Markers(with_markers ? traced : nullptr, with_markers && index == marks_owner_);
    json_.EndObject();
    with_markers = false;
  }
  /// Numbers a node, the nodes above it, and what they refer to. Parents get smaller numbers.
  void Use(std::uint32_t node) {
    stack_.clear();
    for (; node != 0 && !stacks_.Has(node); node = paths_.nodes()[node].parent) {
      stack_.push_back(node);
    }
    for (std::size_t i = stack_.size(); i-- > 0;) {
      stacks_.Add(stack_[i]);
      const std::uint32_t step = paths_.nodes()[stack_[i]].step;
      frames_.Add(step);
      functions_.Add(paths_.steps()[step].function);
    }
  }

  /// The column of a table: `write` writes the value of each entry.
  template <typename Write>
  void Column(const char* name, const std::vector<std::uint32_t>& entries, Write write) {
    json_.NewLine();
    json_.Key(name).List(entries, write);
  }
  /// The begin of a table.
  void Begin(const char* table) {
    json_.NewLine();
    json_.Key(table).BeginObject();
  }
  /// A number, or null for kNone.
  void NumberOrNull(std::uint32_t number) {
    if (number == kNone) {
      json_.Value(nullptr);
    } else {
      json_.Value(number);
    }
  }
  /// A sample of a thread as the table has it.
  struct Entry {
    std::uint64_t time_ns = 0;
    std::uint64_t weight = 0;
    std::uint32_t stack = kNone;  ///< kNone: the thread did not run
  };
  /// The samples of a thread. A sample is drawn until the next one, so the times at which the
  /// thread blocked and ended have samples without a stack.
  void Samples(std::size_t event, const std::vector<std::uint32_t>& records,
               const TracedThread* traced, std::uint64_t end_ns) {
    const bool is_clock = IsClock(event);
    std::vector<Entry> entries;
    for (const std::uint32_t i : records) {
      const ListedSample& record = list_.records[i];
      entries.push_back({record.time_ns, record.weight, stacks_.Of(paths_.OfPlace(record.place))});
    }
    if (!entries.empty()) {
      // Shorter times are within what a sample stands for.
      const std::uint64_t shortest =
          std::max<std::uint64_t>(2 * profile_.events[event].period, 2'000'000);
      if (traced != nullptr) {
        for (const StateSlice& slice : traced->slices) {
          if (slice.state == ThreadState::kRunning || slice.end_ns - slice.begin_ns < shortest) {
            continue;
          }
          for (const std::uint64_t ns : {slice.begin_ns, slice.end_ns}) {
            entries.push_back({clock_.Since(traced->process, ns), 0, kNone});
          }
        }
      }
      entries.push_back({end_ns, 0, kNone});
      std::stable_sort(entries.begin(), entries.end(),
                       [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
    }
    Begin("samples");
    json_.Member("weightType", is_clock ? "tracing-ms" : "samples");
    const auto column = [&](const char* name, auto write) {
      json_.NewLine();
      json_.Key(name).List(entries, write);
    };
    column("stack", [&](const Entry& entry) { NumberOrNull(entry.stack); });
    column("weight", [&](const Entry& entry) {
      if (is_clock) {
        json_.Raw(JsonMilliseconds(entry.weight));
      } else {
        json_.Value(entry.weight);
      }
    });
    column("time", [&](const Entry& entry) { json_.Raw(JsonMilliseconds(entry.time_ns)); });
    // What the thread used of a processor since the sample before.
    if (is_clock) {
      column("threadCPUDelta", [&](const Entry& entry) { json_.Value(entry.weight); });
    }
    json_.Member("length", entries.size());
    json_.EndObject();
  }

  /// A marker of a thread.
  struct Marker {
    std::uint64_t begin_ns = 0, end_ns = 0;
    const TracedWait* wait = nullptr;  ///< Null: a mark
    std::size_t phase = 0;
  };
  /// The waits of a thread, and the first time of each mark.
  void Markers(const TracedThread* traced, bool with_marks) {
    std::vector<Marker> markers;
    if (traced != nullptr) {
      for (const TracedWait& wait : traced->waits) {
        if (wait.end_ns - wait.begin_ns < shortest_wait_ns_) continue;
        markers.push_back({clock_.Since(traced->process, wait.begin_ns),
                           clock_.Since(traced->process, wait.end_ns), &wait, 0});
      }
    }
    // A phase does not say on which machine it was set.
    for (std::size_t i = 1; with_marks && clock_.one_machine() && i < profile_.phases.size(); ++i) {
      const std::uint64_t ns = profile_.phases[i].first_monotonic_ns;
      if (ns == 0) continue;
      const std::uint64_t time = clock_.Since(0, ns);
      markers.push_back({time, time, nullptr, i});
    }
    Begin("markers");
    const auto column = [&](const char* name, auto write) {
      json_.NewLine();
      json_.Key(name).List(markers, write);
    };
    column("data", [&](const Marker& marker) { MarkerData(marker); });
    column("name", [&](const Marker& marker) {
      json_.Value(strings_.Id(marker.wait == nullptr ? "Mark" : "Wait"));
    });
    column("startTime",
           [&](const Marker& marker) { json_.Raw(JsonMilliseconds(marker.begin_ns)); });
    column("endTime", [&](const Marker& marker) { json_.Raw(JsonMilliseconds(marker.end_ns)); });
    column("phase", [&](const Marker& marker) {
      json_.Value(marker.wait == nullptr ? kInstant : kInterval);
    });
    column("category", [&](const Marker&) { json_.Value(kOther); });
    json_.Member("length", markers.size());
    json_.EndObject();
  }
  void MarkerData(const Marker& marker) {
    json_.NewLine();
    json_.BeginObject();
    if (marker.wait == nullptr) {
      json_.Member("type", "csink-mark");
      json_.Member("mark", profile_.phases[marker.phase].name);
    } else {
      const TracedWait& wait = *marker.wait;
      json_.Member("type", "csink-wait");
      json_.Member("what", wait.what);
      if (wait.object != 0) {
        char object[32];
        std::snprintf(object, sizeof object, "0x%llx",
                      static_cast<unsigned long long>(wait.object));
        json_.Member("object", object);
      }
      if (wait.waker != kNoTraced) {
        const TracedThread& waker = trace_.threads[wait.waker];
        json_.Member("waker", waker.name + " " + std::to_string(waker.tid) +
                                  (wait.is_inferred ? " (inferred)" : ""));
      }
      if (wait.site != 0) json_.Member("site", trace_.sites[wait.site]);
    }
    json_.EndObject();
  }

  /// The nodes of the tree that samples need; parents come first.
  void Stacks() {
    Begin("stackTable");
    json_.Key("frame").List(stacks_.entries(), [&](std::uint32_t node) {
      json_.Value(frames_.Of(paths_.nodes()[node].step));
    });
    // The distance to the parent; 0: there is none.
    Column("prefixOffset", stacks_.entries(), [&](std::uint32_t node) {
      const std::uint32_t parent = paths_.nodes()[node].parent;
      json_.Value(parent == 0 ? 0 : stacks_.Of(node) - stacks_.Of(parent));
    });
    json_.Member("length", stacks_.entries().size());
    json_.EndObject();
  }

  /// The module of a step; kNoModule for kCutName.
  std::uint32_t ModuleOf(const PathStep& step) const {
    return step.spot == kNoSpot ? kNoModule : spots_.all()[step.spot].code.module;
  }
  /// Whether the module is among the libraries of the file.
  bool HasLibrary(std::uint32_t module) const {
    return module != kNoModule && lib_of_[module] != kNone;
  }
  /// Numbers the symbols of all spots, once for all threads. kNone: a spot without a library.
  void FindSymbols() {
    std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> known(profile_.modules.size());
    for (std::uint32_t i = 0; i < spots_.all().size(); ++i) {
      const Spot& spot = spots_.all()[i];
      const std::uint64_t vaddr = spot.location->function_vaddr;
      symbol_of_spot_.push_back(kNone);
      if (lib_of_[spot.code.module] == kNone || vaddr >= kMostExact) continue;
      const auto next = static_cast<std::uint32_t>(spot_of_symbol_.size());
      const auto [it, is_new] = known[spot.code.module].emplace(vaddr, next);
      if (is_new) spot_of_symbol_.push_back(i);
      symbol_of_spot_.back() = it->second;
    }
    symbols_ = Renumbered(spot_of_symbol_.size());
  }
  /// The number of a step's symbol in the table; kNone: none.
  std::uint32_t SymbolOf(const PathStep& step) {
    if (step.spot == kNoSpot || symbol_of_spot_[step.spot] == kNone) return kNone;
    symbols_.Add(symbol_of_spot_[step.spot]);
    return symbols_.Of(symbol_of_spot_[step.spot]);
  }

  /// The addresses on these stacks. Columns without information have the value that the viewer
  /// expects for it.
  void Frames() {
    const std::vector<std::uint32_t>& frames = frames_.entries();
    const auto step_of = [&](std::uint32_t frame) -> const PathStep& {
      return paths_.steps()[frame];
    };
    Begin("frameTable");
    json_.Member("length", frames.size());
    Column("address", frames, [&](std::uint32_t frame) {
      const PathStep& step = step_of(frame);
      const bool is_known =
          HasLibrary(ModuleOf(step)) && spots_.all()[step.spot].address < kMostExact;
      if (is_known) {
        json_.Value(spots_.all()[step.spot].address);
      } else {
        json_.Value(-1);
      }
    });
    Column("lib", frames, [&](std::uint32_t frame) {
      const std::uint32_t module = ModuleOf(step_of(frame));
      if (HasLibrary(module)) {
        json_.Value(lib_of_[module]);
      } else {
        json_.Value(-1);
      }
    });
    Column("inlineDepth", frames, [&](std::uint32_t frame) { json_.Value(step_of(frame).depth); });
    Column("category", frames, [&](std::uint32_t frame) {
      const std::uint32_t module = ModuleOf(step_of(frame));
      const bool is_kernel = module != kNoModule && IsKernelCode(profile_.modules[module]);
      json_.Value((is_kernel ? kKernel : kUser));
    });
    Column("subcategory", frames, [&](std::uint32_t) { json_.Value(0); });
    Column("func", frames,
           [&](std::uint32_t frame) { json_.Value(functions_.Of(step_of(frame).function)); });
    Column("nativeSymbol", frames,
           [&](std::uint32_t frame) { NumberOrNull(SymbolOf(step_of(frame))); });
    Column("innerWindowID", frames, [&](std::uint32_t) { json_.Value(nullptr); });
    Column("line", frames, [&](std::uint32_t frame) {
      NumberOrNull(step_of(frame).line == 0 ? kNone : step_of(frame).line);
    });
    Column("column", frames, [&](std::uint32_t) { json_.Value(nullptr); });
    Column("originalLocation", frames, [&](std::uint32_t) { json_.Value(nullptr); });
    json_.EndObject();
  }
  /// The symbols that frames refer to: after Frames.
  void Symbols() {
    const std::vector<std::uint32_t>& symbols = symbols_.entries();
    const auto spot_of = [&](std::uint32_t symbol) -> const Spot& {
      return spots_.all()[spot_of_symbol_[symbol]];
    };
    Begin("nativeSymbols");
    json_.Member("length", symbols.size());
    Column("libIndex", symbols,
           [&](std::uint32_t symbol) { json_.Value(lib_of_[spot_of(symbol).code.module]); });
    Column("address", symbols,
           [&](std::uint32_t symbol) { json_.Value(spot_of(symbol).location->function_vaddr); });
    Column("name", symbols,
           [&](std::uint32_t symbol) { json_.Value(strings_.Id(spot_of(symbol).function)); });
    Column("functionSize", symbols, [&](std::uint32_t) { json_.Value(nullptr); });
    json_.EndObject();
  }

  /// The functions of these frames.
  void Functions() {
    const std::vector<std::uint32_t>& functions = functions_.entries();
    const auto at = [&](std::uint32_t function) -> const PathFunction& {
      return paths_.functions()[function];
    };
    Begin("funcTable");
    json_.Member("length", functions.size());
    Column("name", functions,
           [&](std::uint32_t function) { json_.Value(strings_.Id(at(function).name)); });
    Column("isJS", functions, [&](std::uint32_t) { json_.Value(false); });
    Column("relevantForJS", functions, [&](std::uint32_t) { json_.Value(false); });
    Column("resource", functions, [&](std::uint32_t function) {
      const std::uint32_t module = at(function).module;
      if (!HasLibrary(module)) {
        json_.Value(-1);
        return;
      }
      resources_.Add(module);
      json_.Value(resources_.Of(module));
    });
    Column("source", functions, [&](std::uint32_t function) {
      if (at(function).file.empty()) {
        json_.Value(nullptr);
        return;
      }
      const std::uint64_t name = strings_.Id(at(function).file);
      const auto [it, is_new] = source_of_name_.try_emplace(name, sources_.size());
      if (is_new) sources_.push_back(name);
      json_.Value(it->second);
    });
    // The format wants the line where the function begins, which is not known.
    Column("lineNumber", functions, [&](std::uint32_t) { json_.Value(nullptr); });
    Column("columnNumber", functions, [&](std::uint32_t) { json_.Value(nullptr); });
    Column("originalLocation", functions, [&](std::uint32_t) { json_.Value(nullptr); });
    json_.EndObject();
  }
  /// The source files of these functions.
  void Sources() {
    Begin("sources");
    json_.Member("length", sources_.size());
    const auto column = [&](const char* name, auto write) {
      json_.NewLine();
      json_.Key(name).List(sources_, write);
    };
    column("id", [&](std::uint64_t) { json_.Value(nullptr); });
    column("filename", [&](std::uint64_t name) { json_.Value(name); });
    column("startLine", [&](std::uint64_t) { json_.Value(1); });
    column("startColumn", [&](std::uint64_t) { json_.Value(1); });
    column("sourceMapURL", [&](std::uint64_t) { json_.Value(nullptr); });
    column("content", [&](std::uint64_t) { json_.Value(nullptr); });
    json_.EndObject();
    json_.NewLine();
    json_.Key("sourceLocationTable").Raw(R"({"source":[],"line":[],"column":[],"length":0})");
  }

  /// The libraries of these functions.
  void Resources() {
    const std::vector<std::uint32_t>& modules = resources_.entries();
    Begin("resourceTable");
    json_.Member("length", modules.size());
    Column("name", modules,
           [&](std::uint32_t module) { json_.Value(strings_.Id(spots_.ModuleName(module))); });
    Column("host", modules, [&](std::uint32_t) { json_.Value(nullptr); });
    Column("type", modules, [&](std::uint32_t) { json_.Value(kLibraryResource); });
    json_.EndObject();
  }

  const Report& report_;
  const Profile& profile_;
  const std::vector<std::size_t> events_;
  CleanJson json_;
  const Spots spots_;
  const Paths paths_;
  const std::vector<std::string> pids_;  ///< By process
  const RunClock clock_;
  const std::vector<SampleOwner> owners_;
  const SampleList list_;
  const ThreadTrace trace_;
  Strings strings_;
  std::uint64_t shortest_wait_ns_ = 0;  ///< Shorter ones have no marker
  std::size_t marks_owner_ = 0;         ///< Index of the owner that shows the marks
  std::vector<std::uint32_t> lib_of_;   ///< By module; kNone: no file
  std::vector<std::uint32_t> symbol_of_spot_, spot_of_symbol_;
  std::vector<std::uint64_t> sources_;  ///< Names, as numbers of strings
  std::unordered_map<std::uint64_t, std::size_t> source_of_name_;
  Renumbered stacks_, frames_, functions_, resources_, symbols_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace

/// Firefox Profiler's processed profile: a thread for each thread and event.
Result<void> WriteFirefox(const Report& report, const FormatOptions& options, Sink& sink) {
  Firefox(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
