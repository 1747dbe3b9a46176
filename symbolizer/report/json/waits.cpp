#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/wording/wait_words.h"

/// File: what threads waited for, in the JSON report. null where it was not recorded. Keys are
/// documented in docs/report.schema.json.

namespace csink::report {
namespace {

/// Adds the members of a cell to an object.
Json With(Json object, const WaitCell& cell) {
  object["looks"] = cell.looks;
  object["seconds"] = cell.seconds;
  object["share"] = cell.share;
  object["low"] = cell.low;
  object["high"] = cell.high;
  return object;
}

/// The places of a group of threads. `lock` is an index into "locks", so that a lock that several
/// rows wait for stands there once.
Json RowsJson(const WaitGroup& group) {
  Json list = Json::array();
  for (const WaitRow& row : group.rows) {
    Json paths = Json::array();
    for (const WaitPath& path : row.paths) {
      paths.push_back(With({{"functions", path.functions}}, path.cell));
    }
    Json object = With({{"function", row.function},
                        {"module", row.module},
                        {"line", LineJson(row.file, row.line)},
                        {"kind", WordFor(row.kind)},
                        {"primitive", row.primitive},
                        {"call", row.call},
                        {"lock", row.lock == WaitRow::kNoRow ? Json(nullptr) : Json(row.lock)}},
                       row.cell);
    object["longest_seconds"] = row.longest_seconds;
    object["paths"] = std::move(paths);
    list.push_back(std::move(object));
  }
  return list;
}

/// The threads of a group; `row` is the index of the place in which the thread waited longest.
Json MembersJson(const Report& report, const WaitGroup& group) {
  Json list = Json::array();
  for (const WaitThread& member : group.members) {
    // Threads without a record have no number.
    std::uint32_t tid = 0;
    std::uint32_t pid = 0;
    std::string name;
    if (member.thread < report.profile.threads.size()) {
      const ThreadRow& thread = report.profile.threads[member.thread];
      tid = thread.tid;
      name = thread.name;
      pid = report.profile.processes[thread.process].pid;
    }
    Json object = With({{"pid", pid}, {"tid", tid}, {"name", name}}, member.cell);
    object["row"] = member.row;
    object["row_share"] = member.row_share;
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

Json WaitsJson(const Report& report) {
  if (!report.waits) return nullptr;
  const WaitTables& waits = *report.waits;
  Json groups = Json::array();
  for (const WaitGroup& group : waits.groups) {
    Json object = With({{"name", group.name},
                        {"threads", group.threads},
                        {"critical", group.is_critical},
                        {"idle", group.is_idle}},
                       group.cell);
    // null and not 0: of a group that is not idle no place was chosen.
    object["idle_share"] = group.is_idle ? Json(group.idle_share) : Json();
    object["idle_row"] = group.is_idle ? Json(group.idle_row) : Json();
    object["rows"] = RowsJson(group);
    object["members"] = MembersJson(report, group);
    groups.push_back(std::move(object));
  }
  // null: older spools do not have them, and a profile of one mark has none of its own.
  const auto of_all = [&](double seconds) {
    return waits.all_threads == 0 ? Json(nullptr) : Json(seconds);
  };
  return {{"blocked_seconds", waits.blocked_seconds},
          {"all_blocked_seconds", of_all(waits.all_blocked_seconds)},
          {"not_looked_seconds", of_all(waits.not_looked_seconds)},
          {"undivided_seconds", of_all(waits.undivided_seconds)},
          {"looks", waits.looks},
          {"effective_looks", waits.effective_looks},
          {"groups", std::move(groups)}};
}

Json LocksJson(const Report& report) {
  Json list = Json::array();
  if (!report.waits) return list;
  for (const LockRow& lock : report.waits->locks) {
    // In the order of their waiting time, of which the shares are.
    Json holders = Json::array();
    for (const HolderRow& holder : lock.holders) {
      holders.push_back(With({{"function", holder.function},
                              {"module", holder.module},
                              {"tid", holder.tid},
                              {"thread", holder.thread},
                              {"blocked", holder.is_blocked},
                              {"only_runner", holder.is_only_runner}},
                             holder.cell));
    }
    Json object = With({{"name", lock.name},
                        {"module", lock.module},
                        {"kind", WordFor(lock.kind)},
                        {"primitive", lock.primitive},
                        {"first_function", lock.first_function},
                        {"first_line", LineJson(lock.first_file, lock.first_line)},
                        {"objects", lock.objects}},
                       lock.cell);
    object["moments"] = lock.moments;
    object["most_waiters"] = lock.most_waiters;
    object["known_share"] = lock.known_share;
    object["is_lock"] = lock.is_lock;
    object["holders"] = std::move(holders);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace csink::report
