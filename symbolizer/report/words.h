#pragma once

#include "profil/model/profile.h"
#include "profil/spool/format.h"
#include "symbolizer/report/verdict.h"
#include "symbolizer/resolver.h"

/// File: one word for each value of the enumerations that reports show: the words of the JSON
/// format (docs/json.md), which other formats use too. Values that no writer knows, as a damaged
/// spool may hold, have a word as well.

namespace csink::report {

const char* WordFor(ProcessState state);
const char* WordFor(Grade grade);
const char* WordFor(symbolizer::NameSource source);
const char* WordFor(spool::EventKind kind);
const char* WordFor(spool::Skid skid);

}  // namespace csink::report
