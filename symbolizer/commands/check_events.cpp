#include "symbolizer/commands/check_events.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/doctor_command.h"
#include "symbolizer/commands/launch.h"

namespace csink::tool {
namespace {

constexpr char kEventRow[] = "  CSINK_EVENTS ";
constexpr char kPerfRow[] = "  perf_event_open ";
constexpr char kAbsent[] = "(not available here";  // The reason follows

/// The doctor's output on stderr. Empty if it cannot be started.
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

/// The text of the row that begins with `label`; empty: there is no such row.
std::string RowOf(std::string_view text, std::string_view label) {
  while (!text.empty()) {
    const std::string_view line = NextToken(text, '\n');
    if (line.substr(0, label.size()) != label) continue;
    const auto from = line.find_first_not_of(' ', label.size());
    return from == std::string_view::npos ? "" : std::string(line.substr(from));
  }
  return "";
}

}  // namespace

std::string WhatIsWrongWithEvents(const std::string& agent, const std::string& events,
                                  const std::string& source) {
  Changes changes = {{"CSINK_DOCTOR", "1"}, {"CSINK_ENABLE", "1"}, {"CSINK_EVENTS", events}};
  if (!source.empty()) changes.emplace_back("CSINK_SOURCE", source);
  const std::string text = AskDoctor(agent, changes);
  const std::string row = RowOf(text, kEventRow);
  if (row.empty()) return "";  // "auto", or a doctor that does not print events
  if (row.find("(works)") == std::string::npos && row.find(kAbsent) == std::string::npos) {
    return row;
  }
  // Without perf events, or if timers are requested, the agent replaces all events by the CPU
  // clock, and reports it.
  const bool perf = RowOf(text, kPerfRow).rfind("works", 0) == 0;
  return perf && source != "timer" && row.find(kAbsent) != std::string::npos
             ? row + "; csink doctor --events lists the events that are"
             : "";
}

}  // namespace csink::tool
