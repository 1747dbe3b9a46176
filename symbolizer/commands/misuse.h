#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace csink::tool {

/// "; did you mean --top?" for the nearest word that is valid where `word` stood, or nothing.
std::string Nearest(const CLI::App& app, const std::string& word);

/// Says in one line on stderr what was wrong and what to type. Returns the exit code.
int ExplainMisuse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace csink::tool
