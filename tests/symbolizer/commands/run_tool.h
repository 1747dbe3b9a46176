#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

/// File: runs the built csink as a user would.

namespace csink::testing {

struct ToolResult {
  int status = -1;  ///< As a shell says: exit status, or 128 + signal.
  std::string out;
  std::string err;
};

/// A test with a folder of its own, in which spools go to "spools".
class ToolTest : public ::testing::Test {
 protected:
  ToolTest() {
    char folder[] = "/tmp/csink-tool-XXXXXX";
    folder_ = mkdtemp(folder);
    std::filesystem::create_directory(spools());
    environment_ = {{"CSINK_SPOOL_DIR", spools()}, {"CSINK_AGENT", CSINK_FAKE_AGENT}};
  }
  ~ToolTest() override { std::filesystem::remove_all(folder_); }

  std::string spools() const { return folder_ + "/spools"; }

  /// Starts csink; `while_running` gets its pid.
  ToolResult Csink(const std::vector<std::string>& arguments,
                   const std::function<void(pid_t)>& while_running = nullptr) {
    const std::string out = stdout_.empty() ? folder_ + "/stdout" : stdout_;
    const std::string err = folder_ + "/stderr";
    const pid_t pid = fork();
    if (pid == 0) {
      if (!freopen(stdin_.c_str(), "r", stdin) || !freopen(out.c_str(), "w", stdout) ||
          !freopen(err.c_str(), "w", stderr)) {
        _exit(99);
      }
      unsetenv("CSINK_EVENTS");
      for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
      std::vector<char*> words = {const_cast<char*>("csink")};
      for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      execv(CSINK_PROGRAM, words.data());
      _exit(98);
    }
    if (while_running) while_running(pid);
    ToolResult result;
    int status = 0;
    waitpid(pid, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (stdout_.empty()) result.out = Read(out);
    result.err = Read(err);
    return result;
  }

  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The files in `folder`, and in folders below it, whose name ends as that of a spool.
  static std::size_t CountSpools(const std::string& folder) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      count += entry.path().extension() == ".csink";
    }
    return count;
  }
  static std::size_t CountFiles(const std::string& folder) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      (void)entry;
      ++count;
    }
    return count;
  }

  std::string folder_;
  std::string stdin_ = "/dev/null";
  std::string stdout_;  ///< Where csink's stdout goes; empty: into ToolResult::out
  std::map<std::string, std::string> environment_;
};

}  // namespace csink::testing
