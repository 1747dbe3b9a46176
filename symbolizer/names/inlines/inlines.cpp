#include "symbolizer/names/inlines/inlines.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "symbolizer/names/bytes/open_log.h"
#include "symbolizer/names/demangle/demangle.h"
#include "symbolizer/names/dwarf/units.h"
#include "symbolizer/names/inlines/worker.h"

/// File: four steps. Index walks over all units, and gives each unit with addresses to a UnitWorker
/// (worker.h), on several threads if there is much to read. AskUnitsOfLines searches further units
/// for addresses that are still without a function. FindOtherNames follows references to names in
/// other units, a round for each link, with one pass over the section. Assemble demangles the names
/// and makes the answers.
///
/// Until Assemble, answers refer to names and files by pointers into the workers' containers, whose
/// elements do not move.

namespace csink::symbolizer {
namespace dwarf {
namespace {

/// A unit and the indices of the addresses that it answers.
struct Job {
  Unit unit;
  std::vector<std::uint32_t> numbers;
};

/// For units that share a line table: how many units are searched for each address, on average.
constexpr std::uint64_t kUnitsOfEach = 64;
/// No unit's ranges contain the address.
constexpr std::uint64_t kNoUnit = ~std::uint64_t{0};
/// Work for one thread, in bytes of .debug_info: about a tenth of a second.
constexpr std::uint64_t kBytesOfThread = 128 << 20;

/// Most units without ranges contain no code at all, and need no pass over their DIEs.
bool MayHaveCode(UnitWorker& worker, const Unit& unit) { return worker.Table(unit)->HasCode(); }

class Finder {
 public:
  Finder(const DwarfObject& object, DebugFiles* files, const InlineQuestions& asked)
      : object_(object),
        lines_(asked.lines),
        alternate_(OpenAlternate(files)),
        split_(files ? std::make_unique<SplitUnits>(*files) : nullptr),
        shared_{object_, alternate_.get(), split_.get(), asked.vaddrs, asked.symbol_starts},
        answers_(asked.vaddrs.size()),
        claimant_(asked.vaddrs.size(), kNoUnit),
        worker_(shared_, answers_) {}

  std::vector<InlineAnswer> Run(unsigned threads) {
    Index(threads);
    AskUnitsOfLines();
    FindOtherNames();
    return Assemble();
  }

 private:
  static std::unique_ptr<DwarfObject> OpenAlternate(DebugFiles* files) {
    auto file = files ? files->Alternate() : nullptr;
    return file ? std::make_unique<DwarfObject>(std::move(file), "") : nullptr;
  }

  // Finds the unit of each address and processes it.
  void Index(unsigned threads);
  // Processes the units of an uncompressed section.
  void RunJobs(std::vector<Job>& jobs, unsigned threads);
  // Searches a unit for those addresses that have no answer yet.
  void RunRangeless(const Unit& unit, Bytes bytes, std::span<const std::uint32_t> numbers);
  // Searches the units whose line table has a row for an unanswered address.
  void AskUnitsOfLines();
  std::map<std::uint64_t, std::vector<std::uint32_t>> UnitsOfLines() const;
  // Completes the names that lie in other units than the DIE that refers to them.
  void FindOtherNames();
  // Looks up DIEs of one file with one pass over its .debug_info.
  void FindNamesIn(const DwarfObject& object, std::vector<DieKey>& keys);
  std::vector<InlineAnswer> Assemble();
  const RawName& Name(RawName& name);

  const DwarfObject& object_;
  std::span<const std::uint64_t> lines_;  ///< Per address
  std::unique_ptr<DwarfObject> alternate_;
  std::unique_ptr<SplitUnits> split_;
  WorkShared shared_;
  std::vector<RawAnswer> answers_;
  /// Per address: offset of the unit whose ranges contain it
  std::vector<std::uint64_t> claimant_;
  UnitWorker worker_;
  std::vector<std::unique_ptr<UnitWorker>> helpers_;
  std::vector<UnitPlace> places_;  ///< Of object_
  std::unordered_map<std::string, std::string> demangled_;
};

void Finder::Index(unsigned threads) {
  UnitIndex index(object_, worker_.lookup(), shared_.vaddrs);
  std::vector<Job> jobs;
  std::vector<Unit> rangeless;
  Buffer room;
  // A compressed section is a stream that cannot go back, so its units are processed during the
  // walk. Otherwise the units are collected and processed by several threads.
  const bool is_stream = object_.info.IsCompressed();
  const auto claimed = [&](const Unit& unit, InfoFeed& feed,
                           std::span<const std::uint32_t> numbers) {
    for (const std::uint32_t number : numbers) claimant_[number] = unit.offset;
    if (!is_stream) return jobs.push_back({unit, {numbers.begin(), numbers.end()}});
    const Bytes bytes = feed.Take(unit.size, room);
    if (!bytes.empty()) worker_.Process(unit, bytes, numbers);
  };
  const auto no_ranges = [&](const Unit& unit, InfoFeed& feed,
                             std::span<const std::uint32_t> numbers) {
    if (!MayHaveCode(worker_, unit)) return;
    if (!is_stream) return rangeless.push_back(unit);
    const Bytes bytes = feed.Take(unit.size, room);
    if (!bytes.empty()) RunRangeless(unit, bytes, numbers);
  };
  index.Walk(claimed, no_ranges);
  places_ = index.places();
  RunJobs(jobs, threads);
  // Units without ranges come last: a unit that claims an address is the better answer. In a
  // stream, which has one pass, RunRangeless leaves found addresses alone, and later claims
  // overwrite.
  const auto unclaimed = index.Unclaimed();
  for (const Unit& unit : rangeless) {
    const Bytes bytes = TakeInfo(object_.info, unit.offset, unit.size, room);
    if (!bytes.empty()) RunRangeless(unit, bytes, unclaimed);
  }
}

void Finder::RunRangeless(const Unit& unit, Bytes bytes, std::span<const std::uint32_t> numbers) {
  std::vector<std::uint32_t> open;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(open),
               [&](std::uint32_t number) { return !answers_[number].is_found; });
  if (!open.empty()) worker_.Process(unit, bytes, open);
}

void Finder::RunJobs(std::vector<Job>& jobs, unsigned threads) {
  // A later unit may have claimed an address from an earlier one. The last claim has the smallest
  // range and is the only one that is searched; so no two threads write the same answer.
  std::vector<bool> is_taken(shared_.vaddrs.size());
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
    std::erase_if(job->numbers, [&](std::uint32_t number) { return is_taken[number]; });
    for (const std::uint32_t number : job->numbers) is_taken[number] = true;
  }
  std::erase_if(jobs, [](const Job& job) { return job.numbers.empty(); });
  // Large units first, so that no thread starts a large unit at the end.
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.unit.size > b.unit.size; });
  std::atomic<std::size_t> next{0};
  const auto work = [&](UnitWorker& worker) {
    Buffer room;
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      const Unit& unit = jobs[i].unit;
      const Bytes bytes = TakeInfo(object_.info, unit.offset, unit.size, room);
      if (!bytes.empty()) worker.Process(unit, bytes, jobs[i].numbers);
    }
  };
  // Two threads on CPUs that share a cache, both allocating memory, take longer than one thread for
  // short work. So a thread is started only for every kBytesOfThread.
  std::uint64_t bytes = 0;
  for (const Job& job : jobs) bytes += job.unit.size;
  threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, 1 + bytes / kBytesOfThread));
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads && i < jobs.size(); ++i) {
    helpers_.push_back(std::make_unique<UnitWorker>(shared_, answers_));
    others.emplace_back([&work, helper = helpers_.back().get(), log = OpenLog::Current()] {
      const OpenLog::Scope scope(log);
      work(*helper);
    });
  }
  work(worker_);
  for (std::thread& other : others) other.join();
  // merge moves the nodes of the map, so that pointers to names stay valid. Of a name that two
  // workers looked for, one stays in the helper's map, which lives as long.
  for (const auto& helper : helpers_) worker_.names().merge(helper->names());
}

/// For addresses without an answer: the units whose line table has a row for them and that were not
/// searched yet, by offset.
std::map<std::uint64_t, std::vector<std::uint32_t>> Finder::UnitsOfLines() const {
  std::map<std::uint64_t, std::vector<std::uint32_t>> open;  // by line table
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].is_found || lines_[i] == kNoLines) continue;
    open[lines_[i]].push_back(static_cast<std::uint32_t>(i));
  }
  std::map<std::uint64_t, std::vector<std::uint32_t>> units;
  if (open.empty()) return units;
  // In a damaged file all units may have the same line table.
  std::uint64_t budget = answers_.size() * kUnitsOfEach;
  for (const UnitPlace& place : places_) {
    const auto numbers = open.find(place.lines);
    if (numbers == open.end()) continue;
    for (const std::uint32_t number : numbers->second) {
      if (budget-- == 0) return units;
      if (claimant_[number] != place.offset) units[place.offset].push_back(number);
    }
  }
  return units;
}

void Finder::AskUnitsOfLines() {
  const auto units = UnitsOfLines();
  if (units.empty()) return;
  InfoFeed feed(object_.info);
  Buffer room;
  std::uint64_t cost = 0;
  for (const auto& [offset, numbers] : units) {
    // Units are sorted by offset, so that one pass over the section reaches all of them.
    if (!feed.Skip(offset - feed.offset())) return;
    auto unit = ReadUnitHeader(feed.Peek(kMaxUnitHeader), offset, feed.left());
    // The unit was readable in the first pass; the section has changed or cannot be read any more.
    if (!unit || !ReadRootAhead(*unit, feed, object_.abbrev, cost)) return;
    worker_.lookup().SetBase(*unit);
    const Bytes bytes = feed.Take(unit->size, room);
    if (bytes.empty()) return;
    RunRangeless(*unit, bytes, numbers);
  }
}

void Finder::FindOtherNames() {
  for (int link = 0; link < kMaxOrigins; ++link) {
    // Each round follows all open references by one link, with one pass over each section.
    // Following each name separately would need random access, which a compressed section does not
    // allow.
    std::vector<DieKey> here;
    std::vector<DieKey> there;
    for (const auto& [key, name] : worker_.names()) {
      if (name.next.object == nullptr || !name.linkage.empty()) continue;
      // Already known, or looked for in vain.
      if (name.next != key && worker_.names().contains(name.next)) continue;
      if (name.next.object == &object_) here.push_back(name.next);
      if (name.next.object == alternate_.get()) there.push_back(name.next);
    }
    if (here.empty() && there.empty()) return;
    // An entry is made for every key, so that names that cannot be found are searched only once.
    for (const auto* keys : {&here, &there}) {
      for (const DieKey& key : *keys) worker_.names()[key] = RawName();
    }
    if (!here.empty()) FindNamesIn(object_, here);
    if (!there.empty()) FindNamesIn(*alternate_, there);
  }
}

void Finder::FindNamesIn(const DwarfObject& object, std::vector<DieKey>& keys) {
  std::sort(keys.begin(), keys.end(),
            [](const DieKey& a, const DieKey& b) { return a.offset < b.offset; });
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  InfoFeed feed(object.info);
  Buffer room;
  std::size_t next = 0;
  std::uint64_t cost = 0;
  while (next < keys.size() && feed.left() != 0) {
    auto unit = ReadUnitHeader(feed.Peek(kMaxUnitHeader), feed.offset(), feed.left());
    if (!unit || unit->size == 0) return;
    const std::size_t first = next;
    while (next < keys.size() && keys[next].offset < unit->end()) ++next;
    if (first == next || unit->encoding.version == 0) {
      if (!feed.Skip(unit->size)) return;
      continue;
    }
    const Bytes bytes = feed.Take(unit->size, room);
    if (bytes.empty()) return;
    // A unit without a readable root has no bases; names that need them stay empty.
    ReadRoot(*unit, Part(bytes, unit->header_bytes, bytes.size()), object.abbrev.Whole(), cost);
    worker_.FindNames(object, *unit, bytes, std::span(keys).subspan(first, next - first));
  }
}

/// Follows the chain of references from a name to the unit that has the rest of it, and demangles
/// it. The result is stored in `name`. A linkage name wins over all short names; of the short names
/// the last one of the chain wins, which has the scopes.
const RawName& Finder::Name(RawName& name) {
  if (name.is_shown) return name;
  name.is_shown = true;
  const RawName* at = &name;
  for (int link = 0; link < kMaxOrigins; ++link) {
    if (!at->linkage.empty()) name.linkage = at->linkage;
    if (!at->name.empty()) name.shown = at->name;
    if (!name.linkage.empty() || at->next.object == nullptr) break;
    const auto found = worker_.names().find(at->next);
    if (found == worker_.names().end() || &found->second == at) break;
    at = &found->second;
  }
  if (!name.linkage.empty()) {
    // Demangling costs more than the look-up, and names repeat in many chains.
    const auto [known, is_first] = demangled_.try_emplace(name.linkage);
    if (is_first) known->second = Demangle(name.linkage);
    name.shown = known->second;
  }
  return name;
}

std::vector<InlineAnswer> Finder::Assemble() {
  std::vector<InlineAnswer> all(answers_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    RawAnswer& raw = answers_[i];
    InlineAnswer& answer = all[i];
    answer.is_found = raw.is_found;
    answer.start = raw.start;
    if (raw.function != nullptr) {
      const RawName& name = Name(*raw.function);
      answer.function = name.shown;
      answer.raw_name = name.linkage.empty() ? name.shown : name.linkage;
    }
    answer.frames.reserve(raw.frames.size());
    for (const RawFrame& frame : raw.frames) {
      InlineFrame& shown = answer.frames.emplace_back();
      if (frame.name != nullptr) {
        const RawName& name = Name(*frame.name);
        shown.function = name.shown;
        shown.raw_name = name.linkage;
      }
      if (shown.function.empty()) shown.function = "??";
      if (frame.call_file != nullptr) shown.call_file = *frame.call_file;
      shown.call_line = frame.call_line;
    }
    // Frees the memory while the answers grow.
    answers_[i] = RawAnswer();
  }
  return all;
}

}  // namespace
}  // namespace dwarf

std::vector<InlineAnswer> FindInlines(const ElfFile& elf, DebugFiles& files,
                                      const InlineQuestions& asked, unsigned threads) {
  // A shared_ptr without ownership: the caller owns the file.
  const std::shared_ptr<const ElfFile> borrowed(std::shared_ptr<const ElfFile>(), &elf);
  const dwarf::DwarfObject object(borrowed, "");
  return dwarf::Finder(object, &files, asked).Run(threads);
}

std::vector<InlineAnswer> FindInlines(const dwarf::SectionBytes& sections,
                                      std::span<const std::uint64_t> vaddrs) {
  const dwarf::DwarfObject object(sections);
  const InlineQuestions asked{{vaddrs.begin(), vaddrs.end()},
                              std::vector<std::uint64_t>(vaddrs.size()),
                              std::vector<std::uint64_t>(vaddrs.size(), kNoLines)};
  return dwarf::Finder(object, nullptr, asked).Run(1);
}

}  // namespace csink::symbolizer
