#pragma once

#include <string>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/text/table.h"

/// File: how far a sample's address may be from the instruction that caused it (skid), in words.
/// docs/sampling.md explains skid for users.

namespace csink::report {

/// The name of the processor's mechanism for precise samples, such as "PEBS"; "" if there is none.
const char* WordFor(spool::PreciseBy by);

/// The text behind the rate in an event's line: ", exact (PEBS, precise_ip 3)", or ", with skid
/// (precise_ip 1 was refused: Operation not supported)"; empty for a clock timer. `said`: without
/// the part in parentheses, because the line of an event before has the same.
std::string PrecisionNote(const EventTotals& event, bool said = false);

/// A sentence such as "clock: mostly the instruction behind the one that took the time".
std::string PrecisionText(const EventTotals& event);

/// The sentences of all events for which the precision is known, wrapped, the first one behind
/// `label`. Events with the same sentence are listed together. "" if nothing is known.
std::string WritePrecision(const Profile& profile, const TextStyle& style, const char* label);

/// A warning about single instructions and lines if any event has skid, a clock included; else
/// empty.
std::string SkidNote(const Profile& profile);

}  // namespace csink::report
