#pragma once

#include <optional>
#include <vector>

#include "compat/utils/tool.h"

namespace csink::utils {

/// Ids of the options that every tool has: below kFirstWordOption; no letter of a tool's own
/// option. Ids below ' ' have no letter on the command line.
enum CommonOption : int { kHelpOption = 'h', kJsonOption = 1, kManOption = 2, kVersionOption = 3 };

/// The options of every tool (--help, --json, --man, --version); help lists them after the tool's
/// own.
std::span<const Option> CommonOptions() noexcept;

/// The options and operands of the command line, in their order. All texts point into argv, or into
/// static memory where an option was respelled.
class Arguments {
 public:
  struct Given {
    int id;
    const char* value;  ///< nullptr: the option has no argument
  };

  /// Whether option `id` was given at least once.
  bool Has(int id) const noexcept;
  /// The argument of the last option `id`; `fallback` if it was not given. Never nullptr for an
  /// option with an argument that was given.
  const char* Value(int id, const char* fallback = nullptr) const noexcept;
  const std::vector<Given>& given() const noexcept { return given_; }
  const std::vector<const char*>& operands() const noexcept { return operands_; }
  bool json() const noexcept { return Has(kJsonOption); }

 private:
  friend std::optional<Arguments> ReadArguments(const Tool& tool, int argc, char** argv);
  std::vector<Given> given_;
  std::vector<const char*> operands_;
};

/// Parses the command line with getopt_long: letters may be combined, words abbreviated, options
/// may follow operands. nullopt: wrong use, reported on stderr. May rewrite argv; the results point
/// into it. Operands are wrong use for a tool without `operands`. Call once in a process: getopt
/// keeps its state.
std::optional<Arguments> ReadArguments(const Tool& tool, int argc, char** argv);

/// Checks the operands of a tool that accepts only TESTS_QUIET, the word that PAPI's test scripts
/// pass to every program. False, with a message: another operand.
bool TakesNothingElse(const Tool& tool, const Arguments& arguments);

/// Parses an option's argument as a whole decimal number from `least` to `most`. Returns false,
/// with a message, if it is not one or has anything behind it; `number` is then unchanged. `what`
/// names the argument in the message.
bool ReadNumber(const Tool& tool, const char* what, const char* text, long long least,
                long long most, long long& number);

}  // namespace csink::utils
