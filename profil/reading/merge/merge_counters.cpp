#include "profil/reading/merge/merge_counters.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "profil/reading/model/saturating.h"

/// File: readings of one counter by several processes. The rows are sorted by their begin, and each
/// adds only what lies behind the end of the sum so far.

namespace csink {
namespace {

/// Whether two rows are readings of the same counter of the same machine (boot id).
bool IsSame(const DeviceCounter& a, const DeviceCounter& b) {
  return a.machine == b.machine && a.host == b.host && a.name == b.name && a.units == b.units;
}

/// A share of a number.
std::uint64_t Part(std::uint64_t number, double part) {
  return static_cast<std::uint64_t>(static_cast<double>(number) * part);
}

/// Adds the part of `more` that lies after the end of `sum`, which began earlier.
void AddLater(DeviceCounter& sum, const DeviceCounter& more) {
  if (sum.readings == 0) {  // All its readings failed
    const std::uint32_t flags = sum.flags;
    const std::uint64_t failed = sum.failed_readings;
    sum = more;
    sum.flags |= flags;
    AddTo(sum.failed_readings, failed);
    return;
  }
  AddTo(sum.failed_readings, more.failed_readings);
  // A failure or a lower bound of one part holds for the sum. kCounterAccumulates is a property of
  // the counter.
  sum.flags |= more.flags & ~spool::kCounterAccumulates;
  if (more.readings == 0) return;
  // Extremes hold for any overlap: a reading of either process was really made.
  if ((sum.flags & spool::kCounterAccumulates) == 0) {
    sum.minimum = std::min(sum.minimum, more.minimum);
    sum.maximum = std::max(sum.maximum, more.maximum);
  }
  if (more.last_ns <= sum.last_ns) return;  // Entirely covered by `sum`
  const double own = static_cast<double>(more.last_ns - more.first_ns);
  const std::uint64_t begin = std::max(sum.last_ns, more.first_ns);
  // The growth between the readings is not known, so the part behind `begin` is estimated in
  // proportion to time.
  const double part = own > 0 ? static_cast<double>(more.last_ns - begin) / own : 1;
  if ((sum.flags & spool::kCounterAccumulates) != 0) {
    sum.value += more.value * part;
  } else {
    // A momentary value: the last reading is the latest.
    sum.value = more.value;
  }
  sum.time_sum += more.time_sum * part;
  AddTo(sum.covered_ns, Part(more.covered_ns, part));
  AddTo(sum.machine_busy_ns, Part(more.machine_busy_ns, part));
  AddTo(sum.readings, more.readings);
  sum.last_ns = more.last_ns;
}

}  // namespace

void DeviceCounterTable::Add(const spool::Spool& spool) {
  for (const spool::DeviceCounter& counter : spool.device_counters) {
    const spool::DeviceCounterRecord& record = counter.record;
    // A failed counter is kept: the report says that the numbers are missing.
    // No reading was attempted: the program ended before the first one.
    if (record.readings == 0 && (record.flags & spool::kCounterFailed) == 0) continue;
    // A spool of a process has no host in its counters; a merged file has, because its counters may
    // come from several machines.
    DeviceCounter row;
    row.name = counter.name;
    row.units = record.units;
    row.host = counter.host.empty() ? std::string(spool.header.host) : std::string(counter.host);
    row.machine = record.machine;
    row.value_type = record.value_type;
    row.flags = record.flags;
    row.first_ns = record.first_ns;
    row.last_ns = record.last_ns;
    row.covered_ns = record.covered_ns;
    row.machine_busy_ns = record.machine_busy_ns;
    row.readings = record.readings;
    row.failed_readings = record.failed_readings;
    row.value = record.value;
    row.minimum = record.minimum;
    row.maximum = record.maximum;
    row.time_sum = record.time_sum;
    rows_.push_back(std::move(row));
  }
}

std::vector<DeviceCounter> DeviceCounterTable::Finish() {
  std::vector<DeviceCounter> sums;
  // By the first reading, and of equal ones the longest first: AddLater requires that the sum began
  // earlier, and adds nothing for rows that the sum covers.
  std::stable_sort(rows_.begin(), rows_.end(), [](const DeviceCounter& a, const DeviceCounter& b) {
    return std::tie(a.first_ns, b.last_ns) < std::tie(b.first_ns, a.last_ns);
  });
  for (DeviceCounter& row : rows_) {
    // A machine has few counters, so a search is enough.
    const auto known = std::find_if(sums.begin(), sums.end(),
                                    [&](const DeviceCounter& sum) { return IsSame(sum, row); });
    if (known != sums.end()) {
      AddLater(*known, row);
    } else {
      sums.push_back(std::move(row));
    }
  }
  rows_.clear();
  return sums;
}

}  // namespace csink
