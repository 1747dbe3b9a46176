#include <algorithm>
#include <vector>

#include "symbolizer/report/findings/findings.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/code_span.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/tables/hottest_line.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes a summary for programs that read text, in at most 6,000 bytes for any profile:
/// findings, facts and verdict, the hottest functions, waits, and commands that answer more. It is
/// GitHub Flavored Markdown. Text that comes from the profile is in code spans.

namespace csink::report {
namespace {

constexpr std::size_t kMostBytes = 6000;
constexpr std::size_t kMostFacts = 8;
constexpr std::size_t kMostFunctions = 10;
constexpr std::size_t kMostWaits = 5;
/// Columns of a name, a line of code, and a sentence
constexpr std::size_t kNameColumns = 60;
constexpr std::size_t kLineColumns = 60;
constexpr std::size_t kSentenceColumns = 240;

std::string Sentence(const std::string& text) {
  return CodeSpan(
      KeepHead(text.substr(std::min(text.find_first_not_of(' '), text.size())), kSentenceColumns));
}
std::string Name(const std::string& function) {
  return CodeSpan(ShortenFunction(CleanForPage(function), kNameColumns));
}
/// The end of a long path says more than its beginning.
std::string Line(const std::string& file, std::uint32_t line) {
  return line == 0 ? "" : CodeSpan(KeepTail(file + ":" + std::to_string(line), kLineColumns));
}

/// Keeps lines while they fit. The first that does not fit, and all behind it, become one note.
class Bounded {
 public:
  /// `behind`: bytes that must fit after the lines.
  explicit Bounded(std::size_t behind) : most_(kMostBytes - behind - kNote.size()) {}

  void Add(const std::string& line) {
    is_full_ = is_full_ || text_.size() + line.size() + 1 > most_;
    if (!is_full_) text_ += line + "\n";
  }
  std::string Finish() && { return std::move(text_) + std::string(is_full_ ? kNote : ""); }

 private:
  static constexpr std::string_view kNote = "\nCut: a digest has 6,000 bytes at most.\n";

  std::size_t most_;
  bool is_full_ = false;
  std::string text_;
};

void AddFunctions(const Report& report, const std::vector<std::size_t>& events, Bounded& to) {
  to.Add("\n## Functions\n");
  if (report.functions.empty() || events.empty()) return to.Add("No samples.");
  const std::size_t event = events[0];
  const bool is_clock = report.profile.events[event].kind == EventClass::kClock;
  to.Add("| " + CodeSpan(report.profile.events[event].name) + " | " +
         (is_clock ? "time" : "events") + " | function | hottest line | caller |");
  to.Add("|---:|---:|---|---|---|");
  for (std::size_t i = 0; i < std::min(kMostFunctions, report.functions.size()); ++i) {
    const FunctionRow& row = report.functions[i];
    const Cell& cell = row.events[event];
    std::string caller;
    if (!row.callers.empty() && cell.samples > 0 && !row.callers[0].function.empty()) {
      const double part = static_cast<double>(row.callers[0].events[event].samples) /
                          static_cast<double>(cell.samples);
      caller = Name(row.callers[0].function) + " " + Percent(part, 0);
    }
    const auto [file, line] = HottestLineOf(row);
    to.Add("| " + ShareText(cell.share) + " +-" + FixedText((cell.high - cell.low) * 50, 1) +
           " | " +
           (is_clock ? Duration(Seconds(cell.weight)) : Short(static_cast<double>(cell.weight))) +
           " | " + Name(row.function) + " | " + Line(file, line) + " | " + caller + " |");
  }
}

/// Places in which threads that are not idle waited longest.
void AddWaits(const WaitTables& waits, Bounded& to) {
  struct Place {
    const WaitGroup* group;
    const WaitRow* row;
  };
  std::vector<Place> places;
  for (const WaitGroup& group : waits.groups) {
    if (group.is_idle) continue;
    for (const WaitRow& row : group.rows) places.push_back({&group, &row});
  }
  to.Add("\n## Waits\n");
  if (places.empty()) return to.Add("None was seen.");
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.row->cell.seconds > b.row->cell.seconds;
  });
  to.Add("| blocked | threads | function | line | for |");
  to.Add("|---:|---|---|---|---|");
  for (std::size_t i = 0; i < std::min(kMostWaits, places.size()); ++i) {
    const WaitRow& row = *places[i].row;
    std::string what = CodeSpan(row.primitive);
    if (row.lock != WaitRow::kNoRow && !waits.locks[row.lock].name.empty()) {
      what += " " + Name(waits.locks[row.lock].name);
    }
    to.Add("| " + Duration(row.cell.seconds) + " | " + Name(places[i].group->name) + " | " +
           Name(row.function) + " | " + Line(row.file, row.line) + " | " + what + " |");
  }
}

/// Commands, with FILE for the profile.
std::string Next(const Report& report) {
  std::string text = "\n## Next\n\n";
  if (!report.functions.empty()) {
    text += "- `csink annotate FUNCTION FILE`: lines and instructions of a function\n";
  }
  if (report.call_tree.size() > 1) {
    text += "- `csink report --stacks FILE`: call paths\n";
  } else {
    text += "- `csink run --stacks unwind -- COMMAND`: callers\n";
  }
  if (!report.waits) {
    text += "- `csink run --wait -- COMMAND`: where threads are blocked, and who holds the lock\n";
  }
  if (!report.critical) {
    text += "- `csink run --critical -- COMMAND`: what a faster function would save\n";
  }
  return text + "- `csink report --format json FILE`: all of it\n";
}

}  // namespace

/// The columns are of the first of options.events.
Result<void> WriteDigest(const Report& report, const FormatOptions& options, Sink& sink) {
  const std::string next = Next(report);
  Bounded lines(next.size());
  lines.Add("# csink digest\n\n## Findings\n");
  const std::vector<Finding> findings = FindingsOf(report);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    lines.Add(std::to_string(i + 1) + ". " + Sentence(findings[i].text));
  }
  if (findings.empty()) lines.Add("None.");
  lines.Add("\n## Run and verdict\n");
  const std::vector<std::string> facts = FactLines(report);
  for (std::size_t i = 0; i < std::min(kMostFacts, facts.size()); ++i) {
    lines.Add("- " + Sentence(facts[i]));
  }
  AddFunctions(report, ChosenEvents(report, options), lines);
  if (report.waits) AddWaits(*report.waits, lines);
  sink << std::move(lines).Finish() << next;
  return {};
}

}  // namespace csink::report
