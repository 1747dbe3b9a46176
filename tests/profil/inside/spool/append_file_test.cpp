#include "profil/inside/spool/append_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using csink::testing::TemporaryFolder;

class AppendToFileTest : public ::testing::Test {
 protected:
  int Append(const std::string& name, int flags = O_CREAT) {
    return AppendToFile((folder_.path() + "/" + name).c_str(), "abcd", 4, flags);
  }

  TemporaryFolder folder_;
};

TEST_F(AppendToFileTest, MakesAFileForThisUserAlone) {
  EXPECT_EQ(Append("file", 0), ENOENT);
  EXPECT_EQ(Append("file"), 0);
  EXPECT_EQ(Append("file"), 0);
  struct stat st = {};
  ASSERT_EQ(stat((folder_.path() + "/file").c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 8);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
}

TEST_F(AppendToFileTest, WritesIntoRegularFilesOnly) {
  ASSERT_EQ(symlink("file", (folder_.path() + "/link").c_str()), 0);
  EXPECT_EQ(Append("link"), ELOOP);
  ASSERT_EQ(mkfifo((folder_.path() + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(Append("fifo"), ENXIO);  // Nobody reads it
  EXPECT_EQ(Append("none/file"), ENOENT);
}

// In a process of its own, which SIGXFSZ would end.
TEST_F(AppendToFileTest, ALimitOfFileSizesEndsNobody) {
  const auto limited = [this] {
    signal(SIGXFSZ, SIG_DFL);
    const struct rlimit limit = {6, 6};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || MayGrowTo(7) || !MayGrowTo(6)) _exit(1);
    _exit(Append("file") == 0 && Append("file") == EFBIG ? 0 : 2);
  };
  EXPECT_EXIT(limited(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace csink
