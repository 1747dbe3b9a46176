#include "symbolizer/report/tables/waits.h"

#include <algorithm>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the section about waiting: a table for each group of threads, a line for each idle group,
/// and the locks.

namespace csink::report {
namespace {

using Align = Table::Align;

constexpr std::size_t kGroups = 6;        // With a table
constexpr std::size_t kIdleLines = 8;     // Idle groups
constexpr std::size_t kRows = 10;         // In a group
constexpr std::size_t kPaths = 3;         // Of a row
constexpr double kLeastPathOfRow = 0.1;   // Paths with less are left out
constexpr double kLeastRow = 0.01;        // Of a group, for rows with paths
constexpr std::size_t kThreadsShown = 8;  // Of a group, with --per-thread
constexpr std::size_t kLocks = 10;
constexpr std::size_t kHolders = 3;  // Of a lock
constexpr double kLeastRest = 0.05;  // Of the blocked time, that is in no row

/// Half of the interval in percent; "exact" if the share was not sampled.
std::string Half(const WaitCell& cell) {
  return cell.high > cell.low ? FixedText((cell.high - cell.low) * 50, 1) : "exact";
}

/// "mutex table_lock", "read of a pipe", "ioctl". A name that is too long loses its beginning: rows
/// may differ in the end of it only.
std::string WaitsFor(const Report& report, const WaitRow& row, std::size_t width) {
  std::string text = row.primitive;
  // A join waits for a thread, which has no name of a lock.
  if (row.lock != WaitRow::kNoRow && row.kind != spool::WaitKind::kJoin) {
    const LockRow& lock = report.waits->locks[row.lock];
    const std::size_t words = DisplayWidth(text) + 1;
    if (!lock.name.empty()) {
      return text + " " + KeepTail(Printable(lock.name), width > words ? width - words : 1);
    }
  }
  // The words do not tell epoll_wait from select.
  if (row.kind == spool::WaitKind::kPoll && !row.call.empty() && row.call != "poll") {
    text += " (" + row.call + ")";
  }
  return KeepHead(Printable(text), width);
}

/// "server.c:12"; "" if no line is known.
std::string LineText(const std::string& file, std::uint32_t line) {
  return line == 0 ? "" : Printable(BaseName(file)) + ":" + std::to_string(line);
}

/// "from f < g < main"
std::string PathText(const WaitPath& path, std::size_t width) {
  std::string text = "  from ";
  for (std::size_t i = 0; i < path.functions.size(); ++i) {
    text += (i == 0 ? "" : " < ") + ShortenFunction(Printable(path.functions[i]), 30);
  }
  return KeepHead(text, width);
}

/// A table with the numbers that groups and locks have in common, and a first text column.
Table TableOf(const std::string& title) {
  Table table;
  table.AddColumn("seconds", Align::kRight);
  table.AddColumn("share", Align::kRight);
  table.AddColumn("+-95%", Align::kRight);
  table.AddColumn("looks", Align::kRight);
  table.AddColumn(title, Align::kLeft);
  return table;
}

/// The columns left of the first text, with the gaps.
constexpr std::size_t kNumbers = 36;

/// "worker(), 16 threads"
std::string Title(const WaitGroup& group) {
  std::string title = ShortenFunction(Printable(group.name), 40);
  if (group.threads != 1) title += ", " + Count(group.threads, "thread", "threads");
  return title;
}

/// The widths of the columns "waits for" and "where" of a group's first `shown` rows. Short names
/// of functions leave room for the names of locks.
struct Widths {
  std::size_t waits_for;
  std::size_t where;
};
Widths WidthsOf(const WaitGroup& group, std::size_t shown, std::size_t room) {
  std::size_t functions = DisplayWidth(Title(group));
  std::size_t lines = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const WaitRow& row = group.rows[i];
    functions =
        std::max(functions, DisplayWidth(ShortenFunction(Printable(row.function), room * 2 / 5)));
    lines = std::max(lines, DisplayWidth(LineText(row.file, row.line)));
  }
  lines = std::min(lines, room / 5);
  // Two columns of gaps before each of the two.
  const std::size_t used = functions + lines + 4;
  return {std::max(room * 2 / 5, room > used ? room - used : 0), room / 5};
}

/// A place, and its call paths below it.
void AddRow(const Report& report, const WaitRow& row, std::size_t room, const Widths& widths,
            Table& table) {
  table.AddRow({FixedText(row.cell.seconds, 2), ShareText(row.cell.share), Half(row.cell),
                Grouped(row.cell.looks), ShortenFunction(Printable(row.function), room * 2 / 5),
                WaitsFor(report, row, widths.waits_for),
                KeepTail(LineText(row.file, row.line), widths.where)});
  std::size_t shown = 0;
  for (const WaitPath& path : row.paths) {
    if (path.functions.empty() || shown == kPaths) break;
    if (path.cell.share < kLeastPathOfRow || row.cell.share < kLeastRow) break;
    ++shown;
    // Shares are those of the group, as in the row above.
    table.AddRow({"", ShareText(path.cell.share * row.cell.share), "", Grouped(path.cell.looks),
                  PathText(path, room * 4 / 5)});
  }
}

/// The threads of a group, with --per-thread: where each waited longest.
void AddThreads(const Report& report, const WaitGroup& group, std::size_t room, Table& table) {
  const auto& members = group.members;
  // The threads are sorted by blocked time.
  const std::size_t shown = std::min(members.size(), kThreadsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const WaitThread& member = members[i];
    std::string name = "thread";
    if (member.thread < report.profile.threads.size()) {
      const ThreadRow& row = report.profile.threads[member.thread];
      name = row.HasOwnTid() ? name + " " + std::to_string(row.tid) + " " + Printable(row.name)
                             : "threads without a record";
    }
    const WaitRow& most = group.rows[member.row];
    table.AddRow(
        {FixedText(member.cell.seconds, 2), ShareText(member.cell.share), "",
         Grouped(member.cell.looks), KeepHead(name, room * 2 / 5),
         KeepHead(Percent(member.row_share, 0) + " in " + Printable(most.function), room * 2 / 5)});
  }
  if (shown < members.size()) {
    table.AddRow({"", "", "", "", "and " + Grouped(members.size() - shown) + " more"});
  }
}

/// The table of a group that is not idle, with an empty line before it.
std::string WriteGroup(const Report& report, const WaitGroup& group, const TextStyle& style) {
  Table table = TableOf(Title(group));
  table.AddColumn("waits for", Align::kLeft);
  table.AddColumn("where", Align::kLeft);
  const std::size_t room = style.width > kNumbers + 40 ? style.width - kNumbers : 40;
  std::size_t shown = 0;
  for (; shown < std::min({kRows, style.top, group.rows.size()}); ++shown) {
    if (shown > 0 && group.rows[shown].cell.share < style.min_share) break;
  }
  const Widths widths = WidthsOf(group, shown, room);
  for (std::size_t i = 0; i < shown; ++i) AddRow(report, group.rows[i], room, widths, table);
  WaitCell rest;
  for (std::size_t i = shown; i < group.rows.size(); ++i) {
    rest.seconds += group.rows[i].cell.seconds;
    rest.share += group.rows[i].cell.share;
    rest.looks += group.rows[i].cell.looks;
  }
  if (shown < group.rows.size()) {
    table.AddRow({FixedText(rest.seconds, 2), ShareText(rest.share), "", Grouped(rest.looks),
                  Count(group.rows.size() - shown, "more place", "more places")});
  }
  if (style.per_thread && group.members.size() > 1) AddThreads(report, group, room, table);
  return "\n" + table.Draw(style, false);
}

/// "16 threads of worker(): 98% idle in pop_job (condition variable)"
std::string IdleText(const WaitGroup& group) {
  const WaitRow& row = group.rows[group.idle_row];
  // "threads named x" needs no "of".
  const bool is_routine = group.name.find('(') != std::string::npos;
  std::string text = is_routine ? Count(group.threads, "thread", "threads") + " of "
                                : Grouped(group.threads) + " ";
  const bool is_one = group.threads == 1 && group.name.starts_with("threads ");
  const std::string name = is_one ? "thread " + group.name.substr(8) : group.name;
  text += ShortenFunction(Printable(name), 40) + ": " + Percent(group.idle_share, 0) + " idle in " +
          ShortenFunction(Printable(row.function), 40) + " (" + row.primitive + ")";
  return text + ", " + Duration(group.cell.seconds);
}

/// "held 71% by rebuild in thread 4711 loader"
std::string HolderText(const HolderRow& holder, std::size_t width) {
  std::string text = holder.is_only_runner ? "  only runner " : "  held ";
  text += Percent(holder.cell.share, 0) + (holder.is_only_runner ? ": " : " by ");
  text += holder.function.empty() ? "unknown code"
                                  : ShortenFunction(Printable(holder.function), width / 2);
  text += " in thread " + std::to_string(holder.tid);
  if (!holder.thread.empty()) text += " " + Printable(holder.thread);
  if (holder.is_blocked) text += ", blocked itself";
  return KeepHead(text, width);
}

/// The table of locks that threads waited for, each with its holders below it.
std::string WriteLocks(const Report& report, const TextStyle& style) {
  Table table = TableOf("waited for a lock");
  table.AddColumn("waiters", Align::kRight);
  // "up to 16" has the last column.
  const std::size_t room = style.width > kNumbers + 50 ? style.width - kNumbers - 10 : 40;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const LockRow& lock : report.waits->locks) {
    // JSON also has the objects that do not keep threads from running (LockRow::is_lock).
    if (!lock.is_lock || lock.cell.looks == 0) continue;
    if (shown == std::min(kLocks, style.top)) {
      ++left_out;
      continue;
    }
    ++shown;
    table.AddRow({FixedText(lock.cell.seconds, 2), ShareText(lock.cell.share), Half(lock.cell),
                  Grouped(lock.cell.looks), KeepHead(Printable(LockText(lock)), room),
                  lock.most_waiters == 0 ? "" : "up to " + Grouped(lock.most_waiters)});
    for (std::size_t i = 0; i < std::min(kHolders, lock.holders.size()); ++i) {
      const HolderRow& holder = lock.holders[i];
      table.AddRow(
          {"", "", Half(holder.cell), Grouped(holder.cell.looks), HolderText(holder, room)});
    }
  }
  if (shown == 0) return "";
  if (left_out > 0) {
    table.AddRow({"", "", "", "", Count(left_out, "more lock", "more locks")});
  }
  return "\n" + table.Draw(style, left_out > 0);
}

/// Seconds in the form of the table's column, "3.00 s", where Duration writes "3 s"; other times as
/// Duration writes them.
std::string BlockedTime(double seconds) {
  return seconds >= 1 && seconds < 120 ? FixedText(seconds, 2) + " s" : Duration(seconds);
}

/// " that were looked at, 2.0% of the 26.0 min for which 300 threads were blocked"; "" where the
/// looks explain nearly all of it.
std::string OfAll(const WaitTables& waits, std::uint64_t looked_at) {
  if (waits.not_looked_seconds <= kLeastRest * waits.all_blocked_seconds) return "";
  return std::string(looked_at == 1 ? " that was" : " that were") + " looked at, " +
         Percent(waits.blocked_seconds / waits.all_blocked_seconds) + " of the " +
         BlockedTime(waits.all_blocked_seconds) + " for which " +
         Count(waits.all_threads, "thread", "threads") +
         (waits.all_threads == 1 ? " was" : " were") + " blocked";
}

/// "; blocked but not looked at: 300 threads, 2.1 s"; "" without such a time.
std::string NoneOfAll(const WaitTables& waits) {
  if (waits.all_blocked_seconds < 0.001) return "";
  return "; blocked but not looked at: " + Count(waits.all_threads, "thread", "threads") + ", " +
         BlockedTime(waits.all_blocked_seconds);
}

}  // namespace

std::string WriteWaits(const Report& report, const TextStyle& style) {
  if (!report.waits) return "";
  const WaitTables& waits = *report.waits;
  std::uint64_t threads = 0;
  for (const WaitGroup& group : waits.groups) threads += group.threads;
  std::string text =
      "\n" + Wrapped(style, "waiting  ",
                     waits.looks == 0
                         ? "no thread was seen blocked" + NoneOfAll(waits)
                         : BlockedTime(waits.blocked_seconds) + " blocked in " +
                               Count(threads, "thread", "threads") + OfAll(waits, threads) +
                               "; shares are those of the blocked time of the threads in a table");
  std::size_t shown = 0;
  // Groups with a table and lines of idle groups have limits of their own.
  std::size_t idle = 0;
  std::uint64_t left_out = 0;
  double left_out_seconds = 0;
  for (const WaitGroup& group : waits.groups) {
    if (group.is_idle ? idle < kIdleLines : shown < kGroups) {
      // Idle groups are the last ones.
      if (group.is_idle) {
        text += (idle++ == 0 ? "\n" : "") + Wrapped(style, "idle     ", IdleText(group));
      } else {
        ++shown;
        text += WriteGroup(report, group, style);
      }
      continue;
    }
    left_out += group.threads;
    left_out_seconds += group.cell.seconds;
  }
  if (left_out > 0) {
    text += Wrapped(
        style, "",
        Count(left_out, "more thread", "more threads") + ", blocked " + Duration(left_out_seconds));
  }
  return text + WriteLocks(report, style);
}

}  // namespace csink::report
