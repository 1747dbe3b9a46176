#include "symbolizer/names/lines/table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "symbolizer/names/lines/compilation_folders.h"
#include "symbolizer/names/lines/hint.h"
#include "symbolizer/names/lines/runner.h"
#include "symbolizer/names/lines/scan.h"
#include "symbolizer/names/lines/units.h"

/// File: runs the line programs of a file over the sorted addresses, in one or two passes over
/// .debug_line: first the units that .debug_aranges names, then the others, while an address has no
/// row. After that, paths are read for the rows that were found, joined with the folder of the
/// compilation where the line table lacks it, and handed to the addresses.

namespace csink::symbolizer {
namespace {

/// If there are at least so many bytes of line programs for each address, most sequences contain no
/// address, and a scan (LineScan) before the run pays off.
constexpr std::uint64_t kSparse = 16 << 10;

/// A unit that has a row of an address.
struct Unit {
  std::uint64_t offset = 0;  ///< In .debug_line
  LineHeader header;
  std::vector<LineFileEntry> defined;
  Buffer bytes;  ///< Holds `header` and `defined` if LineUnits does not
};

/// The rows that were found; files still as indices.
struct Matched {
  std::vector<LineFound> found;
  std::map<std::uint32_t, Unit> units;  ///< Units that have a found row, by number
};

/// Runs programs and keeps the units whose rows were kept.
class Collector {
 public:
  Collector(LineUnits& units, std::span<const std::uint64_t> vaddrs)
      : units_(units),
        runner_(vaddrs),
        is_sparse_(units.size() / std::max<std::size_t>(1, vaddrs.size()) >= kSparse) {}

  /// First runs the units that begin at `offsets` (sorted), then the others while an address has no
  /// row. An offset at which no unit begins is ignored.
  void Run(std::span<const std::uint64_t> offsets) {
    if (!offsets.empty()) Pass(offsets, true);
    if (runner_.WantsAny()) Pass(offsets, false);
  }
  Matched Take() {
    matched_.found = runner_.TakeFound();
    return std::move(matched_);
  }

 private:
  /// One pass over the section in order. Runs the units at `offsets` (is_listed), or all other
  /// units.
  void Pass(std::span<const std::uint64_t> offsets, bool is_listed) {
    units_.Seek(0);
    do {
      const auto at = std::lower_bound(offsets.begin(), offsets.end(), units_.offset());
      // All listed units are behind.
      if (is_listed && at == offsets.end()) return;
      if ((at != offsets.end() && *at == units_.offset()) != is_listed) {
        if (!units_.Skip()) return;
      } else if (!RunNext()) {
        return;
      }
    } while (is_listed || runner_.WantsAny());
  }
  /// False: there are no more units.
  bool RunNext() {
    Unit unit;
    unit.offset = units_.offset();
    const Bytes bytes = units_.Next();
    if (bytes.empty()) return false;
    // Units are numbered from 1 in the order in which they run; LineFound::unit 0 means no row.
    ++number_;
    ByteReader reader(bytes);
    if (!unit.header.Read(reader)) return true;
    if (is_sparse_ ? RunWanted(unit)
                   : runner_.Run(unit.header, unit.header.program, number_, unit.defined)) {
      Keep(unit);
      matched_.units.emplace(number_, std::move(unit));
    }
    return true;
  }
  /// Keeps the bytes that the file names need. Most of a unit is its program, so only the tables
  /// are copied: keeping the whole buffer would need newly allocated memory for each unit.
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
  /// Runs only the sequences that may contain a wanted address.
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

/// Paths by number of the unit and index of the file.
using Paths = std::map<std::pair<std::uint32_t, std::uint64_t>, std::string>;

/// The paths of all files of the rows found; each is read once, and each unit's tables once.
Paths NamePaths(const Matched& matched, const LineSections& sections) {
  Paths paths;
  std::map<std::uint32_t, LineFiles> files;
  for (const LineFound& found : matched.found) {
    if (found.unit == 0) continue;
    const auto [path, is_new] = paths.try_emplace({found.unit, found.file});
    if (!is_new) continue;
    // Each unit with a row that was found is in the map.
    const Unit& unit = matched.units.find(found.unit)->second;
    path->second = files.try_emplace(found.unit, unit.header, sections, unit.defined)
                       .first->second.Path(found.file);
  }
  return paths;
}

/// The unit whose folder of compilation is missing in a path; null: the path is complete.
const Unit* UnitOfRelative(const Matched& matched, const Paths::value_type& path) {
  if (path.second.empty() || path.second.front() == '/') return nullptr;
  const Unit& unit = matched.units.find(path.first.first)->second;
  return unit.header.version < 5 ? &unit : nullptr;
}

/// Puts the folder of the compilation before the paths that lack it.
void JoinFolders(const ElfFile& file, DebugFiles* files, std::span<const HintedUnit> hinted,
                 const Matched& matched, Paths& paths) {
  std::set<std::uint64_t> wanted;
  for (const auto& path : paths) {
    if (const Unit* unit = UnitOfRelative(matched, path)) wanted.insert(unit->offset);
  }
  if (wanted.empty()) return;
  const FoldersByLines folders = CompilationFolders(file, files, hinted, std::move(wanted));
  for (auto& path : paths) {
    const Unit* unit = UnitOfRelative(matched, path);
    const auto folder = unit ? folders.find(unit->offset) : folders.end();
    if (folder == folders.end()) continue;
    std::string joined = JoinPath(folder->second, path.second);
    if (joined.size() <= kMaxTextBytes) path.second = std::move(joined);
  }
}

/// The answers, one for each address.
std::vector<LineHit> Name(const Matched& matched, const Paths& paths) {
  std::vector<LineHit> hits(matched.found.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const LineFound& found = matched.found[i];
    if (found.unit == 0) continue;
    hits[i] = LineHit{.file = paths.find({found.unit, found.file})->second,
                      .line = found.line,
                      .row_vaddr = found.row_vaddr,
                      .unit = matched.units.find(found.unit)->second.offset,
                      .is_borrowed = found.is_borrowed};
  }
  return hits;
}

}  // namespace

std::vector<LineHit> MatchLines(const LineSections& sections,
                                std::span<const std::uint64_t> vaddrs) {
  LineUnits units(sections.line);
  Collector collector(units, vaddrs);
  collector.Run({});
  const Matched matched = collector.Take();
  return Name(matched, NamePaths(matched, sections));
}

std::vector<LineHit> MatchLines(const ElfFile& file, std::span<const std::uint64_t> vaddrs,
                                DebugFiles* files) {
  if (vaddrs.empty()) return {};
  LineUnits units(file);
  Collector collector(units, vaddrs);
  const std::vector<HintedUnit> hinted =
      units.IsOnDisk() ? HintedLineUnits(file, vaddrs) : std::vector<HintedUnit>();
  std::vector<std::uint64_t> offsets;
  for (const HintedUnit& unit : hinted) offsets.push_back(unit.lines);
  collector.Run(offsets);
  const Matched matched = collector.Take();
  const Buffer text = file.ReadDebugSection("line_str");
  LineSections sections{{}, text.bytes(), {}};
  Paths paths = NamePaths(matched, sections);
  // .debug_str is large, and few compilers put file names there. So it is read only if a name is
  // missing.
  const auto is_nameless = [](const Paths::value_type& path) { return path.second.empty(); };
  if (std::any_of(paths.begin(), paths.end(), is_nameless) && file.HasDebugSection("str")) {
    const Buffer strings = file.ReadDebugSection("str");
    sections.strings = strings.bytes();
    paths = NamePaths(matched, sections);
  }
  JoinFolders(file, files, hinted, matched, paths);
  return Name(matched, paths);
}

}  // namespace csink::symbolizer
