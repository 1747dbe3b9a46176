#include "symbolizer/report/html/fold_rows.h"

#include <algorithm>
#include <numeric>

#include "symbolizer/report/html/row_sums.h"

namespace csink::report {
namespace {

/// Indices of the rows, the heaviest first, as far as the first `hot` ones are concerned.
std::vector<std::uint32_t> HottestFirst(const SampleRows& page, std::size_t events,
                                        std::size_t hot) {
  std::vector<std::uint32_t> order(page.rows.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto weight = [&](std::uint32_t row) { return page.counts[row * events].weight; };
  // Only which rows are hot matters, not their order, so that no complete sort is needed.
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(hot), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     // The order of rows decides between equal weights: the same input gives the
                     // same page.
                     return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
                   });
  return order;
}

/// Removes unused elements of a table. Returns the new index of each element.
template <class Element>
std::vector<std::uint32_t> Compact(std::vector<Element>& table, const std::vector<bool>& used) {
  std::vector<std::uint32_t> index(table.size(), kNone);
  std::size_t next = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!used[i]) continue;
    index[i] = static_cast<std::uint32_t>(next);
    table[next++] = table[i];
  }
  table.resize(next);
  return index;
}

}  // namespace

void FoldRows(const std::vector<EventTotals>& events, std::size_t most, SampleRows& page) {
  // Without events there is no weight by which rows could be called cold.
  if (page.rows.size() <= most || events.empty()) return;
  // An eighth of the room is for what is folded.
  const std::size_t hot = most - most / 8;
  const std::vector<std::uint32_t> order = HottestFirst(page, events.size(), hot);
  // One sum of cold functions for each module, behind the real ones. Unused sums are dropped later.
  const std::size_t functions = page.functions.size();
  for (std::uint32_t m = 0; m < page.modules.size(); ++m) {
    // 0 functions: the functions are counted when it is known which of them are folded.
    page.functions.push_back({kNone, m, 0});
  }
  const auto folded_node = static_cast<std::uint32_t>(page.nodes.size());
  const bool has_stacks = !page.nodes.empty();
  if (has_stacks) page.nodes.push_back({0, kNone, true});

  Folded& folded = page.folded;
  folded.rows = order.size() - hot;
  // The first step takes line and stack of every folded row, and the later steps include it.
  folded.stacks = true;
  folded.share.resize(events.size());
  for (std::size_t i = hot; i < order.size(); ++i) {
    for (std::size_t e = 0; e < events.size(); ++e) {
      const auto all = static_cast<double>(std::max<std::uint64_t>(1, events[e].weight));
      folded.share[e] +=
          static_cast<double>(page.counts[order[i] * events.size() + e].weight) / all;
    }
  }
  // Functions with a hot row keep the rest of their samples, so that their totals stay.
  std::vector<bool> is_hot(functions);
  for (std::size_t i = 0; i < hot; ++i) is_hot[page.rows[order[i]].function] = true;
  // Each step starts from the original rows. The hot ones stay as they are.
  for (int step = 1;; ++step) {
    RowSums sums(events.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      SampleRow row = page.rows[order[i]];
      if (i >= hot) {
        row.line = kNone;
        row.node = has_stacks ? folded_node : 0;
        if (step >= 2 && !is_hot[row.function]) {
          row.function =
              static_cast<std::uint32_t>(functions) + page.functions[row.function].module;
        }
        if (step >= 3) row.thread = row.phase = kNone;
      }
      sums.Add(row, &page.counts[order[i] * events.size()]);
    }
    // After the third step there is nothing more to fold: so many modules are kept.
    if (sums.rows().size() > most && step < 3) continue;
    folded.threads = step >= 3;
    page.rows = std::move(sums.rows());
    page.counts = std::move(sums.counts());
    break;
  }
  // Functions that are left without a row of their own are in the sum of their module.
  std::vector<bool> shown(page.functions.size());
  for (const SampleRow& row : page.rows) shown[row.function] = true;
  for (std::size_t f = 0; f < functions; ++f) {
    if (shown[f]) continue;
    ++folded.functions;
    ++page.functions[functions + page.functions[f].module].functions;
  }
}

void DropUnused(SampleRows& page) {
  std::vector<bool> functions(page.functions.size());
  std::vector<bool> lines(page.lines.size());
  std::vector<bool> nodes(page.nodes.size());
  for (const SampleRow& row : page.rows) {
    functions[row.function] = true;
    if (row.line != kNone) lines[row.line] = true;
    if (!nodes.empty()) nodes[row.node] = true;
  }
  // The root stays, because rows without a stack refer to it.
  if (!nodes.empty()) nodes[0] = true;
  // Backwards, because parents come before their children.
  for (std::size_t n = nodes.size(); n-- > 1;) {
    if (nodes[n]) nodes[page.nodes[n].parent] = true;
  }
  const auto function_at = Compact(page.functions, functions);
  const auto line_at = Compact(page.lines, lines);
  const auto node_at = Compact(page.nodes, nodes);
  for (PageNode& node : page.nodes) node.parent = node_at[node.parent];
  for (SampleRow& row : page.rows) {
    row.function = function_at[row.function];
    if (row.line != kNone) row.line = line_at[row.line];
    if (!page.nodes.empty()) row.node = node_at[row.node];
  }
}

}  // namespace csink::report
