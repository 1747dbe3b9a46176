#include "symbolizer/report/tables/callers.h"

#include <algorithm>

#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes who called what, and the call paths with most samples.

namespace csink::report {
namespace {

using Align = Table::Align;

constexpr std::size_t kFunctions = 10;     // Functions whose callers are listed
constexpr std::size_t kCallers = 4;        // Callers for each function
constexpr double kLeastOfFunction = 0.05;  // Callers with a smaller share are in one row
constexpr double kLeastPath = 0.02;        // Share of all samples
// Further functions on hot paths are only counted.
constexpr std::size_t kPathRows = 60;
constexpr std::size_t kMostIndent = 20;  // Levels

/// Whether any caller of the function is known. A row whose only caller is kUnknownCaller would
/// repeat the main table.
bool HasCallers(const FunctionRow& row) {
  return std::any_of(row.callers.begin(), row.callers.end(), [](const NamedCells& caller) {
    return caller.function != kUnknownCaller || !caller.module.empty();
  });
}

/// The names of some callers in their column, in their order.
std::vector<std::string> CallerTexts(const std::vector<NamedCells>& callers, std::size_t width) {
  std::vector<std::string> names;
  for (const NamedCells& caller : callers) names.push_back(Printable(caller.function));
  return ShortenFunctions(names, std::vector<std::size_t>(names.size(), width));
}

/// Adds the hottest callers of one function, and one row for the others.
void AddCallerRows(const FunctionRow& row, std::size_t width, Table& table) {
  // By the first event, as all shares of this table.
  const double all = static_cast<double>(row.events[0].weight);
  const std::vector<NamedCells> first(
      row.callers.begin(),
      row.callers.begin() + static_cast<std::ptrdiff_t>(std::min(kCallers, row.callers.size())));
  const std::vector<std::string> texts = CallerTexts(first, width - 7);
  std::size_t shown = 0;
  double rest_share = 0;
  double rest = 0;
  for (const NamedCells& caller : row.callers) {
    // Of the function's samples; the share beside it is of the whole run.
    const double part = all > 0 ? static_cast<double>(caller.events[0].weight) / all : 0;
    if (shown < kCallers && part >= kLeastOfFunction) {
      // Callers are sorted, so those with a row of their own are the first ones.
      table.AddRow({ShareText(caller.events[0].share), Percent(part), "  from " + texts[shown++],
                    KeepHead(Printable(caller.module), 24)});
    } else {
      rest_share += caller.events[0].share;
      rest += part;
    }
  }
  // The sum of the rest is shown, so that the parts of a function add up.
  if (shown == row.callers.size()) return;
  table.AddRow({ShareText(rest_share), Percent(rest),
                "  from " + Count(row.callers.size() - shown, "other", "others")});
}

/// The children of each node, hottest first by the first event.
std::vector<std::vector<std::uint32_t>> Children(const Report& report) {
  const auto& nodes = report.call_tree;
  std::vector<std::vector<std::uint32_t>> children(nodes.size());
  for (std::uint32_t i = 1; i < nodes.size(); ++i) children[nodes[i].parent].push_back(i);
  for (auto& list : children) {
    std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      return nodes[a].total[0].weight > nodes[b].total[0].weight;
    });
  }
  return children;
}

/// Draws the call paths that have a share of at least `least_` of the first event. A path without
/// branches keeps its indent; below a branch it grows by one level.
class PathTable {
 public:
  PathTable(const Report& report, const TextStyle& style)
      : report_(report),
        style_(style),
        least_(std::max(style.min_share, kLeastPath)),
        children_(Children(report)) {}

  std::string Draw() {
    table_.AddColumn("total", Align::kRight);
    table_.AddColumn("self", Align::kRight);
    table_.AddColumn("hottest call paths", Align::kLeft);
    Walk();
    if (left_out_ > 0) {
      table_.AddRow(
          {"", "", Count(left_out_, "more function", "more functions") + " on hot paths"});
    }
    return table_.rows() == 0 ? "" : "\n" + table_.Draw(style_, left_out_ > 0);
  }

 private:
  struct Item {
    std::uint32_t node;
    std::size_t level;
    bool branch;  // One of several children: shown with "- "
  };

  /// Depth first. Uses an explicit stack, because a path may be as deep as the program's recursion.
  void Walk() {
    std::vector<Item> stack;
    const auto push = [&](std::uint32_t node, std::size_t level) {
      const auto& list = children_[node];
      const bool branch = Shown(node) > 1;
      // Backwards, because the stack gives the last one first: the hottest child is visited next.
      for (std::size_t i = list.size(); i-- > 0;) {
        if (report_.call_tree[list[i]].total[0].share < least_) continue;
        stack.push_back({list[i], level, branch});
      }
    };
    // The root stands for no function and has no row.
    push(0, Shown(0) > 1 ? 1 : 0);
    while (!stack.empty()) {
      const Item item = stack.back();
      stack.pop_back();
      // The walk goes on to count what is left out.
      if (table_.rows() >= kPathRows) {
        ++left_out_;
      } else {
        Add(item);
      }
      // A path without branches needs no further indent.
      const bool branches = Shown(item.node) > 1 || HasSelf(item.node);
      push(item.node, item.level + (branches ? 1 : 0));
    }
  }
  /// The number of a node's children that are hot enough for a row.
  std::size_t Shown(std::uint32_t node) const {
    const auto& list = children_[node];
    return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [&](std::uint32_t i) {
      return report_.call_tree[i].total[0].share >= least_;
    }));
  }
  /// Whether the node's own samples would have a row; then its callee is a branch, too.
  bool HasSelf(std::uint32_t node) const { return report_.call_tree[node].self[0].share >= least_; }
  /// Adds the row of a node. A level is two blanks.
  void Add(const Item& item) {
    const CallNode& node = report_.call_tree[item.node];
    const std::size_t indent = 2 * std::min(item.level, kMostIndent);
    // Without the dash, a called function and a sibling would have the same indent.
    const std::string before =
        item.branch ? std::string(indent - 2, ' ') + "- " : std::string(indent, ' ');
    const std::size_t used = 18 + indent;
    const std::size_t width = style_.width > used + 12 ? style_.width - used : 12;
    table_.AddRow({ShareText(node.total[0].share),
                   node.self[0].samples > 0 ? ShareText(node.self[0].share) : "",
                   before + ShortenFunction(
                                Printable(report_.call_functions[node.function].function), width)});
  }

  const Report& report_;
  const TextStyle& style_;
  double least_;
  std::vector<std::vector<std::uint32_t>> children_;
  Table table_;
  std::size_t left_out_ = 0;
};

}  // namespace

std::string WriteCallers(const Report& report, const TextStyle& style) {
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("of it", Align::kRight);
  table.AddColumn("function and its callers", Align::kLeft);
  table.AddColumn("module", Align::kLeft);
  // Numbers and module take 42 columns.
  const std::size_t width = style.width > 84 ? style.width - 42 : 42;
  std::vector<const FunctionRow*> rows;
  std::vector<std::string> names;
  for (const FunctionRow& row : report.functions) {
    if (rows.size() == std::min(kFunctions, style.top)) break;
    if (row.events[0].share < style.min_share || !HasCallers(row)) continue;
    rows.push_back(&row);
    names.push_back(Printable(row.function));
  }
  names = ShortenFunctions(names, std::vector<std::size_t>(names.size(), width));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.AddRow({ShareText(rows[i]->events[0].share), "", names[i],
                  KeepHead(Printable(rows[i]->module), 24)});
    AddCallerRows(*rows[i], width, table);
  }
  return rows.empty() ? "" : "\n" + table.Draw(style, false);
}

std::string WriteCallTree(const Report& report, const TextStyle& style) {
  return report.call_tree.size() < 2 ? "" : PathTable(report, style).Draw();
}

}  // namespace csink::report
