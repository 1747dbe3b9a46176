#include "symbolizer/commands/misuse.h"

#include <vector>

#include "core/util/parse.h"
#include "symbolizer/commands/commands.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"

namespace csink::tool {
namespace {

/// All long options and subcommands that are valid at the position of the wrong word: those of the
/// command that was given, else the commands themselves. Hidden options have an empty group.
std::vector<std::string> Candidates(const CLI::App& app) {
  std::vector<std::string> names;
  const auto add = [&](const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  };
  bool chosen = false;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->parsed()) continue;
    add(*command);
    chosen = true;
  }
  if (chosen) return names;
  add(app);
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

}  // namespace

std::string Nearest(const CLI::App& app, const std::string& word) {
  // More edits are another word, not a misspelling.
  constexpr unsigned kMostEdits = 3;
  unsigned least = kMostEdits + 1;
  std::string nearest;
  // "--tpo=5" is compared without its value.
  const std::string plain = word.substr(0, word.find('='));
  for (const std::string& name : Candidates(app)) {
    const unsigned distance = EditDistance(plain, name, kMostEdits);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  // If more than half of the word had to change, the suggestion would be a guess.
  return nearest.empty() || least * 2 > plain.size() ? "" : "; did you mean " + nearest + "?";
}

namespace {

/// What to type if a required word is missing: the command's own hint, else the list of commands.
std::string Missing(const CLI::App& app) {
  for (const CLI::App* parsed : app.get_subcommands()) {
    for (const Command& command : Commands()) {
      if (parsed->get_name() == command.name && command.missing != nullptr) return command.missing;
    }
  }
  std::string text = "a command is missing: ";
  for (const Command& command : Commands()) {
    const bool is_last = &command == &Commands().back();
    if (&command != &Commands().front()) text += is_last ? " or " : ", ";
    text += command.name;
  }
  return text;
}

}  // namespace

int ExplainMisuse(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  const auto words = app.remaining(true);
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  // A misspelt word is the more likely reason for a missing one.
  if (!words.empty() && (is_extra || is_required)) {
    text = "unknown word " + words[0] + Nearest(app, words[0]);
  } else if (is_required) {
    text = Missing(app);
  }
  // One mistake is one line on stderr.
  for (char& c : text) c = c == '\n' ? ' ' : c;
  Complain(text + " (csink --help)");
  return kExitUsage;
}

}  // namespace csink::tool
