#include "symbolizer/report/compare/run_details.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "symbolizer/report/compare/json_members.h"
#include "symbolizer/report/wording/wait_words.h"

namespace csink::report {
namespace {

using Json = nlohmann::json;

/// Threads that wait so may have nothing to do; where no other thread waits for them, they are no
/// part of what takes long.
bool IsForWork(const std::string& kind) {
  for (const spool::WaitKind one : {spool::WaitKind::kPoll, spool::WaitKind::kAccept,
                                    spool::WaitKind::kReceive, spool::WaitKind::kSignal}) {
    if (kind == WordFor(one)) return true;
  }
  return false;
}

/// A node of a tree of call paths, in which parents come first.
struct Node {
  std::size_t parent = 0;
  bool has_parent = false;
  LibraryClass code = LibraryClass::kNone;
  bool is_kernel_call = false;
  double self = 0;
};

/// Classes are looked up once for each function.
class Classes {
 public:
  LibraryClass Of(const std::string& function, const std::string& module) {
    const auto [it, is_new] = known_.try_emplace(module + '\n' + function, LibraryClass::kNone);
    if (is_new) it->second = LibraryClassOf(function, module);
    return it->second;
  }

 private:
  std::unordered_map<std::string, LibraryClass> known_;
};

/// Adds each node's samples to the classes of itself and its callers, each once.
void AddChains(const std::vector<Node>& nodes, RunDetails& details) {
  std::vector<std::uint16_t> classes(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.has_parent && node.parent < i && !node.is_kernel_call) {
      classes[i] = classes[node.parent];
    }
    if (IsByChain(node.code)) {
      classes[i] = static_cast<std::uint16_t>(classes[i] | 1u << static_cast<unsigned>(node.code));
    }
    if (node.self <= 0) continue;
    for (std::size_t code = 0; code < kLibraryClasses; ++code) {
      if ((classes[i] >> code & 1u) != 0) details.chain_shares[code] += node.self;
    }
  }
  details.has_chains = nodes.size() > 1;
}

/// The share of the first event in a list of cells.
double FirstShare(const Json& json, const char* key) {
  const Json& cells = ArrayIn(json, key);
  if (cells.empty() || !cells[0].is_object()) return 0;
  return std::min(1.0, Finite(cells[0], "share"));
}

void ParseWaits(const Json& json, RunDetails& details) {
  const auto waits = json.find("waits");
  details.has_waits = waits != json.end() && waits->is_object();
  if (!details.has_waits) return;
  for (const Json& group : ArrayIn(*waits, "groups")) {
    const auto idle = group.is_object() ? group.find("idle") : group.end();
    if (!group.is_object() || (idle != group.end() && idle->is_boolean() && idle->get<bool>())) {
      continue;
    }
    const auto critical = group.find("critical");
    const bool is_critical =
        critical != group.end() && critical->is_boolean() && critical->get<bool>();
    for (const Json& row : ArrayIn(group, "rows")) {
      if (!row.is_object() || TextIn(row, "kind") == WordFor(spool::WaitKind::kJoin)) continue;
      if (!is_critical && IsForWork(TextIn(row, "kind"))) continue;
      details.waits.push_back({TextIn(row, "kind"), TextIn(row, "call"), TextIn(row, "function"),
                               TextIn(row, "module"), TextIn(row, "line"), 0,
                               Finite(row, "seconds")});
    }
  }
}

void ParseFacts(const Json& json, RunDetails& details) {
  const auto it = json.find("run_facts");
  if (it == json.end() || !it->is_object()) return;
  RunFactsSum& facts = details.facts;
  facts.known = true;
  const auto calls = it->find("read_calls");
  facts.calls_known = calls != it->end() && calls->is_number();
  facts.minor_faults = Finite(*it, "minor_faults");
  facts.major_faults = Finite(*it, "major_faults");
  facts.preemptions = Finite(*it, "preemptions");
  facts.voluntary_switches = Finite(*it, "voluntary_switches");
  facts.max_resident_bytes = Finite(*it, "max_resident_bytes");
  facts.read_calls = Finite(*it, "read_calls");
  facts.write_calls = Finite(*it, "write_calls");
  facts.read_bytes = Finite(*it, "read_bytes");
  facts.written_bytes = Finite(*it, "written_bytes");
  const auto surroundings = it->find("surroundings");
  if (surroundings == it->end() || !surroundings->is_object()) return;
  for (const auto& [name, value] : surroundings->items()) {
    if (value.is_string()) facts.surroundings.emplace(name, value.get<std::string>());
  }
}

}  // namespace

RunDetails DetailsOf(const Report& report) {
  RunDetails details;
  details.wall_seconds = report.wall_seconds;
  details.user_seconds = report.user_seconds;
  details.system_seconds = report.system_seconds;
  for (const ThreadRow& thread : report.profile.threads) {
    if (thread.cpu_ns != 0) details.threads += static_cast<double>(thread.LeastThreads());
  }
  for (const ProcessRow& process : report.profile.processes) {
    details.processors = std::max<double>(details.processors, process.processors);
  }
  details.facts = SumOfRunFacts(report.profile);
  details.has_waits = report.waits.has_value();
  if (report.waits) {
    for (const WaitGroup& group : report.waits->groups) {
      if (group.is_idle) continue;
      for (const WaitRow& row : group.rows) {
        if (row.kind == spool::WaitKind::kJoin) continue;
        if (!group.is_critical && IsForWork(WordFor(row.kind))) continue;
        details.waits.push_back({WordFor(row.kind), row.call, row.function, row.module, row.file,
                                 row.line, row.cell.seconds});
      }
    }
  }
  const auto share = [](const std::vector<Cell>& cells) {
    return cells.empty() ? 0 : cells[0].share;
  };
  for (const InlineRow& row : report.inlines) {
    details.sources.push_back({row.function, row.module, share(row.events), share(row.inlined)});
  }
  Classes classes;
  std::vector<Node> nodes;
  nodes.reserve(report.call_tree.size());
  for (std::size_t i = 0; i < report.call_tree.size(); ++i) {
    const CallNode& node = report.call_tree[i];
    Node& made = nodes.emplace_back();
    made.parent = node.parent;
    made.has_parent = i != 0;
    if (i != 0 && node.function < report.call_functions.size()) {
      const NamedCells& function = report.call_functions[node.function];
      made.code = classes.Of(function.function, function.module);
      made.is_kernel_call = !KernelCallOf(function.function).empty();
    }
    made.self = share(node.self);
  }
  AddChains(nodes, details);
  return details;
}

RunDetails ParseDetails(const Json& json) {
  RunDetails details;
  details.wall_seconds = Finite(json, "wall_seconds");
  details.user_seconds = Finite(json, "user_seconds");
  details.system_seconds = Finite(json, "system_seconds");
  for (const Json& thread : ArrayIn(json, "threads")) {
    if (thread.is_object() && Finite(thread, "cpu_seconds") > 0) {
      details.threads += std::max(1.0, Finite(thread, "threads"));
    }
  }
  for (const Json& process : ArrayIn(json, "processes")) {
    if (!process.is_object()) continue;
    details.processors = std::max(details.processors, Finite(process, "processors"));
  }
  ParseFacts(json, details);
  ParseWaits(json, details);
  for (const Json& row : ArrayIn(json, "inlines")) {
    if (!row.is_object()) continue;
    details.sources.push_back({TextIn(row, "function"), TextIn(row, "module"),
                               FirstShare(row, "events"), FirstShare(row, "inlined")});
  }
  Classes classes;
  std::vector<Node> nodes;
  for (const Json& row : ArrayIn(json, "stacks")) {
    Node& node = nodes.emplace_back();
    if (!row.is_object()) continue;
    const auto parent = row.find("parent");
    node.has_parent = parent != row.end() && parent->is_number_unsigned();
    if (node.has_parent) node.parent = parent->get<std::size_t>();
    node.code = classes.Of(TextIn(row, "function"), TextIn(row, "module"));
    node.is_kernel_call = !KernelCallOf(TextIn(row, "function")).empty();
    node.self = FirstShare(row, "self");
  }
  AddChains(nodes, details);
  return details;
}

}  // namespace csink::report
