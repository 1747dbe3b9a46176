#include "core/machine/installed_program.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace csink {
namespace {

namespace fs = std::filesystem;

/// An installation with a library at lib/triple/libagent.so.
class InstalledProgram : public ::testing::Test {
 protected:
  InstalledProgram() {
    std::string name = (fs::temp_directory_path() / "csink-installed-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directories(root_ + "/lib/triple");
  }
  ~InstalledProgram() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void AddProgram(const std::string& path, bool executable = true) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << "#!/bin/sh\n";
    fs::permissions(root_ + path, executable ? fs::perms::owner_all : fs::perms::none);
  }
  /// The path that is found below the root; "" without one.
  std::string Find(const char* name, ProgramKind kind) {
    Text<512> path;
    if (!FindInstalled(root_ + "/lib/triple/libagent.so", name, kind, path)) return "";
    return std::string(path.view().substr(root_.size()));
  }

  std::string root_;
};

TEST_F(InstalledProgram, TheToolIsBesideTheLibraryOrInBinOneOrTwoFoldersUp) {
  EXPECT_EQ(Find("csink", ProgramKind::kTool), "");
  AddProgram("/bin/csink");
  EXPECT_EQ(Find("csink", ProgramKind::kTool), "/bin/csink");
  AddProgram("/lib/bin/csink");
  EXPECT_EQ(Find("csink", ProgramKind::kTool), "/lib/bin/csink");
  AddProgram("/lib/triple/csink");
  EXPECT_EQ(Find("csink", ProgramKind::kTool), "/lib/triple/csink");
}

TEST_F(InstalledProgram, AHelperIsBesideTheLibraryOrInTheFolderForHelpers) {
  AddProgram("/bin/csink-meter");
  EXPECT_EQ(Find("csink-meter", ProgramKind::kHelper), "");
  const std::string libexec =
      "/lib/triple/" + std::string(PlacesOf(ProgramKind::kHelper)[1].folder);
  AddProgram(libexec + "csink-meter");
  EXPECT_EQ(Find("csink-meter", ProgramKind::kHelper), libexec + "csink-meter");
  AddProgram("/lib/triple/csink-meter");
  EXPECT_EQ(Find("csink-meter", ProgramKind::kHelper), "/lib/triple/csink-meter");
}

TEST_F(InstalledProgram, WhatIsTooLongOrOfNoLibraryIsNotFound) {
  AddProgram("/lib/triple/csink");
  Text<16> small;
  EXPECT_FALSE(
      FindInstalled(root_ + "/lib/triple/libagent.so", "csink", ProgramKind::kTool, small));
  Text<512> path;
  EXPECT_FALSE(FindInstalled("", "csink", ProgramKind::kTool, path));
}

TEST(FolderOf, EndsWithTheLastSlash) {
  EXPECT_EQ(FolderOf("/usr/lib/libagent.so"), "/usr/lib/");
  EXPECT_EQ(FolderOf("libagent.so"), "");
  EXPECT_EQ(FolderOf("/"), "/");
}

}  // namespace
}  // namespace csink
