#include "symbolizer/report/text/main_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/tables/derived.h"
#include "symbolizer/report/tables/select_events.h"
#include "symbolizer/report/tables/topdown.h"
#include "symbolizer/report/text/ratio_text.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: lays out the main table of a text report. Choose picks the rows. ChooseDetail picks the
/// number columns: it tries the steps of kDetails until numbers and kTextColumns columns of text
/// fit into the width. ChooseWidths divides the rest among the labels. All widths are those of the
/// drawn texts, so the numbers are formatted before the widths are known.

namespace csink::report {
namespace {

using Align = Table::Align;

/// At least this many rows are shown, even below min_share: a flat profile should not be an empty
/// table.
constexpr std::size_t kLeastRows = 5;
/// Columns that are kept free for the labels if there is room.
constexpr std::size_t kTextColumns = 34;
/// Columns that the first label always has.
constexpr std::size_t kLeastText = 12;
/// In a flat profile the row of the rest has at least this share; then its groups are listed.
constexpr double kFlatShare = 0.5;
/// Groups that are listed; the others share one entry.
constexpr std::size_t kRestGroups = 6;

/// One step: how many columns of each kind are shown.
struct Detail {
  std::size_t events;     // Events that are shown
  std::size_t intervals;  // Events with a +-95% column
  std::size_t amounts;    // Events with a column of samples or amounts
  std::size_t derived;    // Ratios
  bool errors;            // Ratios with a +-95% column
};

/// A number that no profile exceeds.
constexpr std::size_t kAll = spool::kMaxEvents;
/// From the widest to the narrowest. The last one is used even if it does not fit.
constexpr Detail kDetails[] = {
    {kAll, 2, kAll, kAll, true}, {kAll, 1, kAll, kAll, true}, {kAll, 1, 2, kAll, true},
    {kAll, 1, 1, kAll, true},    {kAll, 1, 0, kAll, true},    {kAll, 1, 0, kAll, false},
    {kAll, 1, 0, 2, false},      {kAll, 1, 0, 1, false},      {kAll, 0, 0, 0, false},
    {4, 0, 0, 0, false},         {2, 0, 0, 0, false},         {1, 0, 0, 0, false}};

/// The largest share of a row over all events; it decides whether the row is shown. A function that
/// is hot in one event only must not be hidden.
double LargestShare(const std::vector<Cell>& cells) {
  double share = 0;
  for (const Cell& cell : cells) share = std::max(share, cell.share);
  return share;
}

/// The events that have columns, as indices into Profile::events. With top-down shares only the
/// slots have one: the other events are in the shares.
std::vector<std::size_t> EventColumns(const Report& report) {
  const bool has_shares = HasTopdown(report);
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < report.profile.events.size(); ++i) {
    if (!has_shares || !IsTopdownPart(report.profile.events[i])) columns.push_back(i);
  }
  return columns;
}

/// Lays out rows of cells for each event, ratios, and three labels. Used once.
class Layout {
 public:
  Layout(const Report& report, const TextStyle& style, MainTable table)
      : report_(report), style_(style), table_(std::move(table)), columns_(EventColumns(report)) {
    std::vector<std::string> names;
    for (const EventTotals& event : report.profile.events) names.push_back(event.name);
    heads_ = names.size() > 1 ? EventHeads(names) : std::vector<std::string>(names.size());
  }
  std::string Draw();

 private:
  using Cells = std::vector<Cell>;
  void Choose();
  void ChooseDetail();
  void ChooseWidths(std::size_t fixed);
  void AddNumberTitles(Table& table) const;
  void AddNumbers(std::vector<std::string>& row, const Cells& cells) const;
  void AddDerived(std::vector<std::string>& row, const Cells& cells) const;
  std::size_t NumbersWidth() const;
  std::vector<std::string> RestRow() const;
  std::string DrawRest(const std::vector<std::vector<std::string>>& rows,
                       const std::vector<std::string>& rest, std::size_t numbers) const;
  std::string RestGroups() const;
  std::string ColumnGroups(const Table& table) const;
  std::vector<std::string> LabelTexts(std::size_t label) const;
  /// Number of events that have columns in the present step.
  std::size_t Events() const { return std::min(detail_.events, columns_.size()); }
  /// Number of columns of an event: its share, and the interval and the amount where the step has
  /// them.
  std::size_t ColumnsOf(std::size_t event) const {
    return 1 + (event < detail_.intervals) + (event < detail_.amounts);
  }

  const Report& report_;
  const TextStyle& style_;
  MainTable table_;
  std::vector<std::string> heads_;          // For each event; "" if there is only one
  const std::vector<std::size_t> columns_;  // Events that may have columns
  // Pointers into table_.rows.
  std::vector<const MainRow*> shown_;
  std::vector<const MainRow*> rest_;
  Detail detail_ = kDetails[0];
  std::array<std::size_t, 3> widths_{};  // 0: no such column
};

/// Chooses the rows with most samples, then sorts them in the requested order. Sorting first would
/// fill the table with cold functions that have extreme ratios. Rows beyond style.top join the
/// rest, where their order does not matter.
void Layout::Choose() {
  const auto& rows = table_.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool worth = i < kLeastRows || LargestShare(*rows[i].cells) >= style_.min_share;
    (worth ? shown_ : rest_).push_back(&rows[i]);
  }
  const auto order = RowOrder(report_, style_.sort);
  if (order.is_set) {
    std::stable_sort(shown_.begin(), shown_.end(), [&](const MainRow* a, const MainRow* b) {
      return order.Less(report_, *a->cells, a->labels[0], *b->cells, b->labels[0]);
    });
  }
  while (shown_.size() > style_.top) {
    rest_.push_back(shown_.back());
    shown_.pop_back();
  }
  // If the rest is a single row, that row is shown instead of the sum.
  if (rest_.size() == 1 && shown_.size() < style_.top) {
    shown_.push_back(rest_[0]);
    rest_.clear();
  }
}

/// The titles of the number columns, in the order of AddNumbers.
void Layout::AddNumberTitles(Table& table) const {
  for (std::size_t i = 0; i < Events(); ++i) {
    // A single column is at least as wide as the name of its event.
    const std::size_t least = ColumnsOf(i) == 1 ? DisplayWidth(heads_[columns_[i]]) : 0;
    table.AddColumn(std::string(least > 5 ? least - 5 : 0, ' ') + "share", Align::kRight);
    if (i < detail_.intervals) table.AddColumn("+-95%", Align::kRight);
    if (i >= detail_.amounts) continue;
    table.AddColumn(report_.profile.events.size() == 1 ? "samples" : "events", Align::kRight);
  }
  for (std::size_t i = 0; i < std::min(detail_.derived, report_.derived.size()); ++i) {
    table.AddColumn(report_.derived[i].title, Align::kRight);
    if (detail_.errors) table.AddColumn("+-95%", Align::kRight);
  }
  if (report_.energy) table.AddColumn("~J", Align::kRight);
}

/// The numbers of one row.
void Layout::AddNumbers(std::vector<std::string>& row, const Cells& cells) const {
  for (std::size_t i = 0; i < Events(); ++i) {
    const Cell& cell = cells[columns_[i]];
    row.push_back(ShareText(cell.share));
    if (i < detail_.intervals) row.push_back(FixedText((cell.high - cell.low) * 50, 1));
    if (i >= detail_.amounts) continue;
    // With one event the number of samples is shown, which says most about the error. With several,
    // amounts can be compared between events.
    if (cells.size() == 1) {
      row.push_back(Grouped(cell.samples));
    } else {
      const EventTotals& event = report_.profile.events[columns_[i]];
      const bool clock = event.kind == EventClass::kClock;
      const double weight = static_cast<double>(cell.weight) * ScaleOf(event);
      row.push_back(clock ? Duration(weight / 1e9) : Short(weight));
    }
  }
  AddDerived(row, cells);
  if (!report_.energy) return;
  row.push_back(Joules(report_.energy->program_joules * cells[report_.energy->event].share));
}

/// The ratios of one row, computed from its cells. The row of the rest has cells that no row of the
/// report has, so its ratios cannot be taken from there.
void Layout::AddDerived(std::vector<std::string>& row, const Cells& cells) const {
  std::vector<Ratio> ratios;
  std::vector<Interval> intervals;
  Derive(report_, cells, ratios, intervals);
  for (std::size_t i = 0; i < std::min(detail_.derived, ratios.size()); ++i) {
    RatioText text = TextOf(report_.derived[i], ratios[i], intervals[i]);
    row.push_back(std::move(text.value));
    if (detail_.errors) row.push_back(std::move(text.error));
  }
}

/// The sum of the rows that are not shown, and how large the largest of them is.
std::vector<std::string> Layout::RestRow() const {
  // Shares are added, because each is relative to the same total. Intervals are computed from the
  // sum.
  Cells sum(report_.profile.events.size());
  double largest = 0;
  for (const MainRow* row : rest_) {
    largest = std::max(largest, LargestShare(*row->cells));
    for (std::size_t e = 0; e < sum.size(); ++e) {
      sum[e].samples += (*row->cells)[e].samples;
      sum[e].weight += (*row->cells)[e].weight;
      sum[e].share += (*row->cells)[e].share;
    }
  }
  for (std::size_t e = 0; e < sum.size(); ++e) {
    FinishInterval(report_, e, sum[e]);
  }
  std::vector<std::string> row;
  AddNumbers(row, sum);
  const std::string one = "more " + table_.one;
  const std::string many = "more " + table_.many;
  row.push_back(Count(rest_.size(), one.c_str(), many.c_str()) +
                (largest < style_.min_share ? " below " + Percent(style_.min_share)
                                            : ", each at most " + Percent(largest)));
  return row;
}

/// If there are several events: a line with their names above the columns, each right-aligned over
/// the columns of its event. A name that does not fit is replaced by its head (EventHeads).
std::string Layout::ColumnGroups(const Table& table) const {
  if (report_.profile.events.size() < 2) return "";
  std::string line;
  std::size_t column = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < Events(); ++i) {
    const std::size_t begin = end + (column == 0 ? 0 : 2);
    std::size_t width = 0;
    for (std::size_t c = 0; c < ColumnsOf(i); ++c) {
      width += table.NaturalWidth(column++) + (c == 0 ? 0 : 2);
    }
    end = begin + width;
    const std::string whole = Printable(report_.profile.events[columns_[i]].name);
    const std::string name = DisplayWidth(whole) <= width ? whole : heads_[columns_[i]];
    line.resize(end - DisplayWidth(name), ' ');
    line += name;
  }
  return Bold(style_, line) + "\n";
}

/// Divides the remaining width among the labels; `fixed` columns are taken by numbers. Labels get
/// the width of their widest text. If this is too much, they are shortened in the order of the
/// calls of `shrink` below: the first label down to a half, then the third, the second, and all
/// again to smaller limits.
void Layout::ChooseWidths(std::size_t fixed) {
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    if (table_.labels[i].title.empty()) continue;
    std::size_t widest = 0;
    for (const MainRow* row : shown_) {
      widest = std::max(widest, DisplayWidth(row->labels[i]) + (i == 0 ? row->behind.size() : 0));
    }
    // A third column without texts, such as unknown lines, is left out.
    if (i == 2 && widest == 0) continue;
    widths_[i] = std::max(widest, DisplayWidth(table_.labels[i].title));
  }
  const std::size_t room = style_.width > fixed + kLeastText ? style_.width - fixed : kLeastText;
  if (room < 44) widths_[2] = 0;  // Lines have a table of their own
  if (room < 24) widths_[1] = 0;
  const std::size_t gaps = 2 * ((widths_[1] > 0) + (widths_[2] > 0));
  const auto shrink = [&](std::size_t column, std::size_t least) {
    const std::size_t sum = widths_[0] + widths_[1] + widths_[2] + gaps;
    std::size_t& width = widths_[column];
    if (sum > room && width > least) width -= std::min(width - least, sum - room);
  };
  shrink(0, std::max<std::size_t>(16, (room - std::min(room, gaps)) / 2));
  shrink(2, 18);
  shrink(1, 12);
  shrink(2, 12);
  shrink(0, 12);
  shrink(1, 8);
}

/// Columns that the numbers of the present detail take, with two blanks behind each.
std::size_t Layout::NumbersWidth() const {
  Table numbers;
  AddNumberTitles(numbers);
  for (const MainRow* row : shown_) {
    std::vector<std::string> cells;
    AddNumbers(cells, *row->cells);
    numbers.AddRow(std::move(cells));
  }
  std::size_t width = 0;
  for (std::size_t i = 0; i < numbers.columns(); ++i) width += numbers.NaturalWidth(i) + 2;
  return width;
}

/// Takes the first step of kDetails whose numbers leave kTextColumns, on narrow screens half of the
/// screen, for the labels. The last step stays if none does.
void Layout::ChooseDetail() {
  const std::size_t text = std::min(kTextColumns, style_.width / 2);
  for (const Detail& detail : kDetails) {
    detail_ = detail;
    if (NumbersWidth() + text <= style_.width) break;
  }
}

/// The texts of a label of all shown rows in its width. What follows a name (`behind`) is kept
/// whole or left out.
std::vector<std::string> Layout::LabelTexts(std::size_t label) const {
  const std::size_t width = widths_[label];
  std::vector<std::string> texts;
  for (const MainRow* row : shown_) texts.push_back(row->labels[label]);
  switch (table_.labels[label].shortening) {
    case Shortening::kFunction: {
      std::vector<std::size_t> widths(texts.size(), width);
      const auto has_room = [&](std::size_t i) {
        const std::string& behind = shown_[i]->behind;
        return label == 0 && !behind.empty() && behind.size() + kLeastText <= width;
      };
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (has_room(i)) widths[i] -= shown_[i]->behind.size();
      }
      texts = ShortenFunctions(texts, widths);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (has_room(i)) texts[i] += shown_[i]->behind;
      }
      return texts;
    }
    case Shortening::kTail:
      for (std::string& text : texts) text = KeepTail(text, width);
      return texts;
    case Shortening::kHead:
      break;
  }
  for (std::string& text : texts) text = KeepHead(text, width);
  return texts;
}

/// The last row, drawn as a table of its own with the same numbers, so that its columns have the
/// same widths. Its text extends over the columns of the other labels.
std::string Layout::DrawRest(const std::vector<std::vector<std::string>>& rows,
                             const std::vector<std::string>& rest, std::size_t numbers) const {
  Table last;
  AddNumberTitles(last);
  last.AddColumn(table_.labels[0].title, Align::kLeft);
  for (const auto& row : rows) {
    last.AddRow({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(numbers)});
  }
  last.AddRow(rest);
  // Only the last line is wanted.
  std::string drawn = last.Draw(style_, true);
  drawn.pop_back();
  return drawn.substr(drawn.rfind('\n') + 1) + "\n";
}

/// The groups of the rows that are not shown, by their share of the first event. "" unless the
/// profile is flat.
std::string Layout::RestGroups() const {
  struct Group {
    double share = 0;
    std::size_t rows = 0;
    std::string name = {};
  };
  std::map<std::string, Group> by_name;
  double share = 0;
  for (const MainRow* row : rest_) {
    if (row->group.empty()) continue;
    Group& group = by_name[row->group];
    group.share += (*row->cells)[0].share;
    group.name = row->group;
    ++group.rows;
    share += (*row->cells)[0].share;
  }
  if (share < kFlatShare) return "";
  std::vector<Group> groups;
  for (auto& [name, group] : by_name) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.share > b.share; });
  // A single further group is listed instead of being counted.
  const std::size_t listed = groups.size() > kRestGroups + 1 ? kRestGroups : groups.size();
  std::string text;
  Group others;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i >= listed) {
      others.share += groups[i].share;
      ++others.rows;
      continue;
    }
    text += (i == 0 ? "" : ", ") + groups[i].name + " " + Percent(groups[i].share) + " (" +
            Count(groups[i].rows, table_.one.c_str(), table_.many.c_str()) + ")";
  }
  if (others.rows > 0) {
    text += ", " + Grouped(others.rows) + " more " + table_.group + "s " + Percent(others.share);
  }
  return Wrapped(style_, "rest   ",
                 "by " + table_.group + ": " + text + "; " + table_.group_option + " shows whole " +
                     table_.group + "s");
}

/// The whole table. Rows are made of numbers first, because the widths of labels depend on them.
std::string Layout::Draw() {
  Choose();
  ChooseDetail();
  std::vector<std::vector<std::string>> rows;
  Table numbers;
  AddNumberTitles(numbers);
  for (const MainRow* row : shown_) {
    rows.emplace_back();
    AddNumbers(rows.back(), *row->cells);
    numbers.AddRow(rows.back());
  }
  std::vector<std::string> rest_row;
  if (!rest_.empty()) {
    // The sum may be wider than any single row, so it takes part in the widths.
    rest_row = RestRow();
    numbers.AddRow(rest_row);
  }
  std::size_t fixed = 0;
  for (std::size_t i = 0; i < numbers.columns(); ++i) fixed += numbers.NaturalWidth(i) + 2;
  ChooseWidths(fixed);

  Table table;
  AddNumberTitles(table);
  for (std::size_t label = 0; label < widths_.size(); ++label) {
    if (widths_[label] > 0) table.AddColumn(table_.labels[label].title, Align::kLeft);
  }
  for (std::size_t label = 0; label < widths_.size(); ++label) {
    if (widths_[label] == 0) continue;
    std::vector<std::string> texts = LabelTexts(label);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(std::move(texts[i]));
  }
  for (const auto& row : rows) table.AddRow(row);
  std::string text = ColumnGroups(numbers) + table.Draw(style_, false);
  if (!rest_.empty()) text += DrawRest(rows, rest_row, numbers.columns());
  text += RestGroups();
  const std::size_t hidden = columns_.size() - Events();
  if (hidden > 0) {
    text += Dim(style_, Count(hidden, "event", "events") + " not shown: too narrow") + "\n";
  }
  return text;
}

}  // namespace

std::string DrawMainTable(const Report& report, const TextStyle& style, MainTable table) {
  return Layout(report, style, std::move(table)).Draw();
}

}  // namespace csink::report
