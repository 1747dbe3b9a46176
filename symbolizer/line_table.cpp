#include "symbolizer/line_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "symbolizer/line_header.h"

namespace csink::symbolizer {
namespace {

// DWARF 5, 7.22.
enum : std::uint8_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kNegateStmt = 6,
  kSetBasicBlock = 7,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
  kSetPrologueEnd = 10,
  kSetEpilogueBegin = 11,
  kSetIsa = 12,
};
enum : std::uint8_t { kEndSequence = 1, kSetAddress = 2, kDefineFile = 3 };

/// A file of a unit as rows name it: names are read after the program has run.
struct Found {
  std::uint64_t row_vaddr = 0;
  std::uint64_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t unit = 0;  ///< 1 + index of the unit; 0: nothing found yet
  bool is_borrowed = false;
};

/// Runs the line programs and keeps the rows that cover one of the addresses.
class Runner {
 public:
  explicit Runner(std::span<const std::uint64_t> vaddrs)
      : vaddrs_(vaddrs), found_(vaddrs.size()), skip_(vaddrs.size() + 1) {
    std::iota(skip_.begin(), skip_.end(), std::size_t{0});
  }

  /// True when a row of the unit was kept. Names that the program defines itself
  /// are appended to `defined`.
  bool Run(const LineHeader& header, std::uint32_t unit, std::vector<LineFileEntry>& defined);

  std::vector<Found> TakeFound() { return std::move(found_); }

 private:
  struct Row {
    std::uint64_t vaddr = 0;
    std::uint64_t file = 1;
    std::uint32_t line = 1;
  };

  void StartSequence() {
    row_ = Row{};
    operation_ = 0;
    has_row_ = false;
    is_dead_ = true;  // Until an address is set
    named_ = Row{.vaddr = 0, .file = 0, .line = 0};
  }
  void SetAddress(std::uint64_t vaddr) {
    // What the linker threw away starts at 0 (GNU ld), -1 or -2 (lld).
    if (!has_row_) is_dead_ = vaddr == 0 || vaddr >= ~std::uint64_t{1};
    row_.vaddr = vaddr;
    operation_ = 0;
  }
  void Advance(const LineHeader& header, std::uint64_t operations) {
    if (header.max_operations <= 1) {
      row_.vaddr += operations * header.min_instruction_bytes;
      return;
    }
    // VLIW: an address holds several operations.
    const std::uint64_t all = operation_ + operations;
    row_.vaddr += all / header.max_operations * header.min_instruction_bytes;
    operation_ = all % header.max_operations;
  }
  /// The row before this one ends here: it takes the addresses in between.
  void EmitRow() {
    if (is_dead_) return;
    if (has_row_ && row_.vaddr != before_.vaddr) Take();
    if (!has_row_ || row_.vaddr < before_.vaddr) Seek(row_.vaddr);
    before_ = row_;
    has_row_ = true;
    if (row_.line != 0) named_ = row_;
  }
  void Seek(std::uint64_t vaddr) {
    next_ = Unfound(static_cast<std::size_t>(
        std::lower_bound(vaddrs_.begin(), vaddrs_.end(), vaddr) - vaddrs_.begin()));
  }
  /// The first address from `i` on that has no row yet. Found ones are stepped over
  /// (and the steps shortened), so that a table that covers the same addresses again
  /// and again costs no more than its bytes.
  std::size_t Unfound(std::size_t i) {
    while (skip_[i] != i) i = skip_[i] = skip_[skip_[i]];
    return i;
  }
  void Take() {
    if (next_ >= vaddrs_.size() || vaddrs_[next_] >= row_.vaddr) return;
    if (named_.line == 0) return Seek(row_.vaddr);
    while (next_ < vaddrs_.size() && vaddrs_[next_] < row_.vaddr) {
      found_[next_] = Found{.row_vaddr = named_.vaddr,
                            .file = named_.file,
                            .line = named_.line,
                            .unit = unit_,
                            .is_borrowed = before_.line == 0};
      kept_ = true;
      skip_[next_] = next_ + 1;
      next_ = Unfound(next_ + 1);
    }
  }
  void Extended(ByteReader& reader, std::vector<LineFileEntry>& defined);
  void Standard(const LineHeader& header, std::uint8_t opcode, ByteReader& reader);

  std::span<const std::uint64_t> vaddrs_;
  std::vector<Found> found_;
  std::vector<std::size_t> skip_;  ///< See Unfound
  std::uint32_t unit_ = 0;
  bool kept_ = false;
  // The state machine of one sequence.
  Row row_;
  Row before_;  ///< The row that has begun and not ended
  Row named_;   ///< The last row with a line, `before_` or one before it
  std::uint64_t operation_ = 0;
  std::size_t next_ = 0;  ///< First address not below `before_`
  bool has_row_ = false;
  bool is_dead_ = true;
};

bool Runner::Run(const LineHeader& header, std::uint32_t unit,
                 std::vector<LineFileEntry>& defined) {
  unit_ = unit;
  kept_ = false;
  StartSequence();
  ByteReader reader(header.program);
  while (!reader.AtEnd()) {
    const std::uint8_t opcode = reader.U8();
    if (opcode >= header.opcode_base) {
      const unsigned adjusted = opcode - header.opcode_base;
      Advance(header, adjusted / header.line_range);
      row_.line += static_cast<std::uint32_t>(header.line_base +
                                              static_cast<int>(adjusted % header.line_range));
      EmitRow();
    } else if (opcode == 0) {
      Extended(reader, defined);
    } else {
      Standard(header, opcode, reader);
    }
  }
  return kept_;
}

void Runner::Extended(ByteReader& reader, std::vector<LineFileEntry>& defined) {
  ByteReader body(reader.Take(reader.Uleb()));
  switch (body.U8()) {
    case kEndSequence:
      EmitRow();
      StartSequence();
      break;
    case kSetAddress: {
      const std::size_t size = body.left();
      const std::uint64_t vaddr = body.Unsigned(size);
      // A sequence with an address of a strange size cannot be placed.
      if (body.ok()) SetAddress(size == 4 && vaddr >= 0xfffffffe ? ~std::uint64_t{0} : vaddr);
      break;
    }
    case kDefineFile: {
      LineFileEntry entry;
      entry.Read(body);
      if (body.ok()) defined.push_back(entry);
      break;
    }
    default:
      break;
  }
}

void Runner::Standard(const LineHeader& header, std::uint8_t opcode, ByteReader& reader) {
  switch (opcode) {
    case kCopy:
      EmitRow();
      break;
    case kAdvancePc:
      Advance(header, reader.Uleb());
      break;
    case kAdvanceLine:
      row_.line += static_cast<std::uint32_t>(reader.Sleb());
      break;
    case kSetFile:
      row_.file = reader.Uleb();
      break;
    case kConstAddPc:
      Advance(header, (255u - header.opcode_base) / header.line_range);
      break;
    case kFixedAdvancePc:
      row_.vaddr += reader.U16();
      operation_ = 0;
      break;
    case kNegateStmt:
    case kSetBasicBlock:
    case kSetPrologueEnd:
    case kSetEpilogueBegin:
      break;
    case kSetColumn:
    case kSetIsa:
      reader.Uleb();
      break;
    default:
      for (unsigned i = 0; i < header.operand_count[opcode]; ++i) reader.Uleb();
  }
}

struct Unit {
  LineHeader header;
  std::vector<LineFileEntry> defined;
};

/// The rows that were found, before their files have names.
struct Matched {
  std::vector<Found> found;
  std::map<std::uint32_t, Unit> units;  ///< Those with an address, by their number
};

Matched Collect(Bytes line, std::span<const std::uint64_t> vaddrs) {
  Matched matched;
  Runner runner(vaddrs);
  ByteReader section(line);
  for (std::uint32_t number = 1; !section.AtEnd(); ++number) {
    Unit unit;
    if (!unit.header.Read(section)) continue;
    if (runner.Run(unit.header, number, unit.defined)) {
      matched.units.emplace(number, std::move(unit));
    }
  }
  matched.found = runner.TakeFound();
  return matched;
}

std::vector<LineHit> Name(const Matched& matched, const LineSections& sections) {
  std::vector<LineHit> hits(matched.found.size());
  std::map<std::uint32_t, LineFiles> files;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> paths;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Found& found = matched.found[i];
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
  return Name(Collect(sections.line, vaddrs), sections);
}

std::vector<LineHit> MatchLines(const ElfFile& file, std::span<const std::uint64_t> vaddrs) {
  if (vaddrs.empty()) return {};
  const Buffer line = file.ReadDebugSection("line");
  const Buffer text = file.ReadDebugSection("line_str");
  const Matched matched = Collect(line.bytes(), vaddrs);
  LineSections sections{line.bytes(), text.bytes(), {}};
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
