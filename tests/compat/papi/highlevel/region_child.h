#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/compat/papi/highlevel/high_level_fixture.h"

/// File: programs that use PAPI_hl_*, each a process of its own: the environment is read once a
/// process, and the report comes when it ends.

namespace papi_test {

using Environment = std::map<std::string, std::string>;

/// A child process in a folder of its own that ends by exit().
class RegionChild {
 public:
  RegionChild() : folder_(testing::TempDir() + "csink_regions_XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~RegionChild() {
    if (std::system(("rm -rf " + folder_).c_str()) != 0) perror("rm");
  }
  RegionChild(const RegionChild&) = delete;
  RegionChild& operator=(const RegionChild&) = delete;

  /// Runs `program` there; returns how it ended. What it prints is in stdout.txt and stderr.txt.
  template <class F>
  int Run(const Environment& environment, F program) {
    HighLevelPresets();
    fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      Enter(environment);
      program();
      exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }

  const std::string& folder() const { return folder_; }
  std::string Text(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Names below a folder of ours, sorted.
  std::vector<std::string> Files(const std::string& below = "papi_hl_output") const {
    std::vector<std::string> names;
    DIR* dir = opendir((folder_ + "/" + below).c_str());
    while (const dirent* entry = dir ? readdir(dir) : nullptr) {
      if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    if (dir) closedir(dir);
    std::sort(names.begin(), names.end());
    return names;
  }
  /// The one report.
  nlohmann::ordered_json Report() const {
    const std::vector<std::string> files = Files();
    EXPECT_EQ(files.size(), 1U);
    if (files.empty()) return nullptr;
    return nlohmann::ordered_json::parse(Text("papi_hl_output/" + files[0]), nullptr, false);
  }

 private:
  void Enter(const Environment& environment) const {
    for (const char* name : {"PAPI_EVENTS", "PAPI_OUTPUT_DIRECTORY", "PAPI_MULTIPLEX",
                             "PAPI_REPORT", "PAPI_HL_VERBOSE", "PAPI_HL_THREAD_MULTIPLE",
                             "OMPI_COMM_WORLD_RANK", "ALPS_APP_PE", "PMI_RANK", "SLURM_PROCID"}) {
      unsetenv(name);
    }
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (chdir(folder_.c_str()) != 0) _exit(99);
    for (const int fd : {1, 2}) {
      const int file =
          open(fd == 1 ? "stdout.txt" : "stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(file, fd);
      close(file);
    }
  }

  std::string folder_;
};

inline long long Number(const nlohmann::ordered_json& value) {
  return std::stoll(value.get<std::string>());
}

}  // namespace papi_test
