#include "symbolizer/commands/check_events.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/doctor_command.h"
#include "symbolizer/commands/launch.h"

namespace csink::tool {
namespace {

/// What the doctor prints on its standard error. Empty if it cannot be run. The child is this
/// program with an argument that makes it return at once.
std::string AskDoctor(const std::string& agent, const Changes& changes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  Environment environment(agent, changes);
  char self[] = "/proc/self/exe";
  std::string nothing = kNothingCommand;
  char* const arguments[] = {self, nothing.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), 2);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, self, &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  // Otherwise read(2) would wait for this process's own end of the pipe.
  write_end.reset();
  if (error != 0) return "";
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(read_end.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

/// The doctor's answer among the lines that the agent and others print; null if there is none.
nlohmann::json AnswerIn(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = NextToken(text, '\n');
    if (!line.starts_with('{')) continue;
    nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
    if (answer.is_object() && answer.value("version", 0) == 1) return answer;
  }
  return nullptr;
}

/// Whether an event of the list is not available on this machine.
bool HasAbsentEvent(const nlohmann::json& asked) {
  const auto events = asked.value("events", nlohmann::json::array());
  return std::any_of(events.begin(), events.end(),
                     [](const nlohmann::json& event) { return !event.value("available", true); });
}

/// What is wrong, from the doctor's answer. "" if nothing is, or if the agent would use timers.
std::string MistakeIn(const nlohmann::json& answer) {
  const auto asked = answer.find("asked");
  if (asked == answer.end()) return "";  // "auto"
  const std::string text = asked->value("text", "");
  if (!asked->value("understood", true)) return text;
  // Without perf, or with timers wanted, the CPU clock stands in for all of them, as the agent
  // says.
  const bool rings = answer.value("source", "") == "ring";
  if (!rings || !HasAbsentEvent(*asked)) return "";
  return text + "; csink doctor --events lists the events that are";
}

}  // namespace

std::string WhatIsWrongWithEvents(const std::string& agent, const std::string& events,
                                  const std::string& source) {
  Changes changes = {{"CSINK_DOCTOR", "json"}, {"CSINK_ENABLE", "1"}, {"CSINK_EVENTS", events}};
  if (!source.empty()) changes.emplace_back("CSINK_SOURCE", source);
  try {
    return MistakeIn(AnswerIn(AskDoctor(agent, changes)));
  } catch (const nlohmann::json::exception&) {
    return "";  // an agent whose answer has other types
  }
}

}  // namespace csink::tool
