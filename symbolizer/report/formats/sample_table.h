#pragma once

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/table_row.h"
#include "symbolizer/report/tables/report.h"

/// File: the samples of a report as one tidy table, for databases that read many profiles.
/// docs/tables.md describes the columns.

namespace csink::report {

/// Names of the columns, in their order.
inline constexpr const char* kSampleColumns[] = {
    // The run; the same in all rows of a profile.
    "profile", "label", "command", "wall_seconds", "cpu_seconds", "verdict", "phase",
    // The process image.
    "host", "pid", "generation", "processes", "rank", "program", "start_time",
    // The thread.
    "tid", "thread", "merged",
    // The function, and the line in it.
    "function", "module", "module_path", "build_id", "name_source", "file", "line",
    // The event, and what was measured.
    "event", "unit", "samples", "weight", "weight_low", "weight_high", "share", "share_low",
    "share_high",
    // The event in the whole profile: what is needed to compute the error of a sum of rows.
    "event_samples", "event_weight", "effective_samples", "missing"};

/// Writes a row for each process, thread, function, line and event that has samples. Every sample
/// is in exactly one row, so the rows of an event add up to its total. Rows are sorted by process
/// and thread, then by the function's order in the report, then by line, and are passed on as they
/// are made: besides the report this needs about 12 bytes for each place and function. Requires a
/// report with addresses; without threads (MergeOptions::keep_threads) the columns of the thread
/// are unknown.
void WriteSampleTable(const Report& report, const FormatOptions& options, RowForm form, Sink& sink);

}  // namespace csink::report
