#pragma once

#include <string>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/text_file.h"

namespace csink::apapi {

/// A list of event operations in the form that APAPI returns: its last entry has the event_name
/// NULL. The strings are not owned; they point into the text that was parsed.
struct OpsList {
  MallocPtr<apapi_event_ops[]> entries;
  int count = 0;  ///< Without the last entry
};

/// Parses event operations, in place: separators in `text` are replaced by NUL. Each line has
/// eleven fields, none of them empty:
///   name, op, statistics0, statistics1, max, type0, unit0, factor0, type1, unit1, factor1
/// Empty lines and lines that begin with '#' are skipped. Blanks are not removed. A carriage return
/// at the end of a line is removed. Numbers must be complete: strtoll with base 0, strtod in the C
/// locale.
/// False: `why` names source, line, field and its text; `ops` is unchanged.
/// data_type is PAPI_DATATYPE_INT64 in every entry; FindDataTypes sets the real ones.
bool ParseEventOps(char* text, char delimiter, const char* source, OpsList& ops, std::string& why);

/// Sets data_type of each entry to PAPI's type of the event. Initialises PAPI if that was not done.
/// Events that PAPI does not know keep INT64 and are named on stderr. Names that contain '*' are
/// not looked up.
void FindDataTypes(OpsList& ops);

/// The entry for an event that has the given names (a NULL-terminated array): the first entry with
/// exactly one of the names, otherwise the first whose pattern matches one of them. nullptr: none.
const apapi_event_ops* FindOps(const apapi_event_ops* list, const char* const* names) noexcept;

/// Whether `text` matches `pattern`, in which '*' stands for any text, also an empty one.
bool Fits(const char* pattern, const char* text) noexcept;

// The parsing of one line (event_ops_fields.cpp), for ParseEventOps.

/// Converts the eleven fields of a line, none of them empty, into `ops`. Returns "" or a sentence
/// about the first bad field; errno is unchanged on success. The strings of `ops` point at the
/// fields.
std::string ParseFields(char* const* fields, apapi_event_ops& ops);

/// A sentence such as "field 5 (largest raw value): 'abc' is not a number". `field` counts from 0,
/// the text from 1.
std::string FieldComplaint(int field, const char* text, const char* what);

}  // namespace csink::apapi
