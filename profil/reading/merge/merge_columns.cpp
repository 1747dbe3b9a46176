#include "profil/reading/merge/merge_columns.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"

/// File: one column has the sum of many processes, which may have been sampled in different ways.
/// Where a number cannot be added (period, skid, precision), the column shows the worst one, so
/// that the report promises no more than holds for all samples.

namespace csink {

void AddCounts(std::vector<EventCount>& counts, const ColumnMap& columns,
               std::span<const spool::Count> more) {
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (columns[i] == kNoColumn || more[i].samples == 0) continue;
    AddCount(counts, columns[i], {more[i].samples, more[i].weight});
  }
}

std::size_t ColumnTable::IndexOf(const spool::EventColumn& event) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    // A column is either in period or in frequency mode.
    if (rows_[i].name == event.name && (rows_[i].frequency_hz != 0) == (event.frequency_hz != 0)) {
      return i;
    }
  }
  // Every count vector of the profile has an element for each column.
  if (rows_.size() == kMaxColumns) return kNoColumn;
  rows_.push_back({.name = event.name,
                   .kind = event.kind,
                   .skid = event.skid,
                   .period = event.period,
                   .frequency_hz = event.frequency_hz,
                   .precise_ip = event.precise_ip,
                   .precise_asked = event.precise_asked,
                   .precise_errno = event.precise_errno,
                   .precise_by = event.precise_by});
  return rows_.size() - 1;
}

ColumnMap ColumnTable::Add(const spool::Header& header, bool one_mark) {
  // The numbering of this spool's events; another spool may have them in another order.
  ColumnMap columns;
  columns.reserve(header.event_count);
  for (std::uint32_t i = 0; i < header.event_count; ++i) {
    const spool::EventColumn& event = header.events[i];
    const std::size_t column = IndexOf(event);
    columns.push_back(column);
    if (column == kNoColumn) continue;
    EventTotals& totals = rows_[column];
    // Set by csink merge, whose spools had different periods.
    if (event.mixed_periods != 0) totals.mixed_periods = true;
    // The smallest period stands for the column; mixed_periods tells the report.
    if (totals.period != event.period || totals.frequency_hz != event.frequency_hz) {
      totals.mixed_periods = true;
      totals.period = std::min(totals.period, event.period);
    }
    // The largest number stands for the column.
    if (totals.skid != event.skid) totals.skid = std::max(totals.skid, event.skid);
    if (event.precise_ip < totals.precise_ip) {  // The least precise process determines the column
      totals.precise_ip = event.precise_ip;
      totals.precise_asked = event.precise_asked;
      totals.precise_errno = event.precise_errno;
      totals.precise_by = event.precise_by;
    }
    // Effective sample numbers need the squares of the samples that are in the report. With
    // only_phase the merger adds the squares of the samples that are kept.
    if (!one_mark) totals.weight_squared += event.weight_squared;
    AddTo(totals.lost_records, event.lost_records);
    AddTo(totals.throttled, event.throttled);
    AddTo(totals.enabled_ns, event.enabled_ns);
    AddTo(totals.running_ns, event.running_ns);
    AddTo(totals.unplaced, event.unplaced);
    if (one_mark) continue;  // The rest covers the whole run, not one mark
    AddTo(totals.due_ns, event.due_ns);
    AddTo(totals.throttled_ns, event.throttled_ns);
    AddTo(totals.unsampled, event.unsampled);
    // The lowest limit is the one that a new run must keep on all machines.
    if (event.rate_limit_hz != 0 &&
        (totals.rate_limit_hz == 0 || event.rate_limit_hz < totals.rate_limit_hz)) {
      totals.rate_limit_hz = event.rate_limit_hz;
    }
  }
  return columns;
}

}  // namespace csink
