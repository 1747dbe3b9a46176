#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace csink::testing {

/// A /proc of the test's own in a temporary folder, which is removed with the object.
class MadeProc {
 public:
  MadeProc() {
    std::string name = (std::filesystem::temp_directory_path() / "csink-proc-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  MadeProc(const MadeProc&) = delete;
  MadeProc& operator=(const MadeProc&) = delete;
  ~MadeProc() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::string& root() const { return root_; }
  std::string FolderOf(int pid) const { return root_ + "/" + std::to_string(pid); }
  /// Writes a file of process `pid`, such as "task/7/comm".
  void Write(int pid, const std::string& name, const std::string& text) const {
    const std::filesystem::path path = FolderOf(pid) + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  void Link(int pid, const std::string& name, const std::string& target) const {
    std::filesystem::create_directories(FolderOf(pid));
    std::filesystem::create_symlink(target, FolderOf(pid) + "/" + name);
  }
  /// A line of /proc/PID/stat (proc(5)); times in clock ticks.
  static std::string Stat(int pid, const std::string& name, char state, unsigned flags,
                          unsigned user_ticks, unsigned system_ticks, unsigned exit_status = 0) {
    return std::to_string(pid) + " (" + name + ") " + state + " 42 7 7 0 -1 " +
           std::to_string(flags) + " 1 2 3 4 " + std::to_string(user_ticks) + " " +
           std::to_string(system_ticks) +
           " 5 6 20 0 3 0 9876 1000 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 "
           "0 0 0 0 0 0 0 0 " +
           std::to_string(exit_status) + "\n";
  }

 private:
  std::string root_;
};

}  // namespace csink::testing
