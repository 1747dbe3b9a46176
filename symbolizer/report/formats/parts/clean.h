#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// File: makes names harmless for files of other programs.

namespace csink::report {

/// A name that is safe in a line of another program's format: bytes that are not UTF-8 become
/// U+FFFD; control characters and the characters in `reserved` become `instead`. Names longer than
/// kMostNameBytes are cut and end in "...". Names come from files and may contain anything.
/// Longest name in bytes, before the "...".
inline constexpr std::size_t kMostNameBytes = 65536;
std::string CleanName(std::string_view name, std::string_view reserved = {}, char instead = '_');

/// The same for fields of tables, which databases read: line feeds, carriage returns and tabs are
/// kept, other control characters (also NUL) become U+FFFD. So a name arrives unchanged, or marked.
std::string CleanField(std::string_view name);

/// The same for text that people read in a page or picture: C1 control characters, the characters
/// that change the direction of writing (Unicode's bidirectional formatting characters) and U+FFFE
/// and U+FFFF, which XML forbids, become U+FFFD, too. A name could otherwise show other text than
/// it has.
std::string CleanForPage(std::string_view name);

/// Whether CleanName keeps a name as it is because it is short and printable ASCII, as nearly all
/// are. False says nothing.
bool IsPlainName(std::string_view name);

}  // namespace csink::report
