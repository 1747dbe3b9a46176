#pragma once

#include <string>

#include "profil/model/profile.h"
#include "profil/spool/format.h"
#include "symbolizer/report/verdict/verdict.h"
#include "symbolizer/resolve/resolver.h"

/// File: one word for each value of the enumerations in reports. The words are those of the JSON
/// format (docs/json.md); other formats use them too. Invalid values, as in a damaged spool, also
/// have a word.

namespace csink::report {

const char* WordFor(ProcessState state);
const char* WordFor(Grade grade);
const char* WordFor(symbolizer::NameSource source);
const char* WordFor(EventClass kind);
const char* WordFor(spool::Skid skid);

/// The part behind the last ':' of an event's name if it is a list of privilege modifiers, else
/// empty: "task-clock:uk" -> "uk", "skx::INST_RETIRED:ANY_P" -> "".
std::string PrivilegeModifiers(const std::string& name);

}  // namespace csink::report
