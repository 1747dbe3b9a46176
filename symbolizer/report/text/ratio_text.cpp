#include "symbolizer/report/text/ratio_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "symbolizer/report/tables/derived.h"
#include "symbolizer/report/tables/topdown.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

using Align = Table::Align;

/// What a reader wants to see of a group: further parts are in JSON.
constexpr TopdownPart kShown[] = {TopdownPart::kRetiring, TopdownPart::kBadSpeculation,
                                  TopdownPart::kFrontend, TopdownPart::kBackend};

constexpr std::size_t kShareColumns = 10;  // "badspec%" and two blanks
constexpr std::size_t kErrorColumns = 7;   // "+-95%" and two blanks

}  // namespace

RatioText TextOf(const DerivedColumn& column, const Ratio& ratio, const Interval& interval) {
  // Shares are shown in percent with one decimal, as all shares of a report.
  const double scale = column.is_share ? 100 : 1;
  const int decimals = column.is_share ? 1 : 2;
  // A ratio whose error is as large as the ratio is not shown. For a ratio of 0 the error is an
  // upper bound.
  const bool is_known = ratio && (*ratio == 0 || interval.HalfWidth() <= std::abs(*ratio));
  if (!is_known) return {"-", "-"};
  return {FixedText(*ratio * scale, decimals), FixedText(interval.HalfWidth() * scale, decimals)};
}

ShareColumns::ShareColumns(const Report& report, std::size_t room) : report_(&report) {
  for (std::size_t i = 0; i < report.derived.size(); ++i) {
    const auto part = PartOf(report.derived[i]);
    if (part && std::find(std::begin(kShown), std::end(kShown), *part) != std::end(kShown)) {
      columns_.push_back(i);
    }
  }
  // width() depends on errors_: first with errors, then, if that is too wide, without.
  errors_ = width() <= room;
  if (width() > room) columns_.clear();
}

std::size_t ShareColumns::width() const noexcept {
  return columns_.size() * (kShareColumns + (errors_ ? kErrorColumns : 0));
}

void ShareColumns::AddColumns(Table& table) const {
  for (const std::size_t i : columns_) {
    table.AddColumn(report_->derived[i].title, Align::kRight);
    if (errors_) table.AddColumn("+-95%", Align::kRight);
  }
}

void ShareColumns::AddCells(const std::vector<Cell>& cells, std::vector<std::string>& row) const {
  // Derive evaluates the formula for each event, which the table of a report without shares can do
  // without.
  if (columns_.empty()) return;
  std::vector<Ratio> ratios;
  std::vector<Interval> intervals;
  Derive(*report_, cells, ratios, intervals);
  for (const std::size_t i : columns_) {
    RatioText text = TextOf(report_->derived[i], ratios[i], intervals[i]);
    row.push_back(std::move(text.value));
    if (errors_) row.push_back(std::move(text.error));
  }
}

}  // namespace csink::report
