#include "symbolizer/report/formats/parts/facts.h"

#include <cstdint>
#include <sstream>

#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// The line about the program.
std::string ProgramLine(const Report& report) {
  std::string line = report.command + "; pid " + std::to_string(report.pid);
  if (!report.host.empty()) line += " on " + report.host;
  line += "; " + report.end + "; " + FixedText(report.wall_seconds, 2) + " s wall, " +
          FixedText(report.user_seconds, 2) + " s user, " + FixedText(report.system_seconds, 2) +
          " s system";
  if (!report.system_sampled) line += " (not sampled)";
  return line;
}

/// The line about one event. Numbers have all digits, because programs may read them.
std::string EventLine(const EventTotals& event) {
  std::string line = "event " + event.name + ": " + std::to_string(event.samples) + " samples, " +
                     std::to_string(event.weight) +
                     (event.kind == EventClass::kClock ? " ns" : " events");
  if (event.period != 0) line += ", one sample every " + std::to_string(event.period);
  if (event.frequency_hz != 0) line += ", " + std::to_string(event.frequency_hz) + " Hz requested";
  if (event.mixed_periods) line += " (processes used different rates)";
  return line + ", skid: " + WordFor(event.skid);
}

}  // namespace

std::vector<std::string> VerdictLines(const Report& report) {
  TextStyle style;
  style.width = SIZE_MAX / 2;  // No line is wrapped
  style.min_share = 0.01;
  // The lines of the text report, so that all formats say the same.
  std::istringstream text(WriteVerdict(report, style));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    // The first line has a label, the others are indented by it.
    const std::string label = "verdict";
    const std::size_t begin =
        line.find_first_not_of(' ', line.compare(0, label.size(), label) == 0 ? label.size() : 0);
    if (begin != line.npos) lines.push_back(CleanName(line.substr(begin)));
  }
  return lines;
}

std::vector<std::string> FactLines(const Report& report) {
  std::vector<std::string> lines = {"csink: " + CleanName(ProgramLine(report), {}, ' ')};
  for (const EventTotals& event : report.profile.events) {
    lines.push_back(CleanName(EventLine(event)));
  }
  if (!report.profile.only_phase.empty()) {
    lines.push_back("only samples after the mark " + CleanName(report.profile.only_phase));
  }
  bool is_first = true;
  for (const std::string& line : VerdictLines(report)) {
    // Further lines are indented, so that they can be recognised as parts of the verdict.
    lines.push_back((is_first ? "verdict " : "        ") + line);
    is_first = false;
  }
  return lines;
}

}  // namespace csink::report
