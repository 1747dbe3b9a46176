#pragma once

#include <string>

#include "compat/apapi/include/apapi.h"

namespace csink::apapi {

/// Converts the eleven fields of a line, none of them empty, into `ops`. Returns "" or a sentence
/// about the first bad field; errno is unchanged on success. The strings of `ops` point at the
/// fields.
std::string ParseFields(char* const* fields, apapi_event_ops& ops);

/// A sentence such as "field 5 (largest raw value): 'abc' is not a number". `field` counts from 0,
/// the text from 1.
std::string FieldComplaint(int field, const char* text, const char* what);

}  // namespace csink::apapi
