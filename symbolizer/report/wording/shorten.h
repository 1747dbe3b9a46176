#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "symbolizer/report/wording/display_width.h"

/// File: shortens names for columns. Widths are terminal columns (display_width.h). No function
/// cuts a character or a combining mark off in the middle. Parts that are left out are replaced by
/// "...", except in widths up to three columns.

namespace csink::report {

/// Replaces control characters, characters that change the direction of text, and bytes that are
/// not UTF-8 by '?': names come from files, and control sequences could change the state of the
/// terminal. Newlines are replaced, too.
std::string Printable(const std::string& text);

/// Printable, with newlines, carriage returns and tabs as blanks. For the arguments of a shell
/// command.
std::string OneLine(const std::string& text);

/// Shortens a function's name to at most `width` columns. Template arguments and parameter lists
/// are removed first, innermost first ("std::vector<...>::push_back"), then the whole parameter
/// list, then the middle, so that scope and function stay readable. C++ and Rust names are known.
std::string ShortenFunction(const std::string& name, std::size_t width);

/// Shortens names for one table as ShortenFunction does, each to its width. Names that differ stay
/// different: where the same text would stand for several, it has its begin and the place where
/// they differ ("run<...{lambda()#2}>"), and a number where the width is too small for that.
/// `widths` has one element for each name.
std::vector<std::string> ShortenFunctions(const std::vector<std::string>& names,
                                          const std::vector<std::size_t>& widths);

/// The part behind the last '/'. The whole text if there is none.
std::string BaseName(const std::string& path);

/// A command line without the folder of its program: the arguments are more informative.
std::string WithBaseName(const std::string& command);

/// Cuts the beginning, for file names with lines: "...ncoder_optimum_normal.c:806".
std::string KeepTail(const std::string& text, std::size_t width);

/// Cuts the end, for names of modules: "libsomething-ve...".
std::string KeepHead(const std::string& text, std::size_t width);

}  // namespace csink::report
