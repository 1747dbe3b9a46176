#include "symbolizer/commands/load/debug_packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>

namespace csink::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A folder that stands for "/", with two packages.
class DebugPackages : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    Write("/etc/os-release", "NAME=\"Debian\"\nID=debian\nVERSION_CODENAME=bookworm\n");
    Write("/var/lib/dpkg/info/liblzma5:amd64.list",
          "/.\n/lib\n/lib/x86_64-linux-gnu/liblzma.so.5.4.1\n");
    Write("/var/lib/dpkg/info/libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
    Write("/var/lib/dpkg/info/liblzma5:amd64.md5sums", "/usr/bin/other\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root_ = ::testing::TempDir() + "debug_packages_XXXXXX";
};

TEST_F(DebugPackages, AreThoseOfTheOwningPackage) {
  EXPECT_EQ(DebugPackageOf("/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1", root_), "liblzma5-dbgsym");
  EXPECT_EQ(DebugPackageOf("/lib/x86_64-linux-gnu/liblzma.so.5.4.1", root_), "liblzma5-dbgsym");
  EXPECT_EQ(DebugPackageOf("/usr/lib/x86_64-linux-gnu/libc.so.6", root_), "libc6-dbg");
}

TEST_F(DebugPackages, NeedNotHaveTheNameOfTheFile) {
  Write("/var/lib/dpkg/info/another.list", "/opt/usr/bin/tool\n/usr/bin/tools\n/usr/bin/tool\n");
  EXPECT_EQ(DebugPackageOf("/usr/bin/tool", root_), "another-dbgsym");
  EXPECT_EQ(DebugPackageOf("/bin/tool", root_), "another-dbgsym");
  EXPECT_EQ(DebugPackageOf("/opt/bin/tool", root_), "");
}

TEST_F(DebugPackages, AreUnknownForFilesOfNoPackage) {
  for (const char* path :
       {"", "/home/me/app", "/usr/bin/other", "/usr/lib/x86_64-linux-gnu/liblzma.so.5",
        "/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1.bak"}) {
    EXPECT_EQ(DebugPackageOf(path, root_), "") << path;
  }
  EXPECT_EQ(DebugPackageOf("/usr/bin/x", root_ + "/nowhere"), "");
}

TEST_F(DebugPackages, ComeFromTheArchiveOfTheRelease) {
  EXPECT_EQ(
      DebugArchive(root_),
      "(deb http://debug.mirrors.debian.org/debian-debug bookworm-debug main), or keep the spool "
      "(CSINK_KEEP=1) and run DEBUGINFOD_URLS=https://debuginfod.debian.net csink report "
      "FILE");
  Write("/etc/os-release", "ID=ubuntu\nVERSION_CODENAME=jammy\n");
  EXPECT_THAT(DebugArchive(root_), HasSubstr("deb http://ddebs.ubuntu.com jammy main"));
  Write("/etc/os-release", "ID='fedora'\n");
  EXPECT_THAT(DebugArchive(root_), HasSubstr("https://debuginfod.fedoraproject.org/"));
  Write("/etc/os-release", "ID=unknown\n");
  EXPECT_THAT(DebugArchive(root_), IsEmpty());
}

TEST_F(DebugPackages, AreAddedToTheVerdictOfThisMachine) {
  utsname machine = {};
  uname(&machine);
  report::Report report;
  report.host = machine.nodename;
  report.verdict.modules_without_symbols.resize(2);
  report.verdict.modules_without_symbols[0].path = "/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1";
  report.verdict.modules_without_symbols[0].unnamed = 0.5;
  report.verdict.modules_without_symbols[1].path = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  AddDebugPackages(report, root_);
  EXPECT_EQ(report.verdict.modules_without_symbols[0].package, "liblzma5-dbgsym");
  // All of its samples have names.
  EXPECT_EQ(report.verdict.modules_without_symbols[1].package, "");
  EXPECT_THAT(report.verdict.debug_archive, HasSubstr("bookworm-debug"));

  // No archive has the names of the user's own file.
  report.verdict.modules_without_symbols[0].path = "/home/me/app";
  report.verdict.debug_archive.clear();
  AddDebugPackages(report, root_);
  EXPECT_EQ(report.verdict.modules_without_symbols[0].package, "");
  EXPECT_EQ(report.verdict.debug_archive, "");
}

TEST_F(DebugPackages, AreNotLookedForInProfilesOfOtherMachines) {
  report::Report other;
  other.host = "another-machine";
  other.verdict.modules_without_symbols.resize(1);
  other.verdict.modules_without_symbols[0].path = "/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1";
  other.verdict.modules_without_symbols[0].unnamed = 0.5;
  AddDebugPackages(other, root_);
  EXPECT_EQ(other.verdict.modules_without_symbols[0].package, "");
  EXPECT_EQ(other.verdict.debug_archive, "");
}

}  // namespace
}  // namespace csink::tool
