#include "symbolizer/report/tables/time_line.h"

#include <cmath>

#include "symbolizer/report/json/groups.h"

/// File: the time line as JSON. Times of slices are whole microseconds: they are shorter than
/// fractions, and the spool has no more digits.

namespace csink::report {
namespace {

/// Whole microseconds.
std::int64_t Micros(double seconds) { return std::llround(seconds * 1e6); }

/// One number for each slice of a row.
template <class Number>
Json Numbers(const TimeRow& row, const Number& number) {
  Json list = Json::array();
  for (const TimeCell& cell : row.cells) list.push_back(number(cell));
  return list;
}

}  // namespace

Json TimeLineJson(const Report& report, const TimeLine& line) {
  if (line.threads.empty()) return nullptr;
  // Columns of numbers for each thread: an object for each slice would be several times as long.
  Json threads = Json::array();
  for (const TimeRow& row : line.threads) {
    threads.push_back(
        {{"pid", row.pid},
         {"tid", row.thread->tid},
         {"name", row.thread->name},
         {"rest", row.is_rest},
         {"wait_known", row.wait_known && !row.is_rest},
         {"run_seconds", row.total.run},
         {"wait_seconds", row.total.wait},
         {"blocked_seconds", row.total.blocked},
         {"run_us", Numbers(row, [](const TimeCell& cell) { return Micros(cell.run); })},
         {"wait_us", Numbers(row, [](const TimeCell& cell) { return Micros(cell.wait); })},
         {"blocked_us", Numbers(row, [](const TimeCell& cell) { return Micros(cell.blocked); })},
         {"samples",
          Numbers(row, [](const TimeCell& cell) { return std::llround(cell.samples); })}});
  }
  // Of the hottest places of each process: colder places have no times in the spool.
  Json functions = Json::array();
  for (const FunctionTime& row : line.functions) {
    Json samples = Json::array();
    // A slice of a spool may be divided among several slices: tenths of a sample are enough.
    for (const double number : row.samples) samples.push_back(std::round(number * 10) / 10);
    functions.push_back({{"pid", row.pid},
                         {"function", row.function},
                         {"module", row.module},
                         {"total", row.total},
                         {"samples", std::move(samples)}});
  }
  Json marks = Json::array();
  for (const TimeMark& mark : line.marks) {
    marks.push_back({{"name", report.profile.phases[mark.phase].name}, {"seconds", mark.seconds}});
  }
  return {{"seconds", line.seconds},
          {"slice_seconds", line.slice_seconds},
          {"slices", line.slices},
          {"threads", std::move(threads)},
          {"functions", std::move(functions)},
          {"marks", std::move(marks)}};
}

}  // namespace csink::report
