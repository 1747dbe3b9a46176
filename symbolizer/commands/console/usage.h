#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

/// File: the usage lines of --help.

namespace csink::tool {

/// The usage line of a command. CLI11's own does not show the arguments behind "--". `arguments`
/// follows "[OPTIONS]" and begins with a blank.
class Usage : public CLI::Formatter {
 public:
  /// Takes what follows "[OPTIONS]".
  explicit Usage(std::string arguments) : arguments_(std::move(arguments)) {}
  /// Called by CLI11 for --help. `name` is the program and the command.
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "Usage: " + name + " [OPTIONS]" + arguments_ + "\n";
  }

 private:
  std::string arguments_;
};

}  // namespace csink::tool
