#include <algorithm>
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
#include "symbolizer/report/formats/parts/sample_owner.h"
#include "symbolizer/report/formats/parts/strings.h"

/// File: writes Firefox Profiler's processed profile format, version 57 (docs-developer/
/// processed-profile-format.md and CHANGELOG-formats.md, src/types/profile.ts of
/// github.com/firefox-devtools/profiler). The viewer upgrades profiles of older versions when it
/// loads them. Version 57 has tables of frames and stacks for each thread, so that threads can be
/// written one after another; later ones share them.

namespace csink::report {
namespace {

constexpr std::uint64_t kProcessedVersion = 57;
/// The version of Gecko's own format, from which the viewer decides nothing for processed profiles.
constexpr std::uint64_t kGeckoVersion = 31;
/// Indices into meta.categories.
constexpr std::uint64_t kUser = 0, kKernel = 1;
/// Resource type of functions in a library.
constexpr std::uint64_t kLibraryResource = 1;
/// JSON's numbers are doubles in the viewer: addresses above are not exact and are left out.
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;
/// Nodes, steps and modules without a number in a thread's tables.
constexpr std::uint32_t kNone = 0xffffffff;

/// Numbers for the entries of a large table that one thread uses. Begins anew for each thread
/// without touching all entries, since there may be thousands of threads.
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
  void Clear() {
    for (const std::uint32_t entry : entries_) number_of_[entry] = kNone;
    entries_.clear();
  }

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
        rank_of_(paths_.Ranks()),
        stacks_(paths_.nodes().size()),
        frames_(paths_.steps().size()),
        functions_(paths_.functions().size()),
        resources_(profile_.modules.size()),
        symbols_(0) {}

  void Write() {
    json_.BeginObject();
    Meta();
    json_.NewLine();
    Libraries();
    FindSymbols();
    json_.NewLine();
    json_.Key("threads").BeginArray();
    const std::vector<SampleOwner> owners = SampleOwners(report_);
    for (const SampleOwner& owner : owners) {
      for (const std::size_t event : events_) Thread(owner, event);
    }
    json_.EndArray();
    json_.NewLine();
    // Last, because only now all strings are known.
    json_.Key("shared").BeginObject();
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
  bool IsClock(std::size_t event) const {
    return profile_.events[event].kind == EventClass::kClock;
  }

  /// What holds for all threads: times, categories, and the facts of the run as extra settings.
  void Meta() {
    std::uint64_t start_ns = 0;
    for (const ProcessRow& process : profile_.processes) {
      if (start_ns == 0 || process.start_realtime_ns < start_ns) {
        start_ns = process.start_realtime_ns;
      }
    }
    const bool has_clock = !events_.empty() && IsClock(events_[0]);
    const std::uint64_t period = has_clock ? profile_.events[events_[0]].period : 0;
    json_.Key("meta").BeginObject();
    json_.Key("interval").Raw(period == 0 ? "1" : JsonMilliseconds(period));
    json_.Key("startTime").Raw(JsonMilliseconds(start_ns));
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
    json_.Key("markerSchema").Raw("[]");
    json_.NewLine();
    json_.Member("usesOnlyOneStackType", true);
    json_.Member("sourceCodeIsNotOnSearchfox", true);
    json_.Member("keepProfileThreadOrder", true);
    json_.Key("extra").BeginArray();
    json_.BeginObject();
    json_.Member("label", "csink");
    json_.Key("entries").BeginArray();
    std::vector<std::string> facts = FactLines(report_);
    facts.emplace_back(
        "Made from histograms: the order of samples is not that of time. A clock's samples follow "
        "each other at the distance of their CPU time; other events are spread over the wall time");
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

  /// One thread of the format: the owner's samples of one event. Nothing if it has none.
  void Thread(const SampleOwner& owner, std::size_t event) {
    places_.clear();
    for (const std::uint32_t place : owner.places) {
      if (profile_.places[place].counts[event].weight != 0) places_.push_back(place);
    }
    if (places_.empty()) return;
    // Stacks with a common beginning stand side by side, so that the chart over time shows them as
    // one block.
    std::stable_sort(places_.begin(), places_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank_of_[paths_.OfPlace(a)] < rank_of_[paths_.OfPlace(b)];
    });
    for (const std::uint32_t place : places_) Use(paths_.OfPlace(place));

    std::string name = owner.name.empty() ? "unnamed" : owner.name;
    // The viewer has one kind of weight for a thread.
    if (events_.size() > 1) name += " (" + profile_.events[event].name + ")";
    const bool has_process = owner.process < pids_.size();
    json_.NewLine();
    json_.BeginObject();
    json_.Member("processType", "default");
    json_.Member("processStartupTime", 0);
    json_.Member("processShutdownTime", nullptr);
    json_.Member("registerTime", 0);
    json_.Member("unregisterTime", nullptr);
    json_.Key("pausedRanges").Raw("[]");
    json_.Member("name", name);
    json_.Member("isMainThread", owner.tid == owner.pid);
    json_.Member("processName", owner.program);
    json_.Member("pid", has_process ? pids_[owner.process] : std::to_string(owner.pid));
    json_.Member("tid", owner.tid);
    Samples(event);
    json_.Key("markers").Raw(
        R"({"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"length":0})");
    Stacks();
    Frames();
    Functions();
    Resources();
    json_.EndObject();
    for (Renumbered* table : {&stacks_, &frames_, &functions_, &resources_, &symbols_}) {
      table->Clear();
    }
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
      // Only what the thread uses gets a number: tables of the whole profile in each thread would
      // be many times as large.
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
  std::uint64_t WeightOf(std::uint32_t place, std::size_t event) const {
    return profile_.places[place].counts[event].weight;
  }

  /// The samples of a thread. Their times are made up: histograms have none.
  void Samples(std::size_t event) {
    const bool is_clock = IsClock(event);
    Begin("samples");
    json_.Member("weightType", is_clock ? "tracing-ms" : "samples");
    Column("stack", places_,
           [&](std::uint32_t place) { json_.Value(stacks_.Of(paths_.OfPlace(place))); });
    Column("weight", places_, [&](std::uint32_t place) {
      const std::uint64_t weight = WeightOf(place, event);
      if (is_clock) {
        json_.Raw(JsonMilliseconds(weight));
      } else {
        json_.Value(weight);
      }
    });
    std::uint64_t before = 0;
    const double all = static_cast<double>(profile_.events[event].weight);
    const double ns_per_event = is_clock ? 1 : std::max(0.0, report_.wall_seconds) * 1e9 / all;
    Column("time", places_, [&](std::uint32_t place) {
      const double ns = std::min(static_cast<double>(before) * ns_per_event, 9e18);
      json_.Raw(JsonMilliseconds(static_cast<std::uint64_t>(ns)));
      AddTo(before, WeightOf(place, event));
    });
    json_.Member("length", places_.size());
    json_.EndObject();
  }

  /// The nodes of the tree that the thread's samples need; parents come first.
  void Stacks() {
    Begin("stackTable");
    json_.Key("frame").List(stacks_.entries(), [&](std::uint32_t node) {
      json_.Value(frames_.Of(paths_.nodes()[node].step));
    });
    Column("prefix", stacks_.entries(), [&](std::uint32_t node) {
      const std::uint32_t parent = paths_.nodes()[node].parent;
      NumberOrNull(parent == 0 ? kNone : stacks_.Of(parent));
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
  /// The number of a step's symbol in the thread's table; kNone: none.
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
    json_.EndObject();
    Symbols();
  }
  /// The symbols that frames refer to.
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
    Column("fileName", functions, [&](std::uint32_t function) {
      if (at(function).file.empty()) {
        json_.Value(nullptr);
      } else {
        json_.Value(strings_.Id(at(function).file));
      }
    });
    // The format wants the line where the function begins, which is not known.
    Column("lineNumber", functions, [&](std::uint32_t) { json_.Value(nullptr); });
    Column("columnNumber", functions, [&](std::uint32_t) { json_.Value(nullptr); });
    json_.EndObject();
  }

  /// The libraries of these functions.
  void Resources() {
    const std::vector<std::uint32_t>& modules = resources_.entries();
    Begin("resourceTable");
    json_.Member("length", modules.size());
    Column("lib", modules, [&](std::uint32_t module) { json_.Value(lib_of_[module]); });
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
  Strings strings_;
  const std::vector<std::uint32_t> rank_of_;  ///< By node: its place in the preorder
  std::vector<std::uint32_t> lib_of_;         ///< By module; kNone: no file
  std::vector<std::uint32_t> symbol_of_spot_, spot_of_symbol_;
  // Of the thread that is being written:
  std::vector<std::uint32_t> places_;  ///< In the order of the samples
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
