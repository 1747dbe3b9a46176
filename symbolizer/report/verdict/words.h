#pragma once

#include <string>

#include "profil/model/profile.h"
#include "profil/spool/format.h"
#include "symbolizer/report/verdict/verdict.h"
#include "symbolizer/resolve/resolver.h"

/// File: one word for each value of the enumerations that reports show: the words of the JSON
/// format (docs/json.md), which other formats use too. Values that no writer knows, as a damaged
/// spool may hold, have a word as well.

namespace csink::report {

const char* WordFor(ProcessState state);
const char* WordFor(Grade grade);
const char* WordFor(symbolizer::NameSource source);
const char* WordFor(spool::EventKind kind);
const char* WordFor(spool::Skid skid);

/// What follows the last ':' of an event's name when it is a list of privilege modifiers, else
/// nothing: "task-clock:uk" -> "uk", "skx::INST_RETIRED:ANY_P" -> "".
std::string PrivilegeModifiers(const std::string& name);

}  // namespace csink::report
