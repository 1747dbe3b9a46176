#pragma once

#include <string>

#include "profil/model/profile.h"
#include "symbolizer/report/text/table.h"

/// File: how far a sample may have slipped from the instruction that caused it, in words.

namespace csink::report {

/// "PEBS" and its like; "" where nothing makes samples precise.
const char* WordFor(spool::PreciseBy by);

/// Behind the rate in the line of an event: ", exact (PEBS, precise_ip 3)", ", with skid
/// (precise_ip 1 was refused: Operation not supported)"; empty for a clock. `said`: without the
/// brackets, for the line of an event before has the same.
std::string PrecisionNote(const EventTotals& event, bool said = false);

/// A whole sentence: "clock: mostly the instruction behind the one that took the time".
std::string PrecisionText(const EventTotals& event);

/// The sentence of each event of which it is known, events of one sentence together, after `label`.
std::string WritePrecision(const Profile& profile, const TextStyle& style, const char* label);

/// What to think of single instructions and lines when an event slips; empty when none does.
std::string SkidNote(const Profile& profile);

}  // namespace csink::report
