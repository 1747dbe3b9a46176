#pragma once

#include <string>

#include "compat/apapi/include/apapi.h"

namespace csink::apapi {

/// The eleven fields of a line of operations, none of them empty. What is wrong with the first bad
/// one; "" when nothing is. The strings of `ops` are the fields' own.
std::string ParseFields(char* const* fields, apapi_event_ops& ops);

/// "field 5 (largest raw value): 'abc' is not a number", counted from 1 for people.
std::string FieldComplaint(int field, const char* text, const char* what);

}  // namespace csink::apapi
