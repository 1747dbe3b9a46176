#include "symbolizer/line_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "symbolizer/line_hint.h"
#include "symbolizer/line_runner.h"
#include "symbolizer/line_scan.h"
#include "symbolizer/line_units.h"

namespace csink::symbolizer {
namespace {

/// With so many bytes of line programs for each address, most sequences have none of them.
constexpr std::uint64_t kSparse = 16 << 10;

struct Unit {
  LineHeader header;
  std::vector<LineFileEntry> defined;
  Buffer bytes;  ///< Of all, where nobody else keeps them
};

/// The rows that were found, before their files have names.
struct Matched {
  std::vector<LineFound> found;
  std::map<std::uint32_t, Unit> units;  ///< Those with an address, by their number
};

class Collector {
 public:
  Collector(LineUnits& units, std::span<const std::uint64_t> vaddrs)
      : units_(units),
        runner_(vaddrs),
        is_sparse_(units.size() / std::max<std::size_t>(1, vaddrs.size()) >= kSparse) {}

  /// The units that begin at `offsets`, which are sorted, and then the others while an address has
  /// no row. A place where no unit begins is none.
  void Run(const std::vector<std::uint64_t>& offsets) {
    if (!offsets.empty()) Pass(offsets, true);
    if (runner_.WantsAny()) Pass(offsets, false);
  }
  Matched Take() {
    matched_.found = runner_.TakeFound();
    return std::move(matched_);
  }

 private:
  /// Runs units in the order of the section: those at `offsets`, or those that are not.
  void Pass(const std::vector<std::uint64_t>& offsets, bool is_listed) {
    units_.Seek(0);
    do {
      const auto at = std::lower_bound(offsets.begin(), offsets.end(), units_.offset());
      if (is_listed && at == offsets.end()) return;
      if ((at != offsets.end() && *at == units_.offset()) != is_listed) {
        if (!units_.Skip()) return;
      } else if (!RunNext()) {
        return;
      }
    } while (is_listed || runner_.WantsAny());
  }
  /// False: there is no unit.
  bool RunNext() {
    const Bytes bytes = units_.Next();
    if (bytes.empty()) return false;
    ++number_;
    Unit unit;
    ByteReader reader(bytes);
    if (!unit.header.Read(reader)) return true;
    if (is_sparse_ ? RunWanted(unit)
                   : runner_.Run(unit.header, unit.header.program, number_, unit.defined)) {
      Keep(unit);
      matched_.units.emplace(number_, std::move(unit));
    }
    return true;
  }
  /// What names its files is kept; the program is most of it, and new memory for each is dear.
  void Keep(Unit& unit) {
    if (!units_.IsOnDisk()) return;
    if (!unit.defined.empty()) {
      unit.bytes = units_.Keep();
      return;
    }
    unit.bytes = Buffer(unit.header.tables.size());
    unit.header.program = {};
    unit.header.tables = unit.header.tables.first(unit.bytes.size());
    std::copy(unit.header.tables.begin(), unit.header.tables.end(), unit.bytes.data());
    unit.header.tables = unit.bytes.bytes();
  }
  bool RunWanted(Unit& unit) {
    bool is_kept = false;
    LineScan scan(unit.header);
    LineSequence sequence;
    while (scan.Next(sequence)) {
      if (!sequence.is_open && !runner_.Wants(sequence.low, sequence.high)) continue;
      is_kept |= runner_.Run(unit.header, sequence.program, number_, unit.defined);
    }
    return is_kept;
  }

  LineUnits& units_;
  LineRunner runner_;
  bool is_sparse_;
  std::uint32_t number_ = 0;
  Matched matched_;
};

std::vector<LineHit> Name(const Matched& matched, const LineSections& sections) {
  std::vector<LineHit> hits(matched.found.size());
  std::map<std::uint32_t, LineFiles> files;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> paths;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const LineFound& found = matched.found[i];
    if (found.unit == 0) continue;
    const auto [path, is_new] = paths.try_emplace({found.unit, found.file});
    if (is_new) {
      const Unit& unit = matched.units.find(found.unit)->second;
      path->second = files.try_emplace(found.unit, unit.header, sections, unit.defined)
                         .first->second.Path(found.file);
    }
    hits[i] = LineHit{path->second, found.line, found.row_vaddr, found.is_borrowed};
  }
  return hits;
}

}  // namespace

std::vector<LineHit> MatchLines(const LineSections& sections,
                                std::span<const std::uint64_t> vaddrs) {
  LineUnits units(sections.line);
  Collector collector(units, vaddrs);
  collector.Run({});
  return Name(collector.Take(), sections);
}

std::vector<LineHit> MatchLines(const ElfFile& file, std::span<const std::uint64_t> vaddrs) {
  if (vaddrs.empty()) return {};
  LineUnits units(file);
  Collector collector(units, vaddrs);
  const std::vector<std::uint64_t> hinted =
      units.IsOnDisk() ? HintedLineUnits(file, vaddrs) : std::vector<std::uint64_t>();
  collector.Run(hinted);
  const Matched matched = collector.Take();
  const Buffer text = file.ReadDebugSection("line_str");
  LineSections sections{{}, text.bytes(), {}};
  std::vector<LineHit> hits = Name(matched, sections);
  // .debug_str is large and hardly any compiler puts file names there: only when
  // a name is missing.
  const auto nameless = [](const LineHit& hit) { return hit.line != 0 && hit.file.empty(); };
  if (std::any_of(hits.begin(), hits.end(), nameless) && file.HasDebugSection("str")) {
    const Buffer strings = file.ReadDebugSection("str");
    sections.strings = strings.bytes();
    hits = Name(matched, sections);
  }
  return hits;
}

}  // namespace csink::symbolizer
