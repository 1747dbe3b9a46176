#pragma once

#include <optional>
#include <vector>

#include "compat/utils/tool.h"

namespace csink::utils {

/// Ids of the options that every tool has; below kFirstWordOption, and no letters.
enum CommonOption : int { kHelpOption = 'h', kJsonOption = 1, kManOption = 2 };

/// The options of every tool, behind its own.
std::span<const Option> CommonOptions() noexcept;

/// What the command line says, in its order.
class Arguments {
 public:
  struct Given {
    int id;
    const char* value;  ///< nullptr: the option takes none
  };

  bool Has(int id) const noexcept;
  /// The argument of the last option `id`, else `fallback`.
  const char* Value(int id, const char* fallback = nullptr) const noexcept;
  const std::vector<Given>& given() const noexcept { return given_; }
  const std::vector<const char*>& operands() const noexcept { return operands_; }
  bool json() const noexcept { return Has(kJsonOption); }

 private:
  friend std::optional<Arguments> ReadArguments(const Tool& tool, int argc, char** argv);
  std::vector<Given> given_;
  std::vector<const char*> operands_;
};

/// Reads by getopt_long: letters may be bundled, words shortened, options stand anywhere. Wrong use
/// is said on stderr, and nothing is given back. May rewrite argv.
std::optional<Arguments> ReadArguments(const Tool& tool, int argc, char** argv);

}  // namespace csink::utils
