#include "symbolizer/report/causes/code_pair_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "symbolizer/report/causes/aligned_code.h"
#include "symbolizer/report/wording/display_width.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

using annotate::Annotation;
using annotate::CodeLine;
using Json = nlohmann::ordered_json;

/// Rows around one with samples that are shown, and the number of rows that are shown anyway.
constexpr std::size_t kAround = 3;
constexpr std::size_t kWhole = 120;

const std::vector<CodeLine>& LinesOf(const std::optional<Annotation>& side) {
  static const std::vector<CodeLine> kNone;
  return side ? side->code.lines : kNone;
}

/// Seconds of a run, and half of the width of the 95 % interval.
struct Time {
  double seconds = 0;
  double error = 0;
};

Time TimeOf(const CodeLine& line, const std::optional<Annotation>& side, std::size_t runs) {
  if (line.cells.empty() || !side || side->of_program.empty()) return {};
  const double whole =
      static_cast<double>(side->of_program[0].weight) / 1e9 / static_cast<double>(runs);
  const Cell& cell = line.cells[0];
  return {cell.share * whole, (cell.high - cell.low) / 2 * whole};
}

std::string TimeText(const Time& time) {
  if (!(time.seconds > 0)) return "";
  return FixedText(time.seconds * 1e3, 1) + " +-" + FixedText(time.error * 1e3, 1);
}

std::string Padded(std::string text, std::size_t width, bool to_the_right) {
  text = KeepHead(text, width);
  const std::size_t used = DisplayWidth(text);
  if (used >= width) return text;
  const std::string blanks(width - used, ' ');
  return to_the_right ? blanks + text : text + blanks;
}

/// The place of a row in the source, with the function that was inlined there.
std::string PlaceOf(const CodePair& pair) {
  const CodeLine& line = pair.now != nullptr ? *pair.now : *pair.was;
  if (line.line == 0) return "";
  std::string place = BaseName(line.file) + ":" + std::to_string(line.line);
  const std::string was = pair.was != nullptr ? pair.was->inlined : "";
  const std::string now = pair.now != nullptr ? pair.now->inlined : "";
  const std::string& inlined = now.empty() ? was : now;
  if (!inlined.empty()) {
    place += "  inlined " + ShortenFunction(Printable(inlined), 60);
    if (pair.now != nullptr && pair.was != nullptr && was != now) {
      place += now.empty() ? " (in A alone)" : " (in B alone)";
    }
  }
  return Printable(place);
}

/// Which rows of long code are shown.
std::vector<bool> ShownRows(const std::vector<CodePair>& pairs) {
  std::vector<bool> shown(pairs.size(), pairs.size() <= kWhole);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool sampled = (pairs[i].was != nullptr && !pairs[i].was->cells.empty()) ||
                         (pairs[i].now != nullptr && !pairs[i].now->cells.empty());
    if (!sampled) continue;
    const std::size_t last = std::min(pairs.size(), i + kAround + 1);
    for (std::size_t k = i - std::min(i, kAround); k < last; ++k) shown[k] = true;
  }
  return shown;
}

Json LineJson(const CodeLine* line, const std::optional<Annotation>& side, std::size_t runs) {
  if (line == nullptr) return nullptr;
  const Time time = TimeOf(*line, side, runs);
  return {{"text", line->text}, {"seconds", time.seconds}, {"error", time.error},
          {"file", line->file}, {"line", line->line},      {"inlined", line->inlined}};
}

}  // namespace

std::string CodePairText(const CodeOfBoth& code, const TextStyle& style) {
  std::string text =
      "code    " + Printable(code.name) + ": ms of a run; = both, - A alone, + B alone\n";
  for (const auto& [side, name] : {std::pair(&code.was, "A"), {&code.now, "B"}}) {
    if (!*side) {
      text += std::string("        ") + name + " has no samples in it\n";
    } else if (!(*side)->code.problem.empty()) {
      text += std::string("        ") + name + ": " + Printable((*side)->code.problem) + "\n";
    }
  }
  const std::vector<CodePair> pairs = AlignCode(LinesOf(code.was), LinesOf(code.now));
  if (pairs.empty()) return text;
  constexpr std::size_t kTimeWidth = 14;
  const std::size_t room = std::max<std::size_t>(style.width, 80) - 2 * kTimeWidth - 7;
  const std::size_t instruction = room / 2;
  const std::vector<bool> shown = ShownRows(pairs);
  std::string place;
  bool gap = false;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!shown[i]) {
      gap = true;
      continue;
    }
    if (gap) text += "  ...\n";
    gap = false;
    const CodePair& pair = pairs[i];
    if (const std::string here = PlaceOf(pair); !here.empty() && here != place) {
      place = here;
      text += "  " + place + "\n";
    }
    const auto cells = [&](const CodeLine* line, const std::optional<Annotation>& side,
                           std::size_t runs) {
      if (line == nullptr) return std::string(kTimeWidth + 1 + instruction, ' ');
      return Padded(TimeText(TimeOf(*line, side, runs)), kTimeWidth, true) + " " +
             Padded(Printable(line->text), instruction, false);
    };
    const char* mark = pair.was == nullptr ? "+" : pair.now == nullptr ? "-" : "=";
    std::string row = cells(pair.was, code.was, code.was_runs) + " " + mark + " " +
                      cells(pair.now, code.now, code.now_runs);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

Json CodePairJson(const CodeOfBoth& code) {
  Json rows = Json::array();
  for (const CodePair& pair : AlignCode(LinesOf(code.was), LinesOf(code.now))) {
    rows.push_back({{"a", LineJson(pair.was, code.was, code.was_runs)},
                    {"b", LineJson(pair.now, code.now, code.now_runs)}});
  }
  const auto problem = [](const std::optional<Annotation>& side) {
    return side ? side->code.problem : std::string("no samples");
  };
  return {{"function", code.name},
          {"a_problem", problem(code.was)},
          {"b_problem", problem(code.now)},
          {"rows", std::move(rows)}};
}

}  // namespace csink::report
