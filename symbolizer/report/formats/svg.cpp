#include <algorithm>
#include <cstdio>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/paths.h"
#include "symbolizer/report/tables/callers.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: draws a flame graph (B. Gregg, "The Flame Graph", Communications of the ACM 59, 2016, p.
/// 48) as SVG 1.1 without scripts, styles or references: the outermost functions are at the bottom,
/// and a rectangle is as wide as the share of its path. A title element has the numbers of a
/// rectangle; viewers show it when the mouse rests there.

namespace csink::report {
namespace {

/// In pixels, which are SVG's user units.
constexpr double kWidth = 1200, kMargin = 10, kRow = 16, kHead = 52, kFoot = 24;
/// Narrower rectangles cannot be seen and are not drawn. With them, the size of the file would grow
/// with the number of paths, not with the picture.
constexpr double kLeastWidth = 0.1;
/// Width of a character of an 11-pixel monospace font, a little more than most fonts have.
constexpr double kCharacter = 6.7;
/// Names in titles are shortened to this number of columns.
constexpr std::size_t kTitleColumns = 200;

/// Text for an element or a double-quoted attribute.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : CleanForPage(text)) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// A length with two decimals: a hundredth of a pixel cannot be seen.
std::string Pixels(double value) { return FixedText(value, 2); }

/// A warm, light colour that depends on the name alone, so that a function has the same colour in
/// two pictures. Black text has a contrast of more than 7:1 on each of them. Colours carry no
/// meaning except grey for what is not known.
std::string ColourOf(const PathFunction& function) {
  if (function.name == kCutName) return "#d0d0d0";
  std::uint32_t hash = 2166136261u;  // FNV-1a, 32 bits
  for (const char c : function.name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  const unsigned red = 225 + hash % 31;
  const unsigned green = 150 + (hash >> 8) % 71;
  const unsigned blue = 90 + (hash >> 16) % 51;
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", red, green, blue);
  return text;
}

/// One rectangle.
struct Box {
  std::uint32_t node = 0;
  double left = 0;          ///< Pixels
  std::uint32_t depth = 0;  ///< 0: the rectangle of all samples
};

/// Draws one event.
class FlameGraph {
 public:
  FlameGraph(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        sink_(sink),
        spots_(report),
        paths_(report, spots_, PathDetail::kFunctions, options.inlines) {
    const auto events = ChosenEvents(report, options);
    if (events.empty()) return;
    event_ = events[0];
    totals_ = TotalsOfNodes(paths_, SelfOfNodes(report, paths_, event_));
    if (totals_[0].weight != 0) Place();
  }

  /// The y axis of SVG goes down, and the rectangle of all samples stands at the bottom.
  void Write() {
    std::uint32_t depth = 0;
    for (const Box& box : boxes_) depth = std::max(depth, box.depth);
    const double height = kHead + (depth + 1) * kRow + kFoot;
    sink_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          << "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"" << Pixels(kWidth)
          << "\" height=\"" << Pixels(height) << "\" viewBox=\"0 0 " << Pixels(kWidth) << ' '
          << Pixels(height) << "\" role=\"img\" "
          << "aria-labelledby=\"csink-title csink-facts\" font-family=\"monospace\" "
          << "font-size=\"11\" fill=\"#000000\">\n<title id=\"csink-title\">Flame graph of "
          << Escaped(report_.command) << "</title>\n<desc id=\"csink-facts\">";
    for (const std::string& line : FactLines(report_)) sink_ << Escaped(line) << '\n';
    sink_ << "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    Head();
    for (const Box& box : boxes_) Draw(box, height - kFoot - (box.depth + 1) * kRow);
    Line(height - 8, boxes_.empty() ? "no samples" : Foot());
    sink_ << "</svg>\n";
  }

 private:
  /// The width of a node's rectangle in pixels.
  double WidthOf(std::uint32_t node) const {
    const double all = static_cast<double>(totals_[0].weight);
    return (kWidth - 2 * kMargin) * std::min(1.0, static_cast<double>(totals_[node].weight) / all);
  }
  /// Finds the rectangles that are wide enough. Children stand side by side from the left, the
  /// widest first.
  void Place() {
    std::vector<std::vector<std::uint32_t>> children(paths_.nodes().size());
    for (std::uint32_t i = 1; i < paths_.nodes().size(); ++i) {
      if (totals_[i].weight == 0) continue;
      if (WidthOf(i) >= kLeastWidth) {
        children[paths_.nodes()[i].parent].push_back(i);
      } else {
        ++omitted_;
      }
    }
    boxes_.push_back({0, kMargin, 0});
    // boxes_ grows meanwhile: each box is followed by its children somewhere behind it.
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const Box box = boxes_[i];
      std::stable_sort(
          children[box.node].begin(), children[box.node].end(),
          [&](std::uint32_t a, std::uint32_t b) { return totals_[a].weight > totals_[b].weight; });
      double left = box.left;
      for (const std::uint32_t child : children[box.node]) {
        boxes_.push_back({child, left, box.depth + 1});
        left += WidthOf(child);
      }
    }
  }

  /// A line of text at the left margin.
  void Line(double y, const std::string& text) {
    sink_ << "<text x=\"" << Pixels(kMargin) << "\" y=\"" << Pixels(y) << "\">" << Escaped(text)
          << "</text>\n";
  }
  /// What was measured, and the verdict.
  void Head() {
    const auto columns = static_cast<std::size_t>((kWidth - 2 * kMargin) / kCharacter);
    std::string what = report_.command;
    if (!report_.profile.events.empty()) {
      what = report_.profile.events[event_].name + " of " + what;
    }
    Line(18, KeepHead(OneLine(what), columns));
    const std::vector<std::string> verdict = VerdictLines(report_);
    if (!verdict.empty()) Line(34, KeepHead("verdict " + verdict[0], columns));
  }
  /// What the picture has, and what it leaves out.
  std::string Foot() const {
    std::string text = Amount(totals_[0]);
    if (report_.profile.callers.empty()) text += "; no stacks were recorded";
    if (omitted_ == 0) return text;
    return text + "; " + Count(omitted_, "path is", "paths are") + " too narrow to be drawn";
  }
  /// "1,234,567 ns in 12 samples"
  std::string Amount(const EventCount& count) const {
    const bool is_clock = report_.profile.events[event_].kind == EventClass::kClock;
    return Grouped(count.weight) + (is_clock ? " ns in " : " events in ") +
           Count(count.samples, "sample", "samples");
  }
  /// "solve (solver): 61.23% [59.90..62.51], 1,234,567 ns in 12 samples"
  std::string TitleOf(std::uint32_t node) const {
    if (node == 0) return "all: " + Amount(totals_[0]);
    const PathFunction& function = paths_.FunctionOf(node);
    std::string title = ShortenFunction(CleanForPage(function.name), kTitleColumns);
    if (function.module != kNoModule && function.name != spots_.ModuleName(function.module)) {
      title += " (" + KeepHead(spots_.ModuleName(function.module), kTitleColumns) + ")";
    }
    Cell cell;
    cell.samples = totals_[node].samples;
    cell.weight = totals_[node].weight;
    const double all = static_cast<double>(report_.profile.events[event_].weight);
    cell.share = all > 0 ? std::min(1.0, static_cast<double>(cell.weight) / all) : 0;
    FinishInterval(report_, event_, cell);
    return title + ": " + Percent(cell.share, 2) + " [" + FixedText(cell.low * 100, 2) + ".." +
           FixedText(cell.high * 100, 2) + "], " + Amount(cell);
  }
  /// A rectangle with its title and, if there is room, its name. `top` is its upper edge.
  void Draw(const Box& box, double top) {
    const double width = WidthOf(box.node);
    sink_ << "<g><title>" << Escaped(TitleOf(box.node)) << "</title><rect x=\"" << Pixels(box.left)
          << "\" y=\"" << Pixels(top) << "\" width=\"" << Pixels(width) << "\" height=\""
          << Pixels(kRow - 1) << "\" fill=\""
          << (box.node == 0 ? "#e6e6e6" : ColourOf(paths_.FunctionOf(box.node))) << "\"/>";
    const auto columns = static_cast<std::size_t>(std::max(0.0, (width - 4) / kCharacter));
    // Fewer characters would be dots alone.
    if (columns >= 4) {
      const std::string name =
          box.node == 0 ? "all" : CleanForPage(paths_.FunctionOf(box.node).name);
      sink_ << "<text x=\"" << Pixels(box.left + 3) << "\" y=\"" << Pixels(top + 11) << "\">"
            << Escaped(ShortenFunction(name, columns)) << "</text>";
    }
    sink_ << "</g>\n";
  }

  const Report& report_;
  Sink& sink_;
  const Spots spots_;
  const Paths paths_;
  std::size_t event_ = 0;
  std::vector<EventCount> totals_;  ///< By node; empty without events
  std::vector<Box> boxes_;          ///< Parents first
  std::size_t omitted_ = 0;         ///< Paths that are too narrow
};

}  // namespace

/// A flame graph of one event. Paths that are too narrow to be seen are counted, not drawn.
Result<void> WriteSvg(const Report& report, const FormatOptions& options, Sink& sink) {
  FlameGraph(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
