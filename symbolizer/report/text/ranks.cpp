#include <algorithm>

#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the section about the ranks of an MPI job, of the first event.

namespace csink::report {
namespace {

using Align = Table::Align;

/// Rows of each of the two tables.
constexpr std::size_t kFunctionRows = 10;
constexpr std::size_t kOutlierRows = 8;

/// Draws the section. Borrows the report.
class RankText {
 public:
  RankText(const Report& report, const TextStyle& style)
      : report_(report),
        style_(style),
        table_(report.ranks.events[0]),
        is_clock_(report.profile.events[0].kind == EventClass::kClock) {}

  std::string Draw() const {
    return "\n" + Summary() + WallTime() + Functions() + Outliers() + Waits();
  }

 private:
  /// Seconds of a clock, else a number of events.
  std::string Value(double value) const { return is_clock_ ? FixedText(value, 2) : Short(value); }
  /// A value with half its interval: "1.20+-0.05".
  std::string Within(double value, const Interval& interval) const {
    return Value(value) + "+-" + Value(interval.HalfWidth());
  }
  /// What Value counts.
  std::string Unit() const { return is_clock_ ? "s" : Printable(report_.profile.events[0].name); }
  /// A function's name in the columns that `used` columns of numbers leave.
  std::string FunctionOf(const std::string& function, std::size_t used) const {
    const std::size_t room = style_.width > used + 20 ? style_.width - used : 20;
    return ShortenFunction(Printable(function), room);
  }

  /// The load of the ranks, and the time in MPI.
  std::string Summary() const {
    const RankSpread& total = table_.total;
    std::string text = Grouped(report_.ranks.ranks) + ": " +
                       Within(total.mean, total.mean_interval) + " " + Unit() + " a rank, " +
                       Value(total.least.value) + " (rank " + std::to_string(total.least.rank) +
                       ") to " + Value(total.most.value) + " (rank " +
                       std::to_string(total.most.rank) + ")";
    // An imbalance that sampling explains would be a number without meaning.
    text += total.differs ? ": imbalance " + Percent(total.imbalance)
                          : ": the ranks do not differ by more than sampling explains";
    if (table_.mpi_share > 0) {
      text += "; in MPI's libraries " + Percent(table_.mpi_share) + " +-" +
              FixedText(table_.mpi_interval.HalfWidth() * 100, 1) + ", " +
              Percent(table_.mpi_least.value) + " (rank " + std::to_string(table_.mpi_least.rank) +
              ") to " + Percent(table_.mpi_most.value) + " (rank " +
              std::to_string(table_.mpi_most.rank) + ")";
    }
    return Wrapped(style_, "ranks  ", text);
  }

  /// What the ranks did all the time: a rank that waits for others is blocked, or spins in MPI.
  std::string WallTime() const {
    if (!report_.ranks.wall) return "";
    const auto words = [](const RankPart& part, const char* what) {
      return Duration(part.mean) + " " + what + " (" + Duration(part.least.value) + " in rank " +
             std::to_string(part.least.rank) + " to " + Duration(part.most.value) + " in rank " +
             std::to_string(part.most.rank) + ")";
    };
    const RankWall& wall = *report_.ranks.wall;
    return Wrapped(style_, "       ",
                   "main threads, a rank: " + words(wall.running, "running") + ", " +
                       words(wall.waiting, "waiting for a processor") + ", " +
                       words(wall.blocked, "blocked"));
  }

  /// A table that begins with a mean, and the ranks with least and most.
  static Table SpreadTable(const char* mean) {
    Table table;
    for (const char* head : {mean, "min", "rank", "max", "rank"}) {
      table.AddColumn(head, Align::kRight);
    }
    return table;
  }

  /// The functions with most samples. "-": their ranks do not differ by more than sampling
  /// explains.
  std::string Functions() const {
    Table table = SpreadTable(is_clock_ ? "mean s" : "mean count");
    table.AddColumn("imbalance", Align::kRight);
    table.AddColumn("function", Align::kLeft);
    std::size_t shown = 0;
    for (const RankFunction& row : table_.functions) {
      const bool small =
          table_.total.mean > 0 && row.spread.mean < style_.min_share * table_.total.mean;
      // The rows are sorted by mean, so that all further ones are small, too.
      if (small || shown == std::min(kFunctionRows, style_.top)) break;
      table.AddRow({Within(row.spread.mean, row.spread.mean_interval),
                    Within(row.spread.least.value, row.spread.least.interval),
                    std::to_string(row.spread.least.rank),
                    Within(row.spread.most.value, row.spread.most.interval),
                    std::to_string(row.spread.most.rank),
                    row.spread.differs ? Percent(row.spread.imbalance) : "-",
                    FunctionOf(row.function, 62) + (row.in_mpi ? " [MPI]" : "")});
      ++shown;
    }
    return shown == 0 ? "" : "\n" + table.Draw(style_, false);
  }

  /// The ranks that stand out, the furthest from the median first (tables/ranks.cpp).
  std::string Outliers() const {
    if (table_.outliers.empty()) return "";
    Table table;
    table.AddColumn("rank", Align::kRight);
    table.AddColumn(is_clock_ ? "s" : "count", Align::kRight);
    table.AddColumn("median", Align::kRight);
    table.AddColumn("ranks that stand out", Align::kLeft);
    const std::size_t rows = std::min(kOutlierRows, table_.outliers.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const RankOutlier& row = table_.outliers[i];
      table.AddRow({std::to_string(row.value.rank), Within(row.value.value, row.value.interval),
                    Value(row.median),
                    row.function.empty() ? "(all its samples)" : FunctionOf(row.function, 36)});
    }
    return "\n" + table.Draw(style_, false);
  }

  /// Where the main threads were blocked.
  std::string Waits() const {
    Table table = SpreadTable("mean s");
    table.AddColumn("main threads blocked in", Align::kLeft);
    double all = 0;
    for (const RankWait& row : report_.ranks.waits) all += row.mean;
    const auto seconds = [](const RankValue& value) {
      return FixedText(value.value, 2) + "+-" + FixedText(value.interval.HalfWidth(), 2);
    };
    std::size_t shown = 0;
    for (const RankWait& row : report_.ranks.waits) {
      if (row.mean < style_.min_share * all || shown == std::min(kFunctionRows, style_.top)) break;
      table.AddRow({FixedText(row.mean, 2), seconds(row.least), std::to_string(row.least.rank),
                    seconds(row.most), std::to_string(row.most.rank),
                    FunctionOf(row.function, 58) +
                        (row.in_mpi ? " [MPI]" : " (" + Printable(row.primitive) + ")")});
      ++shown;
    }
    return shown == 0 ? "" : "\n" + table.Draw(style_, false);
  }

  const Report& report_;
  const TextStyle& style_;
  const RankTable& table_;
  bool is_clock_;
};

}  // namespace

// Tables exist only with two ranks or more (tables/ranks.h).
std::string WriteRanks(const Report& report, const TextStyle& style) {
  return report.ranks.events.empty() ? "" : RankText(report, style).Draw();
}

}  // namespace csink::report
