#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace csink::tool {

/// "; did you mean --top?" with the valid word nearest to `word`; empty if none is near.
std::string Nearest(const CLI::App& app, const std::string& word);

/// Prints one line on stderr: the mistake and what to type instead. Returns the exit code.
int ExplainMisuse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace csink::tool
