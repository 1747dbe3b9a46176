#pragma once

#include <cstddef>
#include <string>

#include "symbolizer/report/wording/display_width.h"

/// File: names made fit for a column. Widths are those of display_width.h.

namespace csink::report {

/// Control characters and bytes that are not UTF-8 become '?': names come from
/// files and could otherwise steer the terminal.
std::string Printable(const std::string& text);

/// Printable, with line ends and tabs as blanks: arguments of a shell command.
std::string OneLine(const std::string& text);

/// A function's name in at most `width` columns. Template arguments and
/// parameter lists give way first, innermost first ("std::vector<...>::push_back"),
/// then the middle, so that scope and function stay readable.
std::string ShortenFunction(const std::string& name, std::size_t width);

/// What stands behind the last '/'.
std::string BaseName(const std::string& path);

/// A command with the folder of its program left out: the arguments tell more.
std::string WithBaseName(const std::string& command);

/// Keeps the end: "...ncoder_optimum_normal.c:806".
std::string KeepTail(const std::string& text, std::size_t width);

/// Keeps the beginning: "libsomething-ve...".
std::string KeepHead(const std::string& text, std::size_t width);

}  // namespace csink::report
