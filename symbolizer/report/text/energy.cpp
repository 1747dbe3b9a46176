#include "symbolizer/report/data/energy.h"

#include <algorithm>
#include <cmath>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

/// A number with its unit. Whole numbers are shown without decimals.
std::string Value(double value, const std::string& units) {
  // 1e9 and 1e6: longer numbers are hard to read without separators.
  const double size = std::fabs(value);
  const bool whole = std::floor(value) == value && size < 1e9;
  std::string text = whole ? FixedText(value, 0) : size >= 1e6 ? Short(value) : FixedText(value, 2);
  return units.empty() ? text : text + " " + units;
}

/// Says until when a counter was read: for a killed program until its last drain, for a failed
/// device or a csink-meter that died until the last reading. "" if the counter was read to the end.
std::string Until(const Report& report, const DeviceReading& reading) {
  const bool failed = (reading.row->flags & spool::kCounterFailed) != 0;
  if (const std::uint64_t lost = LongestUnmeasuredNs(report.profile, *reading.row); lost != 0) {
    const std::uint64_t measured = reading.row->last_ns - reading.row->first_ns;
    const double part = static_cast<double>(measured) / static_cast<double>(measured + lost);
    return "; not the whole run: the readings ended " + Duration(Seconds(lost)) +
           " before the program, so they are of " + Percent(part) +
           " of the run (csink-meter died, or the device stopped answering)";
  }
  // A program that ended by itself was read at its end, which needs no words.
  const bool ended = report.state == ProcessState::kComplete || report.state == ProcessState::kLive;
  if (ended && !failed) return "";
  if (report.processes.empty() || reading.row->readings == 0) return "";
  // Relative to the first process, as all other times of a report.
  const std::uint64_t start = report.processes.front().row->start_monotonic_ns;
  const std::uint64_t last = reading.row->last_ns;
  return std::string(failed ? "; up to the last successful reading, "
                            : "; up to the last reading, ") +
         Duration(Seconds(last > start ? last - start : 0)) + " after the start";
}

/// Doubts about a counter, as words to follow its value.
std::string Flags(const DeviceCounter& row) {
  const std::uint32_t flags = row.flags;
  std::string text;
  if ((flags & spool::kCounterIsLowerBound) != 0) {
    text += "; a lower bound: the counter may have wrapped between two reads";
  }
  if ((flags & spool::kCounterFailed) != 0) {
    // Older files do not have the number.
    const std::uint64_t failed = row.failed_readings;
    text += failed == 0   ? "; some readings failed"
            : failed == 1 ? "; 1 reading failed"
                          : "; " + std::to_string(failed) + " readings failed";
  }
  return text;
}

/// The line of one counter. `hosts`: several machines were measured, so each line names its own.
std::string LineOf(const Report& report, const DeviceReading& reading, bool hosts) {
  const DeviceCounter& row = *reading.row;
  std::string line = Printable(row.name) + "  ";
  if (row.readings == 0) {
    return line + "could not be read" + (hosts ? ", " + Printable(row.host) : "");
  }
  // A counter that accumulates needs two readings for a difference.
  if (row.readings < 2 || row.covered_ns == 0) {
    line += (row.flags & spool::kCounterAccumulates) != 0
                ? "read once: the increase is not known"
                : Value(reading.value, reading.units) + ", read once";
  } else if (reading.is_energy) {
    line += Joules(reading.value) + ", " + FixedText(reading.average, 2) + " W over " +
            Duration(reading.seconds) + ", whole machine (all programs)";
  } else if ((row.flags & spool::kCounterAccumulates) != 0) {
    line += Value(reading.value, reading.units) + " in " + Duration(reading.seconds) +
            ", whole machine (all programs)";
  } else {
    line += Value(reading.value, reading.units) + " at the end; " +
            Value(row.minimum * reading.scale, reading.units) + " to " +
            Value(row.maximum * reading.scale, reading.units) + ", average " +
            Value(reading.average, reading.units);
  }
  if (hosts) line += ", " + Printable(row.host);
  return line + Flags(row) + Until(report, reading);
}

}  // namespace

std::vector<std::string> EnergyHeaderLines(const Report& report) {
  std::vector<std::string> lines;
  bool hosts = false;
  // The name of the host is repeated in each line only if there are several.
  for (const DeviceCounter& row : report.profile.device_counters) {
    hosts = hosts || row.host != report.profile.device_counters[0].host;
  }
  for (const DeviceReading& reading : DeviceReadings(report.profile)) {
    lines.push_back(LineOf(report, reading, hosts));
  }
  return lines;
}

std::string EnergyVerdict(const Report& report) {
  if (!report.energy) return "";
  const EnergyShares& energy = *report.energy;
  // The whole assumption is said in each report with the column: the number looks like a
  // measurement.
  std::string text = "~J is an estimate by CPU time, not a measurement: ";
  if (energy.share_is_known) {
    text += Joules(energy.joules) + " of the machine x " + Percent(energy.program_share) +
            " (the program's part of all CPU time) x the function's share";
  } else {
    text += Joules(energy.joules) +
            " of the machine x the function's share: the part of other programs is not known, so "
            "this is an upper bound";
  }
  if (energy.measured_part < 1) {
    text += "; the joules are those of " + Percent(energy.measured_part) +
            " of the program's CPU time, in which the counters were read: at the same power the "
            "whole run used " +
            Joules(energy.joules / std::max(energy.measured_part, 1e-6));
  }
  return text +
         "; the estimate assumes that every second of CPU time uses the same energy, and "
         "attributes idle power to the programs that ran";
}

}  // namespace csink::report
