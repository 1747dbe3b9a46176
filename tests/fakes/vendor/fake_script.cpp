#include "tests/fakes/vendor/fake_script.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

namespace csink::fakes {
namespace {

struct Line {
  std::string text;
  std::vector<std::string> steps;
};

struct Script {
  std::mutex mutex;
  bool read = false;
  std::string variable, plain;
  std::map<std::string, Line, std::less<>> lines;
  std::map<std::string, std::size_t, std::less<>> asked;  // by full key
  double start_s = 0;
};

Script& TheScript() {
  static auto* script = new Script;  // never destroyed: a blocked thread may still be inside
  return *script;
}

double Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string Stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

void Parse(Script& script, std::string_view statements) {
  script.lines.clear();
  script.asked.clear();
  script.start_s = Now();
  while (!statements.empty()) {
    const std::size_t end = statements.find_first_of(";\n");
    std::string_view line = statements.substr(0, end);
    statements = end == std::string_view::npos ? "" : statements.substr(end + 1);
    line = line.substr(0, line.find('#'));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    Line parsed{Stripped(line.substr(equals + 1)), {}};
    std::istringstream words(parsed.text);
    for (std::string word; words >> word;) parsed.steps.push_back(word);
    script.lines[Stripped(line.substr(0, equals))] = std::move(parsed);
  }
}

std::string FromEnvironment(const Script& script) {
  const char* const value = getenv(script.variable.c_str());
  if (!value) return script.plain;
  const std::string text = value;
  if (text.find('=') != std::string::npos) return text;
  std::ifstream file(text);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Log(const std::string& key) {
  const char* const name = getenv("FAKE_VENDOR_LOG");
  if (!name) return;
  const int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const std::string line = key + "\n";
  if (fd >= 0 && write(fd, line.data(), line.size()) < 0) abort();
  if (fd >= 0) close(fd);
}

// Whether the step is an answer; the others are acts, done without a lock.
bool IsAnswer(const std::string& step) {
  return !step.starts_with("block") && !step.starts_with("exit:") && step != "abort";
}

void Act(const std::string& step) {
  if (step == "abort") abort();
  if (step.starts_with("exit:")) exit(static_cast<int>(strtol(step.c_str() + 5, nullptr, 10)));
  if (step == "block") {
    for (;;) pause();
  }
  const long ms = strtol(step.c_str() + 6, nullptr, 10);
  const timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, nullptr);
}

// "5", "5+2", "5~2", "error:3".
void Evaluate(const std::string& step, std::size_t repeats, double seconds, Answer& answer) {
  if (step.starts_with("error:")) {
    answer.error = static_cast<int>(strtol(step.c_str() + 6, nullptr, 10));
    return;
  }
  char* end = nullptr;
  answer.number = strtod(step.c_str(), &end);
  if (*end == '+') answer.number += strtod(end + 1, nullptr) * static_cast<double>(repeats);
  if (*end == '~') answer.number += strtod(end + 1, nullptr) * seconds;
}

Answer AskFor(const std::string& key, const std::string& fallback) {
  Script& script = TheScript();
  Log(key);
  for (;;) {
    Answer answer;
    std::string step;
    {
      const std::lock_guard lock(script.mutex);
      auto line = script.lines.find(key);
      if (line == script.lines.end()) line = script.lines.find(fallback);
      if (line == script.lines.end()) return answer;
      answer.given = true;
      answer.text = line->second.text;
      const std::vector<std::string>& steps = line->second.steps;
      if (steps.empty()) return answer;
      const std::size_t turn = script.asked[key]++;
      step = steps[turn < steps.size() ? turn : steps.size() - 1];
      const std::size_t repeats = turn < steps.size() ? 0 : turn - steps.size() + 1;
      if (IsAnswer(step)) {
        Evaluate(step, repeats, Now() - script.start_s, answer);
        return answer;
      }
    }
    Act(step);
  }
}

}  // namespace

void UseScript(const char* variable, const char* plain) {
  Script& script = TheScript();
  const std::lock_guard lock(script.mutex);
  if (script.read) return;
  script.read = true;
  script.variable = variable;
  script.plain = plain;
  Parse(script, FromEnvironment(script));
}

void SetScript(const char* statements) {
  Script& script = TheScript();
  const std::lock_guard lock(script.mutex);
  Parse(script, statements ? std::string(statements) : FromEnvironment(script));
}

Answer Ask(std::string_view key) { return AskFor(std::string(key), {}); }

Answer Ask(unsigned device, std::string_view key) {
  return AskFor(std::to_string(device) + "." + std::string(key), "*." + std::string(key));
}

std::string Text(unsigned device, std::string_view key, std::string_view otherwise) {
  Script& script = TheScript();
  const std::lock_guard lock(script.mutex);
  auto line = script.lines.find(std::to_string(device) + "." + std::string(key));
  if (line == script.lines.end()) line = script.lines.find("*." + std::string(key));
  return line == script.lines.end() ? std::string(otherwise) : line->second.text;
}

unsigned Devices() {
  Script& script = TheScript();
  const std::lock_guard lock(script.mutex);
  const auto line = script.lines.find("devices");
  return line == script.lines.end()
             ? 1
             : static_cast<unsigned>(strtoul(line->second.text.c_str(), nullptr, 10));
}

}  // namespace csink::fakes
