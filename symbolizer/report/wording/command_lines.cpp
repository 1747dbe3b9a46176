#include "symbolizer/report/wording/command_lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

constexpr std::string_view kDots = "...";

/// The words of a command; several blanks in a row separate as one.
std::vector<std::string_view> WordsOf(std::string_view command) {
  std::vector<std::string_view> words;
  while (!command.empty()) {
    const std::size_t blank = std::min(command.find(' '), command.size());
    if (blank > 0) words.push_back(command.substr(0, blank));
    command.remove_prefix(std::min(command.size(), blank + 1));
  }
  return words;
}

/// The arguments that all commands of a group have. `group` has indices into `commands`.
std::set<std::string_view> CommonArguments(const std::vector<std::string>& commands,
                                           const std::vector<std::size_t>& group) {
  // How many commands have the argument.
  std::map<std::string_view, std::size_t> count;
  for (const std::size_t i : group) {
    const std::vector<std::string_view> words = WordsOf(commands[i]);
    // Without the program, and each argument once: "-I a -I b" must not count twice.
    const std::set<std::string_view> different(words.begin() + !words.empty(), words.end());
    for (const std::string_view word : different) ++count[word];
  }
  std::set<std::string_view> common;
  for (const auto& [word, times] : count) {
    if (times == group.size()) common.insert(word);
  }
  return common;
}

/// The program, and the arguments that are not common, each once. Dots stand for the others, unless
/// these are as short as the dots.
std::string WithoutCommon(const std::string& command, const std::set<std::string_view>& common) {
  const std::vector<std::string_view> words = WordsOf(command);
  if (words.empty()) return command;
  std::string text(words[0]);
  std::string skipped;
  std::set<std::string_view> seen;
  const auto end_skipped = [&] {
    if (!skipped.empty()) text += skipped.size() > kDots.size() + 1 ? " ..." : skipped;
    skipped.clear();
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (common.count(words[i]) != 0 || !seen.insert(words[i]).second) {
      skipped += " ";
      skipped += words[i];
      continue;
    }
    end_skipped();
    text += " ";
    text += words[i];
  }
  end_skipped();
  return text;
}

}  // namespace

std::string ProgramOfCommand(const std::string& command) {
  const std::string name = WithBaseName(command);
  return name.substr(0, name.find(' '));
}

std::vector<std::string> DifferingParts(const std::vector<std::string>& commands,
                                        std::size_t room) {
  std::vector<std::string> parts;
  std::map<std::string, std::vector<std::size_t>> groups;
  for (const std::string& command : commands) {
    // By program: arguments of different programs have nothing in common.
    groups[ProgramOfCommand(command)].push_back(parts.size());
    parts.push_back(WithBaseName(command));
  }
  for (const auto& entry : groups) {
    // A lambda cannot capture a structured binding in clang 14.
    const std::vector<std::size_t>& group = entry.second;
    const bool is_wide = std::any_of(group.begin(), group.end(),
                                     [&](std::size_t i) { return DisplayWidth(parts[i]) > room; });
    const bool differ = std::any_of(group.begin(), group.end(),
                                    [&](std::size_t i) { return parts[i] != parts[group[0]]; });
    if (!is_wide || !differ) continue;
    const std::set<std::string_view> common = CommonArguments(parts, group);
    // The common arguments are parts of these texts, so that the texts are replaced last.
    std::vector<std::string> shortened;
    for (const std::size_t i : group) shortened.push_back(WithoutCommon(parts[i], common));
    for (std::size_t i = 0; i < group.size(); ++i) parts[group[i]] = std::move(shortened[i]);
  }
  return parts;
}

}  // namespace csink::report
