#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// File: explains mistakes on the command line.

namespace csink::tool {

/// "; did you mean --top?" with the valid word nearest to `word`. Empty if none is near: at most
/// three edits, and at most half of the word. Words behind '=' are ignored. Valid are the options
/// of the command that was given, else the names of the commands.
std::string Nearest(const CLI::App& app, const std::string& word);

/// Prints one line on stderr: the mistake and what to type instead. Returns the exit status,
/// kExitUsage.
int ExplainMisuse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace csink::tool
