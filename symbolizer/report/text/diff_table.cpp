#include <algorithm>
#include <cmath>
#include <cstdio>

#include "symbolizer/report/text/diff_writers.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: draws the table of changes. The columns depend on `detail`: 0 shares and the change of the
/// amount; 1 also its interval; 2 also p-values; 3 also amounts. The largest detail that leaves
/// room for names is used.

namespace csink::report {
namespace {

using Align = Table::Align;

constexpr std::size_t kTextColumns = 34;  // Kept free for names if there is room

/// A corrected p-value. "few": the row has too few samples to be tested.
std::string PText(const std::optional<double>& p) {
  if (!p) return "few";
  if (*p < 1e-4) return "<1e-4";
  return FixedText(*p, *p < 0.01 ? 4 : 2);
}

/// CPU or blocked seconds with three digits; events in short form.
std::string AmountText(const Comparison& comparison, double amount) {
  return comparison.is_clock ? FixedText(amount, 3) : Short(amount);
}

/// What amounts are.
std::string AmountTitle(const Comparison& comparison, const char* of_clock) {
  if (!comparison.is_clock) return "events";
  return std::string(comparison.unit == "wait" ? "blocked " : "CPU ") + of_clock;
}

/// The titles of the number columns. Without tests there are no p-values and no marks.
void AddTitles(const Comparison& comparison, std::size_t detail, Table& table) {
  table.AddColumn("share", Align::kRight);
  table.AddColumn("was", Align::kRight);
  if (detail > 2) {
    table.AddColumn(AmountTitle(comparison, "s"), Align::kRight);
    table.AddColumn("was", Align::kRight);
    table.AddColumn("change", Align::kRight);
  } else {
    table.AddColumn(AmountTitle(comparison, "time"), Align::kRight);
  }
  if (detail > 0) {
    table.AddColumn(comparison.between_runs ? "95% interval" : "of sampling", Align::kRight);
  }
  if (!comparison.between_runs) return;
  if (detail > 1) table.AddColumn("p", Align::kRight);
  table.AddColumn("", Align::kLeft);
}

/// The cells of one row, in the order of AddTitles.
std::vector<std::string> Numbers(const Comparison& comparison, const ChangeRow& row,
                                 std::size_t detail) {
  std::vector<std::string> cells = {row.share ? ShareText(*row.share) : "gone",
                                    row.was ? ShareText(*row.was) : "new"};
  if (detail > 2) {
    cells.push_back(AmountText(comparison, row.amount));
    cells.push_back(AmountText(comparison, row.was_amount));
  }
  const bool is_both = row.share && row.was && row.was_amount > 0;
  cells.push_back(is_both ? ChangeText(row.amount / row.was_amount) : row.share ? "new" : "gone");
  if (detail > 0) cells.push_back(is_both ? ChangeIntervalText(row.ratio) : "");
  if (!comparison.between_runs) return cells;
  if (detail > 1) cells.push_back(PText(row.adjusted_p_value));
  cells.push_back(MarkOf(row));
  return cells;
}

/// The names of the rows, shortened to `width`, and whether the function was inlined meanwhile. The
/// note is never shortened.
std::vector<std::string> NamesOf(const Comparison& comparison,
                                 const std::vector<const ChangeRow*>& rows, std::size_t width) {
  std::vector<std::string> names;
  std::vector<std::string> notes;
  std::vector<std::size_t> rooms;
  for (const ChangeRow* row : rows) {
    notes.push_back(row->moved.empty() ? "" : " (" + row->moved + ")");
    names.push_back(Printable(row->function));
    rooms.push_back(width > notes.back().size() + 12 ? width - notes.back().size() : 12);
  }
  const bool by_function = comparison.unit != "line" && comparison.unit != "wait";
  const std::vector<std::string> functions = ShortenFunctions(names, rooms);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->function.empty()) {
      names[i] = KeepHead(Printable(rows[i]->module), width);
    } else {
      names[i] = (by_function ? functions[i] : KeepHead(names[i], rooms[i])) + notes[i];
    }
  }
  return names;
}

/// The rows to show: those that changed, and those with large shares. At most `most`, in the order
/// of the comparison, which has the largest change first.
std::vector<const ChangeRow*> WorthShowing(const Comparison& comparison, const TextStyle& style,
                                           std::size_t most) {
  std::vector<const ChangeRow*> rows;
  for (const ChangeRow& row : comparison.functions) {
    // The largest changes come first, so what is cut off changed least.
    if (rows.size() == most) break;
    const double largest = std::max(row.share.value_or(0), row.was.value_or(0));
    if (largest >= style.min_share || row.significant) rows.push_back(&row);
  }
  return rows;
}

}  // namespace

std::string DrawChanges(const Comparison& comparison, const TextStyle& style, std::size_t most,
                        bool with_tests) {
  const std::vector<const ChangeRow*> rows = WorthShowing(comparison, style, most);
  if (rows.empty()) return "";
  std::size_t detail = with_tests ? 3 : 1;
  // Columns of the numbers with the present detail.
  const auto width_of = [&] {
    Table numbers;
    AddTitles(comparison, detail, numbers);
    for (const ChangeRow* row : rows) numbers.AddRow(Numbers(comparison, *row, detail));
    std::size_t width = 0;
    for (std::size_t i = 0; i < numbers.columns(); ++i) width += numbers.NaturalWidth(i) + 2;
    return width;
  };
  // Numbers are drawn for each step, because the widths depend on them.
  while (detail > 0 && width_of() + std::min(kTextColumns, style.width / 2) > style.width) --detail;
  const std::size_t used = width_of();
  const std::size_t room = style.width > used + 12 ? style.width - used : 12;

  Table table;
  AddTitles(comparison, detail, table);
  const std::string unit = comparison.unit.empty() ? "function" : comparison.unit;
  table.AddColumn(unit, Align::kLeft);
  std::size_t module_width = 0;
  if (comparison.unit != "module" && room >= 32) {
    table.AddColumn("module", Align::kLeft);
    for (const ChangeRow* row : rows) {
      module_width = std::max(module_width, DisplayWidth(Printable(row->module)));
    }
    // At most a third of the room: the function is what the reader looks for.
    module_width = std::min({std::max<std::size_t>(module_width, 6), std::size_t{24}, room / 3});
  }
  const std::size_t name_width = room - (module_width > 0 ? module_width + 2 : 0);
  const std::vector<std::string> names = NamesOf(comparison, rows, name_width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells = Numbers(comparison, *rows[i], detail);
    cells.push_back(names[i]);
    if (module_width > 0) cells.push_back(KeepHead(Printable(rows[i]->module), module_width));
    table.AddRow(std::move(cells));
  }
  return table.Draw(style, false);
}

}  // namespace csink::report
