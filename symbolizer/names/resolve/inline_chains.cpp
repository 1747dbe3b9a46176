#include "symbolizer/names/resolve/inline_chains.h"

#include <algorithm>
#include <thread>

#include "symbolizer/names/demangle/clone_suffix.h"
#include "symbolizer/names/demangle/demangle.h"
#include "symbolizer/names/elf/symbol_table.h"
#include "symbolizer/names/inlines/inlines.h"
#include "symbolizer/names/lines/table.h"

/// File: asks FindInlines about all addresses of a module at once. A borrowed line needs the chain
/// of its row, too, so that rows are asked about beside the addresses. Line 0 marks code that the
/// compiler made up; a line from the row before is right only if both belong to the same function
/// (docs/inlines.md, "What is read").

namespace csink::symbolizer {
namespace {

/// Collects the addresses to look up in .debug_info, and their answers.
class Questions {
 public:
  explicit Questions(const AddressFacts& facts) : facts_(facts) {}

  // All addresses of the module.
  void AddAll() {
    for (std::size_t i = 0; i < facts_.vaddrs.size(); ++i) Add(facts_.vaddrs[i], i);
  }
  // The addresses with borrowed lines, and the rows that the lines come from.
  void AddBorrowed() {
    for (const BorrowedLine& line : facts_.borrowed) {
      Add(facts_.vaddrs[line.number], line.number);
      Add(line.row_vaddr, line.number);
    }
  }
  // The addresses whose names are not settled.
  void AddUnsettled() {
    for (const std::size_t number : facts_.unsettled) Add(facts_.vaddrs[number], number);
  }
  bool IsEmpty() const { return asked_.empty(); }
  // Sorts the questions and asks them.
  void Ask(const ElfFile& info, DebugFiles& files) {
    const auto is_less = [](const Question& a, const Question& b) { return a.vaddr < b.vaddr; };
    const auto is_same = [](const Question& a, const Question& b) { return a.vaddr == b.vaddr; };
    // Of equal addresses the first one stays: a wanted address comes before the row of another one.
    std::stable_sort(asked_.begin(), asked_.end(), is_less);
    asked_.erase(std::unique(asked_.begin(), asked_.end(), is_same), asked_.end());
    for (const Question& question : asked_) {
      sorted_.vaddrs.push_back(question.vaddr);
      sorted_.symbol_starts.push_back(question.symbol_start);
      sorted_.lines.push_back(question.lines);
    }
    // FindInlines uses fewer: one for each 128 MiB of units (docs/design/symbolizer.md).
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    answers_ = FindInlines(info, files, sorted_, threads);
  }
  // The answer for an address that was asked about.
  InlineAnswer& Of(std::uint64_t vaddr) {
    const auto& vaddrs = sorted_.vaddrs;
    const auto at = std::lower_bound(vaddrs.begin(), vaddrs.end(), vaddr);
    return answers_[static_cast<std::size_t>(at - vaddrs.begin())];
  }
  /// Checks each borrowed line by the chains of its address and of its row.
  void Settle() {
    for (const BorrowedLine& line : facts_.borrowed) {
      SettleBorrowedLine(Of(facts_.vaddrs[line.number]), Of(line.row_vaddr),
                         facts_.locations[line.number]);
    }
  }

 private:
  struct Question {
    std::uint64_t vaddr = 0;
    /// If a symbol covers the address, its name is kept: it has suffixes (.cold, .isra) that DIEs
    /// lack. So the name of the function's DIE is not looked up.
    std::uint64_t symbol_start = 0;
    std::uint64_t lines = kNoLines;
  };
  /// `number` is the index of an address in the same function.
  void Add(std::uint64_t vaddr, std::size_t number) {
    const Location& location = facts_.locations[number];
    const bool has_symbol =
        location.source == NameSource::kSymbol &&
        !std::binary_search(facts_.unsettled.begin(), facts_.unsettled.end(), number);
    asked_.push_back({vaddr, has_symbol ? location.function_vaddr : 0, facts_.lines[number]});
  }

  const AddressFacts& facts_;
  std::vector<Question> asked_;
  InlineQuestions sorted_;
  std::vector<InlineAnswer> answers_;
};

/// Frames have no identity; two calls of one function in one line are taken for the same.
bool IsSameFrame(const InlineFrame& a, const InlineFrame& b) {
  return a.function == b.function && a.raw_name == b.raw_name && a.call_line == b.call_line &&
         a.call_file == b.call_file;
}

/// Whether the chain of `at` is the outer part of the chain of `row`, or equal to it.
bool IsOuterPart(const InlineAnswer& at, const InlineAnswer& row) {
  if (!at.is_found || !row.is_found || at.start != row.start) return false;
  return at.frames.size() <= row.frames.size() &&
         std::equal(at.frames.rbegin(), at.frames.rend(), row.frames.rbegin(), IsSameFrame);
}

/// The one of the symbols' names that belongs to the function of .debug_info; "" if none does.
std::string NameOfFunction(const std::vector<std::string>& symbols, const InlineAnswer& answer) {
  for (const std::string& name : symbols) {
    // A piece or copy of a function has the function's name in .debug_info.
    if (name.substr(0, name.size() - CloneSuffix(name).size()) == answer.raw_name) return name;
    // Without a linkage name: .debug_info has scopes and a short name, the symbol parameters, too.
    if (answer.raw_name != answer.function || !name.starts_with("_Z")) continue;
    const std::string shown = Demangle(name);
    if (shown == answer.function || shown.starts_with(answer.function + "(")) return name;
  }
  return "";
}

/// Gives a location the name of the function that .debug_info has around the address. Of several
/// symbols with the function's start, the one with this name is taken: it has the suffixes of
/// clones, and the parameters of functions without a linkage name.
void TakeName(InlineAnswer& answer, const AliasNames& aliases, Location& location) {
  if (answer.function.empty()) return;
  if (answer.raw_name.starts_with(kInternal)) {
    answer.raw_name.erase(0, kInternal.size());
    answer.function = answer.raw_name;
  }
  const auto names = aliases.find(answer.start);
  if (names != aliases.end() && location.function_vaddr == answer.start) {
    const std::string symbol = NameOfFunction(names->second, answer);
    if (!symbol.empty()) {
      location.function = Demangle(symbol);
      location.clone = CloneSuffix(symbol);
      location.raw_name = symbol;
      return;
    }
    // The name by which programs call a function of the library (SymbolHit::alternatives).
    if (IsReserved(answer.raw_name) && !IsReserved(location.raw_name)) return;
  }
  location.function = std::move(answer.function);
  location.raw_name = std::move(answer.raw_name);
  location.clone.clear();
  location.source = NameSource::kSymbol;
  location.function_vaddr = answer.start;
}

}  // namespace

void SettleBorrowedLine(const InlineAnswer& at, const InlineAnswer& row, Location& location) {
  if (!at.is_found && !row.is_found) return;
  if (!IsOuterPart(at, row)) {
    location.file.clear();
    location.line = 0;
  } else if (row.frames.size() > at.frames.size()) {
    // Frames are innermost first: the frame before the common outer part is what was inlined into
    // it.
    const InlineFrame& call = row.frames[row.frames.size() - at.frames.size() - 1];
    location.file = call.call_file;
    location.line = call.call_line;
  }
}

void AddInlines(const ElfFile& info, DebugFiles& files, const AddressFacts& facts) {
  Questions questions(facts);
  questions.AddAll();
  questions.AddBorrowed();
  questions.Ask(info, files);
  questions.Settle();
  for (std::size_t i = 0; i < facts.vaddrs.size(); ++i) {
    Location& location = facts.locations[i];
    InlineAnswer& answer = questions.Of(facts.vaddrs[i]);
    location.inlined = std::move(answer.frames);
    TakeName(answer, facts.aliases, location);
  }
}

void SettleNamesAndLines(const ElfFile& info, DebugFiles& files, const AddressFacts& facts) {
  Questions questions(facts);
  questions.AddUnsettled();
  questions.AddBorrowed();
  if (questions.IsEmpty()) return;
  questions.Ask(info, files);
  questions.Settle();
  for (const std::size_t number : facts.unsettled) {
    TakeName(questions.Of(facts.vaddrs[number]), facts.aliases, facts.locations[number]);
  }
}

}  // namespace csink::symbolizer
