#include <algorithm>

#include "profil/statistics.h"
#include "symbolizer/report/numbers.h"
#include "symbolizer/report/shorten.h"
#include "symbolizer/report/text.h"

namespace csink::report {
namespace {

using Align = Table::Align;
using symbolizer::NameSource;

constexpr std::size_t kLeastRows = 5;     // of a flat profile, though below min_share
constexpr std::size_t kTextColumns = 34;  // left for function and module at least

/// The largest share of a row over all events: what makes it worth showing.
double LargestShare(const std::vector<Cell>& cells) {
  double share = 0;
  for (const Cell& cell : cells) share = std::max(share, cell.share);
  return share;
}

/// Lays out rows of (cells per event, derived, function, module, line).
class FunctionTable {
 public:
  FunctionTable(const Report& report, const TextStyle& style) : report_(report), style_(style) {}
  std::string Draw();

 private:
  std::size_t CountShown() const;
  void AddNumberTitles(Table& table) const;
  void AddNumbers(std::vector<std::string>& row, const std::vector<Cell>& cells,
                  const std::vector<Ratio>& derived) const;
  std::vector<std::string> RestRow(std::size_t shown) const;
  std::string ColumnGroups(const Table& table) const;
  void ChooseWidths(std::size_t fixed, std::size_t shown);

  const Report& report_;
  const TextStyle& style_;
  /// What the numbers show of each event; less of it when many events need room.
  struct Detail {
    std::size_t intervals;  // events with a +-95% column
    std::size_t amounts;    // events with a column of samples or events
    bool derived;
  };
  std::size_t NumbersWidth(std::size_t shown) const;
  std::size_t ColumnsOf(std::size_t event) const {
    return 1 + (event < detail_.intervals) + (event < detail_.amounts);
  }
  Detail detail_{2, spool::kMaxEvents, true};
  std::size_t function_width_ = 0;
  std::size_t module_width_ = 0;
  std::size_t line_width_ = 0;  // 0: no such column
};

std::string ModuleText(const FunctionRow& row) {
  const bool unnamed = row.source == NameSource::kFde || row.source == NameSource::kNone;
  // "[liblzma.so.5+0x15bf9]" says the module already.
  if (unnamed && row.function.find(row.module + "+") != std::string::npos) return "no symbols";
  return Printable(row.module);
}

std::string LineText(const FunctionRow& row) {
  return row.line == 0 ? "" : Printable(BaseName(row.file)) + ":" + std::to_string(row.line);
}

std::size_t FunctionTable::CountShown() const {
  const auto& functions = report_.functions;
  std::size_t shown = 0;
  while (shown < functions.size() && shown < style_.top &&
         (shown < kLeastRows || LargestShare(functions[shown].events) >= style_.min_share)) {
    ++shown;
  }
  // A rest of one function takes the line that its own row would take.
  return shown + 1 == functions.size() && shown < style_.top ? shown + 1 : shown;
}

void FunctionTable::AddNumberTitles(Table& table) const {
  const std::size_t events = report_.profile.events.size();
  for (std::size_t i = 0; i < events; ++i) {
    table.AddColumn("share", Align::kRight);
    if (i < detail_.intervals) table.AddColumn("+-95%", Align::kRight);
    if (i >= detail_.amounts) continue;
    table.AddColumn(events == 1 ? "samples" : "events", Align::kRight);
  }
  if (!detail_.derived) return;
  for (const DerivedColumn& derived : report_.derived) {
    table.AddColumn(derived.title, Align::kRight);
  }
}

void FunctionTable::AddNumbers(std::vector<std::string>& row, const std::vector<Cell>& cells,
                               const std::vector<Ratio>& derived) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    row.push_back(Percent(cell.share));
    if (i < detail_.intervals) row.push_back(FixedText((cell.high - cell.low) * 50, 1));
    if (i >= detail_.amounts) continue;
    if (cells.size() == 1) {
      row.push_back(Grouped(cell.samples));
    } else {
      const bool clock = report_.profile.events[i].kind == spool::EventKind::kClock;
      const double weight = static_cast<double>(cell.weight);
      row.push_back(clock ? Duration(weight / 1e9) : Short(weight));
    }
  }
  if (!detail_.derived) return;
  for (const Ratio& ratio : derived) row.push_back(ratio ? FixedText(*ratio, 2) : "-");
}

std::vector<std::string> FunctionTable::RestRow(std::size_t shown) const {
  const auto& functions = report_.functions;
  std::vector<Cell> sum(report_.profile.events.size());
  double largest = 0;
  for (std::size_t i = shown; i < functions.size(); ++i) {
    largest = std::max(largest, LargestShare(functions[i].events));
    for (std::size_t e = 0; e < sum.size(); ++e) {
      sum[e].samples += functions[i].events[e].samples;
      sum[e].weight += functions[i].events[e].weight;
      sum[e].share += functions[i].events[e].share;
    }
  }
  for (std::size_t e = 0; e < sum.size(); ++e) {
    const Interval interval = WilsonInterval(sum[e].share, report_.effective_samples[e]);
    sum[e].low = interval.low;
    sum[e].high = interval.high;
  }
  std::vector<Ratio> derived;
  for (const DerivedColumn& column : report_.derived) {
    const double below = static_cast<double>(sum[column.denominator].weight);
    const double above = static_cast<double>(sum[column.numerator].weight);
    derived.push_back(below > 0 ? Ratio(above / below * column.scale) : std::nullopt);
  }
  std::vector<std::string> row;
  AddNumbers(row, sum, derived);
  const std::string count = Count(functions.size() - shown, "more function", "more functions");
  row.push_back(count + (largest < style_.min_share ? " below " + Percent(style_.min_share)
                                                    : ", each at most " + Percent(largest)));
  return row;
}

/// With several events: their names above their columns.
std::string FunctionTable::ColumnGroups(const Table& table) const {
  const auto& events = report_.profile.events;
  if (events.size() < 2) return "";
  std::string line;
  std::size_t column = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::size_t begin = end + (column == 0 ? 0 : 2);
    std::size_t width = 0;
    for (std::size_t c = 0; c < ColumnsOf(i); ++c) {
      width += table.NaturalWidth(column++) + (c == 0 ? 0 : 2);
    }
    end = begin + width;
    const std::string name = KeepHead(Printable(events[i].name), width);
    line.resize(end - DisplayWidth(name), ' ');
    line += name;
  }
  return Bold(style_, line) + "\n";
}

/// Shares what the numbers leave among function, module and line.
void FunctionTable::ChooseWidths(std::size_t fixed, std::size_t shown) {
  std::size_t function = 8;
  std::size_t module = 6;
  std::size_t line = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const FunctionRow& row = report_.functions[i];
    function = std::max(function, DisplayWidth(Printable(row.function)));
    module = std::max(module, DisplayWidth(ModuleText(row)));
    line = std::max(line, DisplayWidth(LineText(row)));
  }
  std::size_t room = style_.width > fixed + 24 ? style_.width - fixed : 24;
  if (room < 44) line = 0;                               // the lines have a table of their own
  if (line > 0) line = std::max<std::size_t>(line, 12);  // its title
  const std::size_t gaps = line > 0 ? 4 : 2;
  room -= gaps;
  const auto shrink = [&](std::size_t& width, std::size_t least) {
    const std::size_t sum = function + module + line;
    if (sum > room && width > least) width -= std::min(width - least, sum - room);
  };
  shrink(function, std::max<std::size_t>(16, room / 2));
  shrink(line, 18);
  shrink(module, 12);
  shrink(line, 12);
  shrink(function, 12);
  shrink(module, 8);
  function_width_ = function;
  module_width_ = module;
  line_width_ = line;
}

std::size_t FunctionTable::NumbersWidth(std::size_t shown) const {
  Table numbers;
  AddNumberTitles(numbers);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row;
    AddNumbers(row, report_.functions[i].events, report_.functions[i].derived);
    numbers.AddRow(std::move(row));
  }
  std::size_t width = 0;
  for (std::size_t i = 0; i < numbers.columns(); ++i) width += numbers.NaturalWidth(i) + 2;
  return width;
}

std::string FunctionTable::Draw() {
  const std::size_t shown = CountShown();
  for (const Detail less : {Detail{1, spool::kMaxEvents, true}, Detail{1, 2, true},
                            Detail{1, 1, true}, Detail{1, 0, true}, Detail{0, 0, false}}) {
    if (NumbersWidth(shown) + kTextColumns <= style_.width) break;
    detail_ = less;
  }
  const bool rest = shown < report_.functions.size();
  std::vector<std::vector<std::string>> rows;
  Table numbers;
  AddNumberTitles(numbers);
  for (std::size_t i = 0; i < shown; ++i) {
    rows.emplace_back();
    AddNumbers(rows.back(), report_.functions[i].events, report_.functions[i].derived);
    numbers.AddRow(rows.back());
  }
  std::vector<std::string> rest_row;
  if (rest) {
    rest_row = RestRow(shown);
    numbers.AddRow(rest_row);
  }
  std::size_t fixed = 0;
  for (std::size_t i = 0; i < numbers.columns(); ++i) fixed += numbers.NaturalWidth(i) + 2;
  ChooseWidths(fixed, shown);

  Table table;
  AddNumberTitles(table);
  table.AddColumn("function", Align::kLeft);
  table.AddColumn("module", Align::kLeft);
  if (line_width_ > 0) table.AddColumn("hottest line", Align::kLeft);
  for (std::size_t i = 0; i < shown; ++i) {
    const FunctionRow& row = report_.functions[i];
    rows[i].push_back(ShortenFunction(Printable(row.function), function_width_));
    rows[i].push_back(KeepHead(ModuleText(row), module_width_));
    if (line_width_ > 0) rows[i].push_back(KeepTail(LineText(row), line_width_));
    table.AddRow(rows[i]);
  }
  std::string text = ColumnGroups(numbers);
  text += table.Draw(style_, false);
  if (rest) {
    // Its text runs on over the module's column.
    Table last;
    AddNumberTitles(last);
    last.AddColumn("function", Align::kLeft);
    for (const auto& row : rows)
      last.AddRow({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(numbers.columns())});
    last.AddRow(rest_row);
    std::string drawn = last.Draw(style_, true);
    drawn.pop_back();
    text += drawn.substr(drawn.rfind('\n') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string WriteFunctions(const Report& report, const TextStyle& style) {
  return FunctionTable(report, style).Draw();
}

}  // namespace csink::report
