#include "symbolizer/names/inlines/worker.h"

#include <algorithm>

#include "symbolizer/names/lines/table.h"

/// File: one unit at a time. The unit is scanned once for all its addresses; names that lie in
/// other units are noted as keys and found in a second round (FindNames).

namespace csink::symbolizer::dwarf {
namespace {

/// Deepest chain of inlined functions in an answer. Compilers stay below; a damaged unit could make
/// every chain as long as itself.
constexpr std::size_t kMaxFrames = 256;

}  // namespace

/// The file table of a unit's line program. Read only when the file of a call is first requested.
class UnitWorker::CallFiles {
 public:
  CallFiles(UnitWorker& worker, const Unit& unit) : worker_(worker), unit_(unit) {}

  const std::string* Find(std::uint64_t index) {
    const auto [known, is_new] = paths_.try_emplace(index, nullptr);
    if (is_new) {
      if (!has_read_) Read();
      // Paths are kept by the worker, because answers outlive the unit.
      std::string path = files_ ? files_->Path(index) : std::string();
      if (!path.empty()) known->second = &worker_.files_.emplace_back(std::move(path));
    }
    return known->second;
  }

 private:
  void Read() {
    has_read_ = true;
    if (!unit_.stmt_list) return;
    // Reads the header only: the line program is not needed for names.
    const DwarfObject& object = worker_.shared_.object;
    SectionWindow window(object.line, LineHeader::kLengthBytes);
    const std::uint64_t offset = unit_.stmt_list.number;
    const std::uint64_t size = LineHeader::FrontBytes(window.At(offset, LineHeader::kLengthBytes));
    const Bytes front = Part(window.At(offset, size), 0, size);
    front_.assign(front.begin(), front.end());
    ByteReader reader(front_);
    if (!header_.ReadFront(reader)) return;
    if (header_.version < 5) folder_ = worker_.CompilationFolder(unit_);
    files_.emplace(header_, LineSections{{}, object.line_str.Whole(), {}},
                   std::span<const LineFileEntry>(), folder_);
  }

  UnitWorker& worker_;
  const Unit& unit_;
  bool has_read_ = false;
  std::vector<std::uint8_t> front_;  ///< `files_` points into it
  std::string folder_;               ///< `files_` points into it
  LineHeader header_;
  std::optional<LineFiles> files_;
  std::map<std::uint64_t, const std::string*> paths_;
};

UnitWorker::UnitWorker(const WorkShared& shared, std::vector<RawAnswer>& answers)
    : shared_(shared),
      answers_(answers),
      abbreviations_(shared.object.abbrev.Whole()),
      lookup_(shared.object) {
  if (shared.alternate != nullptr) {
    alternate_lookup_ = std::make_unique<Lookup>(*shared.alternate);
  }
}

std::vector<std::uint64_t> UnitWorker::Addresses(std::span<const std::uint32_t> numbers) const {
  std::vector<std::uint64_t> addresses(numbers.size());
  std::transform(numbers.begin(), numbers.end(), addresses.begin(),
                 [&](std::uint32_t number) { return shared_.vaddrs[number]; });
  return addresses;
}

std::string UnitWorker::CompilationFolder(const Unit& unit) {
  if (!IsAlternateText(unit.folder.form)) return lookup_.Text(unit, unit.folder);
  return alternate_lookup_ ? alternate_lookup_->TextAt(unit.folder.number) : std::string();
}

void UnitWorker::Process(const Unit& unit, Bytes bytes, std::span<const std::uint32_t> numbers) {
  // The skeleton is scanned, too: without its .dwo file it still has ranges.
  if (unit.IsSkeleton() && shared_.split != nullptr) ProcessSplit(unit, numbers);
  const auto table = Table(unit);
  const auto addresses = Addresses(numbers);
  const ScanResult scan = ScanUnit(unit, bytes, *table, lookup_, addresses);
  CallFiles files(*this, unit);
  Answer({shared_.object, shared_.alternate, unit, bytes, *table, lookup_, alternate_lookup_.get(),
          scan.scopes},
         files, scan, numbers);
}

void UnitWorker::ProcessSplit(const Unit& skeleton, std::span<const std::uint32_t> numbers) {
  SplitUnit split;
  const SplitName name{lookup_.Text(skeleton, skeleton.dwo_name),
                       lookup_.Text(skeleton, skeleton.folder), skeleton.id};
  if (!shared_.split->Find(skeleton, name, split)) return;
  {
    const AbbreviationTable table(
        Part(split.object->abbrev.Whole(), split.unit.abbreviations, ~std::uint64_t{0}),
        split.unit.encoding);
    Lookup lookup(*split.object, shared_.object);
    const auto addresses = Addresses(numbers);
    const ScanResult scan = ScanUnit(split.unit, split.bytes, table, lookup, addresses);
    CallFiles files(*this, skeleton);
    Answer({*split.object, shared_.alternate, split.unit, split.bytes, table, lookup,
            alternate_lookup_.get(), scan.scopes},
           files, scan, numbers);
  }
  // Each unit has a .dwo file of its own, and a process has only so many descriptors.
  shared_.split->Release(split);
}

void UnitWorker::Answer(const UnitNames::Context& context, CallFiles& files, const ScanResult& scan,
                        std::span<const std::uint32_t> numbers) {
  UnitNames names(context);
  const auto want = [&](const DieKey& key) -> RawName* {
    if (key.object == nullptr) return nullptr;
    const auto [known, is_new] = names_.try_emplace(key);
    if (is_new && names.IsHere(key)) {
      known->second = names.Find(key.offset - context.unit.offset);
    } else if (is_new) {
      known->second.next = key;
    }
    return &known->second;
  };
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const PcRecord& pc = scan.pcs[i];
    if (pc.function == kNone) continue;
    RawAnswer& answer = answers_[numbers[i]];
    answer = RawAnswer{.is_found = true, .function = nullptr, .start = pc.start, .frames = {}};
    for (std::uint32_t at = pc.innermost; at != kNone && answer.frames.size() < kMaxFrames;
         at = scan.inlines[at].outer) {
      const InlineRecord& record = scan.inlines[at];
      answer.frames.push_back(
          {want(names.Target(record.origin)), files.Find(record.call_file), record.call_line});
    }
    // A symbol starts where the function's range starts: its name is kept (it has suffixes such as
    // .cold), and the DIE's name is not looked up.
    if (pc.start == shared_.symbol_starts[numbers[i]]) continue;
    answer.function = want({&context.object, context.unit.offset + pc.function});
  }
}

void UnitWorker::FindNames(const DwarfObject& object, const Unit& unit, Bytes bytes,
                           std::span<const DieKey> keys) {
  Lookup& lookup = &object == &shared_.object ? lookup_ : *alternate_lookup_;
  const AbbreviationTable table(Part(object.abbrev.Whole(), unit.abbreviations, ~std::uint64_t{0}),
                                unit.encoding);
  ScanResult scan;
  const auto find_all = [&](bool with_scopes) {
    if (with_scopes) scan = ScanUnit(unit, bytes, table, lookup, {});
    UnitNames names({object, shared_.alternate, unit, bytes, table, lookup, alternate_lookup_.get(),
                     scan.scopes});
    bool all_linked = true;
    for (const DieKey& key : keys) {
      RawName name = names.Find(key.offset - unit.offset);
      all_linked = all_linked && (!name.linkage.empty() || name.next.object != nullptr);
      names_[key] = std::move(name);
    }
    return all_linked;
  };
  // Scopes require a pass over the unit, so they are collected only if a name without a linkage
  // name needs them.
  if (!find_all(false)) find_all(true);
}

}  // namespace csink::symbolizer::dwarf
