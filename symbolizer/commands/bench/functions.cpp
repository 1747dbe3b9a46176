#include "symbolizer/commands/bench/functions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "symbolizer/report/text/causes_json.h"
#include "symbolizer/report/text/causes_text.h"
#include "symbolizer/report/text/diff_writers.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: rows of a comparison for readers of a benchmark. Rows without a significant change are
/// left out of text and Markdown: their differences are noise, and a benchmark is read for changes.

namespace csink::bench {
namespace {

using Json = nlohmann::ordered_json;
using report::ChangeRow;
using report::Comparison;
using report::Count;
using report::FixedText;

// The Markdown is a comment for a pull request, so the number of rows has no option.
constexpr std::size_t kMarkdownRows = 20;
constexpr std::size_t kColumns = 9;

// The two empty titles are those of the amounts, which depend on the event (AmountTitle).
constexpr const char* kTitles[kColumns] = {"",        "",        "change",   "95% interval", "p",
                                           "A share", "B share", "function", "module"};

/// The title of the column of amounts of "A" or "B".
std::string AmountTitle(const Comparison& functions, const char* side) {
  return std::string(side) + (functions.is_clock ? " CPU" : " events");
}

/// The amount of a run: time, or a number of events.
std::string AmountText(const Comparison& functions, double amount) {
  return functions.is_clock ? report::Duration(amount) : report::Short(amount);
}

/// The function of one side may have no sample at all, or not exist.
std::string ShareText(const std::optional<double>& share) {
  return share ? report::ShareText(*share) : "none";
}

std::string PText(const ChangeRow& row) {
  const std::optional<double>& p = row.adjusted_p_value;
  if (!p) return "";
  return *p < 1e-4 ? "<1e-4" : FixedText(*p, *p < 0.01 ? 4 : 3);
}

/// The rows that differ, in the order of the comparison, at most `most`.
std::vector<const ChangeRow*> Differing(const Comparison& functions, std::size_t most) {
  std::vector<const ChangeRow*> rows;
  for (const ChangeRow& row : functions.functions) {
    if (rows.size() < most && report::DirectionOf(row) != 0) rows.push_back(&row);
  }
  return rows;
}

/// The cells of a row without function and module.
std::vector<std::string> Numbers(const Comparison& functions, const ChangeRow& row) {
  const bool is_both = row.share && row.was && row.was_amount > 0;
  return {AmountText(functions, row.amount),
          AmountText(functions, row.was_amount),
          is_both ? report::ChangeText(row.amount / row.was_amount)
                  : std::string(row.share ? "only A" : "only B"),
          is_both ? report::ChangeIntervalText(row.ratio) : "",
          PText(row),
          ShareText(row.share),
          ShareText(row.was)};
}

/// The title of a column of both kinds of tables.
std::string TitleOf(const Comparison& functions, std::size_t column) {
  if (column == 0) return AmountTitle(functions, "A");
  if (column == 1) return AmountTitle(functions, "B");
  return kTitles[column];
}

/// A table of text with titles and no rows; `numbers` columns before function and module.
report::Table Titled(const Comparison& functions, std::size_t numbers) {
  using Align = report::Table::Align;
  report::Table table;
  for (std::size_t i = 0; i < numbers; ++i) table.AddColumn(TitleOf(functions, i), Align::kRight);
  for (const std::size_t i : {kColumns - 2, kColumns - 1})
    table.AddColumn(kTitles[i], Align::kLeft);
  return table;
}

/// The first `numbers` cells.
std::vector<std::string> First(std::vector<std::string> cells, std::size_t numbers) {
  cells.resize(numbers);
  return cells;
}

/// Whether A became slower, so that causes were looked for.
bool IsExplained(const Comparison& functions) {
  return functions.causes && functions.causes->is_slower;
}

/// The value, or null; JSON has no infinity.
Json Optional(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string MarkdownText(const std::string& text) {
  std::string escaped;
  for (const char c : report::OneLine(text)) {
    if (std::string_view("\\|`*_<>[]~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string FunctionsSentence(const Comparison& functions) {
  // Without a common event there are no rows to speak of.
  if (functions.event.empty()) return "not compared: A and B sampled different events";
  std::size_t more = 0;
  std::size_t less = 0;
  for (const ChangeRow& row : functions.functions) {
    // 0: the amount does not differ beyond the error.
    const int direction = report::DirectionOf(row);
    if (direction != 0) ++(direction > 0 ? more : less);
  }
  std::string text;
  if (more + less == 0) {
    text = "no function differs beyond the error";
  } else {
    text = "A spends more in " + Count(more, "function", "functions") + " and less in " +
           std::to_string(less);
  }
  std::string finds = report::FindableWords(functions);
  if (!finds.empty()) finds.insert(0, "; ");
  return text + ", of " + std::to_string(functions.functions.size()) + "; " +
         Count(functions.now.runs, "profiled run", "profiled runs") + " of each (" +
         report::Printable(functions.event) + ", " +
         report::Grouped(static_cast<std::uint64_t>(functions.now.effective_samples)) + " and " +
         report::Grouped(static_cast<std::uint64_t>(functions.was.effective_samples)) +
         " effective samples), p corrected for " + Count(functions.tests, "test", "tests") + finds;
}

std::string FunctionsText(const Comparison& functions, const report::TextStyle& style) {
  const std::vector<const ChangeRow*> rows = Differing(functions, style.top);
  const std::string why =
      IsExplained(functions) ? report::CausesText(*functions.causes, style) : "";
  if (rows.empty()) return why;
  // Drawn twice: the numbers alone tell how much room is left for the names.
  report::Table table = Titled(functions, kColumns - 2);
  for (const ChangeRow* row : rows) table.AddRow(Numbers(functions, *row));
  const auto width_of = [&](std::size_t numbers) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < numbers; ++i) used += table.NaturalWidth(i) + 2;
    return used;
  };
  // Shares, which are not tested, stand last and give way first.
  std::size_t numbers = kColumns - 2;
  if (width_of(numbers) + 24 > style.width) numbers -= 2;
  const std::size_t used = width_of(numbers);
  const std::size_t room = style.width > used + 24 ? style.width - used : 24;
  // Modules get what their names need, up to a third of the room.
  // As wide as the title "module".
  std::size_t module_width = 6;
  for (const ChangeRow* row : rows) {
    module_width = std::max(module_width, report::DisplayWidth(report::Printable(row->module)));
  }
  module_width = std::min(module_width, room / 3);
  report::Table drawn = Titled(functions, numbers);
  for (const ChangeRow* row : rows) {
    std::vector<std::string> cells = First(Numbers(functions, *row), numbers);
    cells.push_back(
        report::ShortenFunction(report::Printable(row->function), room - module_width - 2));
    cells.push_back(report::KeepHead(report::Printable(row->module), module_width));
    drawn.AddRow(std::move(cells));
  }
  return drawn.Draw(style, false) + (why.empty() ? "" : "\n" + why);
}

std::string FunctionsMarkdown(const Comparison& functions) {
  const std::vector<const ChangeRow*> rows = Differing(functions, kMarkdownRows);
  if (rows.empty() && !IsExplained(functions)) return "";
  std::string text;
  for (std::size_t i = 0; i < kColumns; ++i) text += "| " + TitleOf(functions, i) + " ";
  text += "|\n|--:|--:|--:|--:|--:|--:|--:|---|---|\n";
  for (const ChangeRow* row : rows) {
    for (const std::string& cell : Numbers(functions, *row)) text += "| " + cell + " ";
    // A cell does not break into lines, and names of templates may have thousands of characters.
    text += "| " + MarkdownText(report::ShortenFunction(row->function, 80)) + " | " +
            MarkdownText(row->module) + " |\n";
  }
  if (!IsExplained(functions)) return text;
  for (const report::CauseLine& line : report::CauseLines(*functions.causes)) {
    const bool is_head = line.label == std::string_view("why");
    text += is_head ? "\n**Why A is slower**: " : std::string("* ") + line.label + ": ";
    text += MarkdownText(line.text) + (is_head ? "\n\n" : "\n");
  }
  return text;
}

Json FunctionsJson(const Comparison& functions) {
  Json rows = Json::array();
  for (const ChangeRow& row : functions.functions) {
    // Numbers for programs: a function without a sample has the share 0.
    rows.push_back(
        {{"function", row.function},
         {"module", row.module},
         {"a_share", row.share.value_or(0)},
         {"b_share", row.was.value_or(0)},
         {"change", row.change},
         {"a_amount", row.amount},
         {"b_amount", row.was_amount},
         {"ratio",
          Optional(row.was_amount > 0 ? std::optional(row.amount / row.was_amount) : std::nullopt)},
         {"low", Optional(row.ratio.low)},
         {"high", Optional(row.ratio.high)},
         {"p_value", Optional(row.adjusted_p_value)},
         {"findable", Optional(row.findable)},
         {"differs", report::DirectionOf(row) != 0}});
  }
  return {{"event", functions.event},
          {"amount_unit", functions.is_clock ? "seconds" : "events"},
          {"runs", functions.now.runs},
          {"a_effective_samples", functions.now.effective_samples},
          {"b_effective_samples", functions.was.effective_samples},
          {"tests", functions.tests},
          {"causes", functions.causes ? report::CausesJson(*functions.causes) : Json(nullptr)},
          {"rows", std::move(rows)}};
}

}  // namespace csink::bench
