#include "symbolizer/report/json/json.h"

#include "symbolizer/report/findings/findings.h"
#include "symbolizer/report/json/chains.h"
#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/text/precision.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

/// File: the JSON report, one function for each array of docs/report.schema.json. Numbers are
/// written with all digits. A test compares the keys that are written with the document, so a new
/// key needs a line there.

namespace csink::report {
namespace {

/// Slices of the time line: as many as a spool has.
constexpr std::size_t kMostSlices = spool::kThreadSliceCount;

/// Samples of all events in a row.
std::uint64_t SamplesOfAll(const std::vector<Cell>& cells) {
  std::uint64_t samples = 0;
  for (const Cell& cell : cells) samples += cell.samples;
  return samples;
}

/// The columns: what was measured of each event, and how far its samples can be trusted.
Json Events(const Report& report) {
  Json list = Json::array();
  for (std::size_t i = 0; i < report.profile.events.size(); ++i) {
    const EventTotals& event = report.profile.events[i];
    const std::optional<Explained> explained = Explain(event);
    list.push_back({{"name", event.name},
                    {"kind", WordFor(event.kind)},
                    {"period", event.period},
                    {"frequency_hz", event.frequency_hz},
                    {"mixed_periods", event.mixed_periods},
                    {"samples", event.samples},
                    {"weight", event.weight},
                    {"effective_samples", report.effective_samples[i]},
                    {"lost_records", event.lost_records},
                    {"throttled", event.throttled},
                    {"unplaced", event.unplaced},
                    {"enabled_seconds", Seconds(event.enabled_ns)},
                    {"running_seconds", Seconds(event.running_ns)},
                    {"due_seconds", Seconds(event.due_ns)},
                    {"throttled_seconds", Seconds(event.throttled_ns)},
                    {"unsampled", event.unsampled},
                    {"rate_limit_hz", event.rate_limit_hz},
                    {"explained_share", explained ? Json(explained->share) : Json(nullptr)},
                    {"scale", ScaleOf(event)},
                    {"precise_ip", event.precise_ip},
                    {"precise_asked", event.precise_asked},
                    {"precise_by", WordFor(event.precise_by)},
                    {"skid", WordFor(event.skid)},
                    {"precision", PrecisionText(event)}});
  }
  return list;
}

/// How the wall time of a thread, or of the threads of a process, divides; null: not known.
Json PartsJson(const WallParts& wall) {
  if (!wall.known()) return nullptr;
  return {{"seconds", Seconds(wall.wall_ns)},
          {"running_seconds", Seconds(wall.run_ns)},
          {"waiting_seconds", Seconds(wall.wait_ns)},
          {"blocked_seconds", Seconds(wall.BlockedNs())},
          {"undivided_seconds", Seconds(wall.undivided_ns)}};
}

/// The same for all threads of the report; null: not known.
Json DivisionJson(const std::optional<WallDivision>& division) {
  if (!division) return nullptr;
  Json own = nullptr;
  if (division->own_waiting) {
    // Bounds and not an estimate: the kernel does not say for whom a thread waited.
    own = {{"least_seconds", division->own_waiting->least_seconds},
           {"most_seconds", division->own_waiting->most_seconds}};
  }
  return {{"threads", division->threads},
          {"seconds", division->wall_seconds},
          {"running_seconds", division->running_seconds},
          {"waiting_seconds", division->waiting_seconds},
          {"blocked_seconds", division->blocked_seconds},
          {"undivided_seconds", division->undivided_seconds},
          {"processors", division->processors},
          {"read_errno", division->read_errno},
          {"waiting_for_own", std::move(own)}};
}

/// The answer in a few sentences, as in text.
Json FindingsJson(const Report& report) {
  Json list = Json::array();
  for (const Finding& finding : FindingsOf(report)) {
    list.push_back({{"kind", WordFor(finding.kind)},
                    {"text", finding.text},
                    {"seconds", finding.seconds},
                    {"function", finding.function},
                    {"file", finding.file},
                    {"line", finding.line}});
  }
  return list;
}

/// All process images, in the order of their start.
Json Processes(const Report& report) {
  Json list = Json::array();
  for (const ProcessSummary& process : report.processes) {
    const ProcessRow& row = *process.row;
    // `rank` is null where the process is of no MPI job: rank 0 is a rank.
    list.push_back({{"pid", row.pid},
                    {"namespace_pid", row.namespace_pid},
                    {"parent_pid", row.parent_pid},
                    {"generation", row.generation},
                    {"program", row.program},
                    {"command", row.command},
                    {"host", row.host},
                    {"state", WordFor(row.state)},
                    {"samples", SamplesOfAll(process.events)},
                    {"events", CellsJson(process.events)},
                    {"derived_intervals", RatiosOf(report, process.events)},
                    {"user_seconds", Seconds(row.user_ns)},
                    {"system_seconds", Seconds(row.system_ns)},
                    {"start_user_seconds", Seconds(row.start_user_ns)},
                    {"start_system_seconds", Seconds(row.start_system_ns)},
                    {"agent_seconds", Seconds(row.agent_ns)},
                    {"threads_seen", row.threads_seen},
                    {"threads_sampled", row.threads_sampled},
                    {"rank", row.rank < 0 ? Json(nullptr) : Json(row.rank)},
                    {"job", row.job},
                    {"depth", row.depth},
                    {"paused_seconds", Seconds(row.paused_ns)},
                    {"bad_stacks", row.bad_stacks},
                    {"wall", PartsJson(row.wall)},
                    {"configuration", row.configuration},
                    {"processes", row.processes}});
  }
  return list;
}

/// Threads with samples, hottest first.
Json Threads(const Report& report) {
  Json list = Json::array();
  for (const ThreadSummary& thread : report.threads) {
    list.push_back({{"pid", thread.pid},
                    {"tid", thread.row->tid},
                    {"name", thread.row->name},
                    {"merged", thread.row->is_merged},
                    {"threads", thread.row->threads},
                    {"samples", SamplesOfAll(thread.events)},
                    {"events", CellsJson(thread.events)},
                    {"derived_intervals", RatiosOf(report, thread.events)},
                    {"cpu_seconds", Seconds(thread.row->cpu_ns)},
                    {"sampled_seconds", Seconds(thread.row->sampled_ns)},
                    {"lost_records", thread.row->lost_records},
                    {"wall", PartsJson(thread.row->wall)},
                    {"start_routine", thread.start_routine},
                    {"functions", NamedCellsJson(thread.functions)}});
  }
  return list;
}

/// All functions with samples. `derived` has the plain ratios by key for simple scripts,
/// `derived_intervals` the same ratios with their intervals, in the order of the top level's
/// `derived`.
Json Functions(const Report& report) {
  Json list = Json::array();
  for (const FunctionRow& row : report.functions) {
    // By key, so that a script needs no search in the list.
    Json derived = Json::object();
    for (std::size_t i = 0; i < row.derived.size(); ++i) {
      derived[report.derived[i].key] = row.derived[i] ? Json(*row.derived[i]) : Json(nullptr);
    }
    list.push_back({{"function", row.function},
                    {"module", row.module},
                    {"module_path", row.module_path},
                    {"source", WordFor(row.source)},
                    {"aliases", row.aliases},
                    {"line", LineJson(row.file, row.line)},
                    {"own_line", LineJson(row.own_file, row.own_line)},
                    {"events", CellsJson(row.events)},
                    {"joules_estimate", EnergyOf(report, row.events)},
                    {"derived", std::move(derived)},
                    {"derived_intervals", RatiosJson(row.derived, row.derived_intervals)}});
    if (!row.native.empty()) list.back()["native"] = NamedCellsJson(row.native);
  }
  return list;
}

/// All lines with samples, hottest first. Paths are those of the line table.
Json Lines(const Report& report) {
  Json list = Json::array();
  for (const LineRow& row : report.lines) {
    list.push_back({{"file", row.file},
                    {"line", row.line},
                    {"own_line", LineJson(row.own_file, row.own_line)},
                    {"function", row.function},
                    {"module", row.module},
                    {"events", CellsJson(row.events)}});
  }
  return list;
}

/// The verdict. Causes of lost time that are subtracted from the unexplained rest have keys of
/// their own beside it.
Json VerdictOf(const Report& report) {
  const Verdict& verdict = report.verdict;
  Json modules = Json::array();
  for (const ModuleProblem& module : verdict.modules_without_symbols) {
    modules.push_back({{"module", module.module},
                       {"build_id", module.build_id},
                       {"problem", module.problem},
                       {"share", module.share},
                       {"unnamed_share", module.unnamed},
                       {"package", module.package}});
  }
  Json routines = Json::array();
  for (const ShortThreadsByRoutine& row : verdict.short_threads) {
    routines.push_back({{"start_routine", row.start_routine},
                        {"threads", row.threads},
                        {"cpu_seconds", row.cpu_seconds}});
  }
  Json wall = Json::array();
  for (const ProcessWall& row : verdict.wall) {
    wall.push_back({{"pid", row.pid},
                    {"program", row.program},
                    {"wall_seconds", row.wall_seconds},
                    {"on_cpu_seconds", row.on_cpu_seconds},
                    {"off_cpu_seconds", row.off_cpu_seconds}});
  }
  // Every key is always there, so that scripts need not test for it.
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  // The agent's causes of lost time; those that csink finds itself have members of their own.
  const auto lost = [&](spool::Loss cause) {
    return verdict.lost_seconds[static_cast<std::size_t>(cause)];
  };
  return {{"good", verdict.grade == Grade::kGood},
          {"grade", WordFor(verdict.grade)},
          {"explained_share", optional(verdict.explained_share)},
          {"judged_seconds", verdict.judged_seconds},
          {"of", verdict.of_user_time ? "user" : "user+system"},
          {"samples", verdict.samples},
          {"lost_records", verdict.lost_records},
          {"throttled", verdict.throttled},
          {"unplaced", verdict.unplaced},
          {"multiplexed_share", optional(verdict.multiplexed)},
          {"lost_seconds",
           {{"no_ring", lost(spool::Loss::kNoRing)},
            {"blocked_drain", lost(spool::Loss::kBlockedDrain)},
            {"short_threads", lost(spool::Loss::kShortThread)},
            {"unseen_threads", verdict.unseen_seconds},
            {"unprofiled_processes", verdict.unprofiled_seconds},
            {"switched_off", verdict.switched_off_seconds},
            {"switching", verdict.switching_seconds},
            {"unexplained", lost(spool::Loss::kUnexplained)}}},
          {"switches", verdict.switches},
          {"threads_seen", verdict.threads_seen},
          {"threads_sampled", verdict.threads_sampled},
          {"agent_share", optional(verdict.agent_share)},
          {"interrupt_share", optional(verdict.interrupt_share)},
          {"before_agent_seconds", verdict.ledger.SecondsOf(Cause::kBeforeAgent)},
          {"paused_seconds", verdict.paused_seconds},
          {"wall", std::move(wall)},
          {"idle_seconds", verdict.idle_seconds},
          {"thread_time", DivisionJson(verdict.division)},
          {"bad_stacks", verdict.bad_stacks},
          {"chains", ChainsJson(GradeChains(report.profile, /*of_looks=*/false))},
          {"look_chains", ChainsJson(GradeChains(report.profile, /*of_looks=*/true))},
          {"modules_without_symbols", std::move(modules)},
          {"short_threads", std::move(routines)},
          {"notes", verdict.notes}};
}

}  // namespace

// The page of the HTML report has this head, and its own tables (html/page_data.cpp).
// "version" is raised when a key changes its meaning and not when a key is added (docs/json.md).
Json ReportHeadJson(const Report& report) {
  return {{"format", "csink-report"},
          {"version", 1},
          {"command", report.command},
          {"pid", report.pid},
          {"host", report.host},
          {"state", WordFor(report.state)},
          {"end", report.end},
          {"start_time", report.start_time},
          {"wall_seconds", report.wall_seconds},
          {"user_seconds", report.user_seconds},
          {"system_seconds", report.system_seconds},
          {"system_sampled", report.system_sampled},
          {"source", report.source},
          {"source_reason", report.source_reason},
          {"findings", FindingsJson(report)},
          {"events", Events(report)},
          {"derived", DerivedJson(report)},
          {"processes", Processes(report)},
          {"only_phase", report.profile.only_phase},
          {"baseline", BaselineJson(report)},
          {"device_counters", DeviceCountersJson(report)},
          {"energy", EnergyJson(report)},
          {"critical", CriticalJson(report)},
          {"run_facts", RunFactsJson(report)},
          {"waits", WaitsJson(report)},
          {"locks", LocksJson(report)},
          {"openmp", OpenMpJson(report)},
          {"ledger", LedgerJson(report.verdict.ledger)},
          {"verdict", VerdictOf(report)}};
}

Json ReportJson(const Report& report) {
  Json head = ReportHeadJson(report);
  Json whole;
  // The members keep the order of the document, which the ordered type of the library preserves.
  for (auto& [key, value] : head.items()) {
    // The tables stand between the processes and what follows them, as in docs/report.schema.json.
    if (key == "only_phase") {
      whole["threads"] = Threads(report);
      whole["functions"] = Functions(report);
      whole["lines"] = Lines(report);
      whole["modules"] = ModulesJson(report);
      whole["inlines"] = InlinesJson(report);
      whole["callers"] = CallersJson(report);
      whole["stacks"] = StacksJson(report);
      whole["phases"] = PhasesJson(report);
      whole["ranks"] = RanksJson(report);
      whole["timeline"] = TimeLineJson(report, MakeTimeLine(report, kMostSlices, SliceFit::kData));
    }
    whole[key] = std::move(value);
  }
  return whole;
}

std::string WriteJson(const Report& report) {
  // Names come from files; the library would throw at bytes that are not UTF-8 without a handler.
  return ReportJson(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace csink::report
