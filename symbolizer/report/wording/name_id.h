#pragma once

#include <string>
#include <string_view>

namespace csink::report {

/// The id of a name (a function's or a lock's) for commands: 'n' and seven hexadecimal digits, the
/// first 28 bits of the name's FNV-1a hash (64 bits, of the bytes as they are). A name has the same
/// id in every profile; two names may have one. "" for an empty name. Threads: any.
std::string NameId(std::string_view name);

/// Whether a text has the form of an id. It may still be a name. Threads: any.
bool IsNameId(std::string_view text);

}  // namespace csink::report
