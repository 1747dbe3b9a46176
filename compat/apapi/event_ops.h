#pragma once

#include <string>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/text_file.h"

namespace csink::apapi {

/// A list of operations as clients in C see it: it ends with an entry whose event_name is NULL. The
/// strings lie in the text that it was parsed from.
struct OpsList {
  MallocPtr<apapi_event_ops[]> entries;
  int count = 0;
};

/// Takes a text of operations apart, in place. Eleven fields a line, all of them needed:
///   name, op, statistics0, statistics1, max, type0, unit0, factor0, type1, unit1, factor1
/// Empty lines and lines that begin with '#' are skipped; nothing is trimmed. A carriage return
/// behind the last number is part of the line's end. Numbers as strtoll (base 0) and strtod of the
/// C locale read them, to their last character. False: `why` names source, line, field and text.
/// data_type is PAPI_DATATYPE_INT64 everywhere; FindDataTypes asks for the right ones.
bool ParseEventOps(char* text, char delimiter, const char* source, OpsList& ops, std::string& why);

/// data_type of each entry as PAPI knows the event; initialises PAPI where nobody did. Events that
/// PAPI does not know stay INT64, and are named on stderr. Names with a '*' are left for later.
void FindDataTypes(OpsList& ops);

/// The entry for an event by any of its names (the NULL-terminated array `names`): the first line
/// with exactly that name, else the first whose '*' fits. nullptr: none.
const apapi_event_ops* FindOps(const apapi_event_ops* list, const char* const* names) noexcept;

/// Whether `text` fits `pattern`, in which '*' stands for any text.
bool Fits(const char* pattern, const char* text) noexcept;

}  // namespace csink::apapi
