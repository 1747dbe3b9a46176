#include "symbolizer/commands/live/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

namespace csink::tool {
namespace {

/// A variable of the environment; "" if it is not set.
std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// One command of BROWSER as words, with the address in it. Empty if the command is blank.
std::vector<std::string> WordsOf(const std::string& command, const std::string& address) {
  std::vector<std::string> words;
  std::istringstream stream(command);
  bool has_address = false;
  for (std::string word; stream >> word;) {
    if (const auto at = word.find("%s"); at != std::string::npos) {
      word.replace(at, 2, address);
      has_address = true;
    }
    words.push_back(word);
  }
  if (!words.empty() && !has_address) words.push_back(address);
  return words;
}

/// Starts one command. Returns nullopt if it cannot be executed.
std::optional<pid_t> Start(const std::vector<std::string>& command) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  // SIGPIPE is ignored here (output.h); a browser expects the usual disposition.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  // A session of its own: Ctrl-C ends csink view and leaves the browser.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words[0], &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? std::optional(pid) : std::nullopt;
}

/// Whether the process still runs after a second, or ended with status 0.
bool SeemsToWork(pid_t pid) {
  // 50 steps of 20 ms are the second that the header promises.
  constexpr timespec kStep = {0, 20'000'000};
  for (int step = 0; step < 50; ++step) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0) return true;  // SIGCHLD is ignored: the kernel has taken the status
    nanosleep(&kStep, nullptr);
  }
  return true;
}

}  // namespace

BrowserSettings BrowserSettingsOfEnvironment() {
  return {Environment("BROWSER"), Environment("DISPLAY"), Environment("WAYLAND_DISPLAY")};
}

std::vector<std::vector<std::string>> BrowserCommands(const BrowserSettings& settings,
                                                      const std::string& address) {
  std::vector<std::vector<std::string>> commands;
  std::istringstream stream(settings.browser);
  // BROWSER: commands separated by colons, as in xdg-open and Python's module webbrowser.
  for (std::string command; std::getline(stream, command, ':');) {
    std::vector<std::string> words = WordsOf(command, address);
    if (!words.empty()) commands.push_back(std::move(words));
  }
  // Without a display, xdg-open starts a browser for text, which would need this terminal.
  const bool has_display = !settings.display.empty() || !settings.wayland.empty();
  if (settings.browser.empty() && has_display) commands.push_back({"xdg-open", address});
  return commands;
}

std::string FileAddress(const std::string& path) {
  std::string address = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    // The unreserved characters of RFC 3986, 2.3, and the slash between folders.
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
        (c != '\0' && std::string_view("/-._~").find(c) != std::string_view::npos);
    if (is_plain) {
      address += c;
    } else {
      address += '%';
      address += "0123456789ABCDEF"[byte >> 4];
      address += "0123456789ABCDEF"[byte & 15];
    }
  }
  return address;
}

bool StartBrowser(const std::vector<std::vector<std::string>>& commands) {
  // The next one is tried if a command does not start or fails within a second.
  for (const std::vector<std::string>& command : commands) {
    const auto pid = Start(command);
    if (pid && SeemsToWork(*pid)) return true;
  }
  return false;
}

}  // namespace csink::tool
