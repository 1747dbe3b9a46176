#pragma once

#include <string>

#include "profil/format/format.h"
#include "profil/reading/model/profile.h"
#include "symbolizer/names/resolve/resolver.h"
#include "symbolizer/report/verdict/verdict.h"
#include "symbolizer/report/wording/modifiers.h"

/// File: one word for each value of the enumerations in reports. The words are those of the JSON
/// format (docs/report.schema.json) and are part of it; other formats use them too. Invalid values,
/// as in a damaged spool, also have a word: "unknown", "other" or "".

namespace csink::report {

/// The results are literals and are never null.
const char* WordFor(ProcessState state);
/// Before a process in tables: "[killed] ", "[running] ", "[end unknown] "; "" where nothing of it
/// is missing.
const char* StateMark(ProcessState state);
/// How far a report can be trusted.
const char* WordFor(Grade grade);
/// How a name was found.
const char* WordFor(symbolizer::NameSource source);
/// What an event counts.
const char* WordFor(EventClass kind);
/// How far samples may be from their cause.
const char* WordFor(spool::Skid skid);

}  // namespace csink::report
