#include <algorithm>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/findings/findings.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/code_span.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/tables/hottest_line.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes the table of functions in GitHub Flavored Markdown (section "Tables (extension)" of
/// its specification), which GitLab, Gitea and others read, too.

namespace csink::report {
namespace {

/// Columns of a name, so that the table fits a page.
constexpr std::size_t kNameColumns = 80;
/// Columns of a fact, which stands in a paragraph of its own.
constexpr std::size_t kFactColumns = 1000;

/// Writes the rows with most samples, then one row with the sum of the others.
class Markdown {
 public:
  Markdown(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        events_(ChosenEvents(report, options)),
        top_(std::min(options.top, report.functions.size())),
        sink_(sink) {}

  void Write() {
    for (const std::string& line : FactLines(report_)) {
      // Further lines of the verdict are indented.
      sink_ << CodeSpan(KeepHead(line.substr(line.find_first_not_of(' ')), kFactColumns)) << "\n\n";
    }
    const std::vector<Finding> findings = FindingsOf(report_);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      sink_ << i + 1 << ". " << CodeSpan(KeepHead(findings[i].text, kFactColumns)) << '\n';
    }
    if (!findings.empty()) sink_ << '\n';
    // The facts above say why there are none; a table without rows would not.
    if (report_.functions.empty() || events_.empty()) {
      sink_ << "No samples.\n";
      return;
    }
    Titles();
    for (std::size_t i = 0; i < top_; ++i) {
      const FunctionRow& row = report_.functions[i];
      Cells(row.events);
      const auto [file, number] = HottestLineOf(row);
      // The end of a long path says more than its beginning.
      const std::string line =
          number == 0 ? "" : KeepTail(file + ":" + std::to_string(number), kNameColumns);
      sink_ << ' ' << CodeSpan(ShortenFunction(CleanForPage(row.function), kNameColumns)) << " | "
            << CodeSpan(KeepHead(row.module, kNameColumns)) << " | " << CodeSpan(line) << " |\n";
    }
    if (top_ < report_.functions.size()) Rest();
  }

 private:
  bool IsClock(std::size_t event) const {
    return report_.profile.events[event].kind == EventClass::kClock;
  }
  /// Four columns for each event, numbers aligned to the right; then the names.
  void Titles() {
    sink_ << '|';
    for (const std::size_t event : events_) {
      const std::string& name = report_.profile.events[event].name;
      sink_ << ' ' << CodeSpan(name) << " | 95 % interval | "
            << (IsClock(event) ? "time" : "events") << " | samples |";
    }
    sink_ << " function | module | line |\n|";
    for (std::size_t i = 0; i < events_.size(); ++i) sink_ << "---:|---:|---:|---:|";
    sink_ << "---|---|---|\n";
  }
  /// The columns of all events in one row.
  void Cells(const std::vector<Cell>& cells) {
    sink_ << '|';
    for (const std::size_t event : events_) {
      const Cell& cell = cells[event];
      sink_ << ' ' << ShareText(cell.share) << " | " << FixedText(cell.low * 100, 1) << " to "
            << FixedText(cell.high * 100, 1) << " | "
            << (IsClock(event) ? Duration(Seconds(cell.weight))
                               : Short(static_cast<double>(cell.weight)))
            << " | " << Grouped(cell.samples) << " |";
    }
  }
  /// One row for the functions that are not shown. Its intervals are computed from the sum.
  void Rest() {
    std::vector<EventCount> sum(report_.profile.events.size());
    for (std::size_t i = top_; i < report_.functions.size(); ++i) {
      const std::vector<Cell>& cells = report_.functions[i].events;
      for (std::size_t e = 0; e < sum.size(); ++e) AddTo(sum[e], cells[e]);
    }
    Cells(CellsOf(report_, sum));
    sink_ << ' ' << Count(report_.functions.size() - top_, "more function", "more functions")
          << " | | |\n";
  }

  const Report& report_;
  const std::vector<std::size_t> events_;
  const std::size_t top_;
  Sink& sink_;
};

}  // namespace

/// A table of options.top functions.
Result<void> WriteMarkdown(const Report& report, const FormatOptions& options, Sink& sink) {
  Markdown(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
