#include "symbolizer/commands/inspect/doctor_command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/launch/child.h"
#include "symbolizer/commands/launch/launch.h"

namespace csink::tool {

namespace {

/// Everything that was written to a file, read by pread(2) from its beginning, because the child
/// has moved the file's position.
std::string Contents(int fd) {
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t n = pread(fd, piece, sizeof piece, static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(piece, static_cast<std::size_t>(n));
  }
}

/// The value of CSINK_DOCTOR.
const char* WordFor(Findings findings) {
  switch (findings) {
    case Findings::kText:
      break;
    case Findings::kJson:
      return "json";
    case Findings::kEvents:
      return "events";
  }
  return "1";
}

}  // namespace

int RunDoctor(Findings findings) {
  const auto agent = FindAgent();
  if (!agent) return kExitNothing;
  // CSINK_ENABLE: the user may have switched the agent off for other programs.
  Changes changes = {{"CSINK_DOCTOR", WordFor(findings)}, {"CSINK_ENABLE", "1"}};
  Environment environment(*agent, changes);
  // The agent has no way to report what it could not write, so csink reports it. Where there is no
  // such memory, it writes to stdout itself.
  const UniqueFd written(memfd_create("csink-doctor", MFD_CLOEXEC));
  const Ended ended = RunChild({"/proc/self/exe", kNothingCommand}, environment.data(),
                               {.err = written ? written.get() : 1});
  if (ended.spawn_errno != 0) {
    Complain(std::string("cannot run itself: ") + std::strerror(ended.spawn_errno));
    return kExitNothing;
  }
  // What the agent found is printed here, so that a full disk or a closed pipe changes the exit
  // status.
  if (written && !Print(Contents(written.get()))) return kExitNothing;
  return ended.ExitCode();
}

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
  // The agent answers in the child's start, so that the child itself has nothing to do.
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
    // Other lines are warnings of the agent or of the dynamic linker.
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
