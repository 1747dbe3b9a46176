#include "compat/utils/options.h"

#include <getopt.h>

#include <charconv>
#include <cstring>
#include <string>

#include "compat/utils/message.h"

/// File: the command line. The table of a tool becomes the tables of getopt_long(3), which permutes
/// operands, accepts abbreviated words and prints what is wrong.

namespace csink::utils {
namespace {

constexpr Option kCommon[] = {
    {kHelpOption, "help", nullptr, "Show this help."},
    {kJsonOption, "json", nullptr, "Print one JSON object instead of text."},
    {kManOption, "man", nullptr, "Print the manual page's source, for man -l -."},
    {kVersionOption, "version", nullptr, "Show the version of this tool."},
};

/// The option table in the form of getopt_long.
class Table {
 public:
  explicit Table(const Tool& tool) {
    for (const OptionGroup& group : tool.groups) AddAll(group.options);
    AddAll(CommonOptions());
    words_.push_back({nullptr, 0, nullptr, 0});
  }

  // The tables of getopt_long: letters with ':' for an argument, words ended by zeros.
  const char* letters() const noexcept { return letters_.c_str(); }
  const option* words() const noexcept { return words_.data(); }

  /// Replaces "-sde" by "--sde" for options that PAPI's tools accept with one dash. `kept` holds
  /// the new text.
  void Respell(char*& argument, std::vector<std::string>& kept) const {
    // A lone "-" is an operand.
    if (argument[0] != '-' || argument[1] == '-' || argument[1] == '\0') return;
    for (const Option* option : options_) {
      if (!option->one_dash || std::strcmp(option->word, argument + 1) != 0) continue;
      argument = kept.emplace_back(std::string("-") + argument).data();
      return;
    }
  }

 private:
  void AddAll(std::span<const Option> options) {
    for (const Option& option : options) {
      options_.push_back(&option);
      const int takes = option.argument ? required_argument : no_argument;
      if (option.word) words_.push_back({option.word, takes, nullptr, option.id});
      // Ids below ' ' are those of --json, --man and --version, which have no letter.
      if (!option.HasLetter() || option.id < ' ') continue;
      letters_ += static_cast<char>(option.id);
      if (option.argument) letters_ += ':';
    }
  }

  std::vector<const Option*> options_;
  std::vector<option> words_;
  std::string letters_;
};

}  // namespace

std::span<const Option> CommonOptions() noexcept { return kCommon; }

bool Arguments::Has(int id) const noexcept {
  for (const Given& given : given_) {
    if (given.id == id) return true;
  }
  return false;
}

const char* Arguments::Value(int id, const char* fallback) const noexcept {
  // The last one given counts.
  const char* value = fallback;
  for (const Given& given : given_) {
    if (given.id == id) value = given.value;
  }
  return value;
}

std::optional<Arguments> ReadArguments(const Tool& tool, int argc, char** argv) {
  // Made from the same rows as the help (Tool), so that both always agree.
  const Table table(tool);
  static std::vector<std::string> respelled;  // argv, and so the results, point into it
  // No element may move afterwards: argv points into the texts.
  respelled.reserve(static_cast<std::size_t>(argc));
  for (int i = 1; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    table.Respell(argv[i], respelled);
  }
  // getopt prints argv[0], which may be a path; messages of the tool have its name.
  static std::string own_name;
  own_name = tool.name;
  if (argc > 0) argv[0] = own_name.data();  // getopt prefixes its messages with it
  Arguments arguments;
  for (;;) {
    const int id = getopt_long(argc, argv, table.letters(), table.words(), nullptr);
    if (id == -1) break;
    if (id == '?') return Misuse(tool), std::nullopt;  // getopt has printed what is wrong
    arguments.given_.push_back({id, optarg});
  }
  arguments.operands_.assign(argv + optind, argv + argc);
  // --help, --man and --version answer whatever else is on the command line.
  const bool asks_only =
      arguments.Has(kHelpOption) || arguments.Has(kManOption) || arguments.Has(kVersionOption);
  if (!*tool.operands && !arguments.operands_.empty() && !asks_only) {
    Say(tool, std::string("unexpected argument '") + arguments.operands_[0] + "'");
    return Misuse(tool), std::nullopt;
  }
  return arguments;
}

bool TakesNothingElse(const Tool& tool, const Arguments& arguments) {
  for (const char* const word : arguments.operands()) {
    if (std::strcmp(word, "TESTS_QUIET") == 0) continue;
    Say(tool, std::string("unexpected argument '") + word + "'");
    return Misuse(tool), false;
  }
  return true;
}

bool ReadNumber(const Tool& tool, const char* what, const char* text, long long least,
                long long most, long long& number) {
  const char* end = text + std::strlen(text);
  long long value = 0;
  // from_chars: no blanks, no plus sign, no locale.
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error == std::errc() && stopped == end && value >= least && value <= most) {
    number = value;
    return true;
  }
  Say(tool, std::string(what) + " must be a number from " + std::to_string(least) + " to " +
                std::to_string(most) + ", not '" + text + "'");
  return false;
}

}  // namespace csink::utils
