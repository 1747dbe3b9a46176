#include "symbolizer/names/locate/module_of_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "symbolizer/names/locate/live_process.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::BuildIdOf;
using testing::Nm;
using testing::OffsetOf;
using testing::Workshop;

/// A program that runs and waits; what is done to its file then is seen by nobody else.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& command) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ready[1], 1);
      ::close(ready[0]);
      ::close(ready[1]);
      std::vector<char*> arguments;
      for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "the program did not start";
    ::close(ready[0]);
    // "PID (NAME) STATE ..." with a name without blanks.
    std::ifstream stat("/proc/" + std::to_string(pid_) + "/stat");
    std::string field;
    for (int i = 1; i <= 22; ++i) stat >> field;
    ticks_ = std::stoull(field);
  }
  ~RunningProgram() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t pid() const { return pid_; }
  ProcessId id() const { return {static_cast<std::uint32_t>(pid_), ticks_}; }

 private:
  pid_t pid_ = -1;
  std::uint64_t ticks_ = 0;
};

class ModuleOfProcess : public ::testing::Test {
 protected:
  void Build(const std::string& flags = "-Wl,--build-id") {
    shop_.Write("wait.c", R"(
      #include <unistd.h>
      __attribute__((noinline)) int Wanted(int x) { return x * 7 + x / 3; }
      int main(int n, char** v) { write(1, "r", 1); for (;;) pause(); return Wanted(n); })");
    shop_.Run("gcc -O1 -no-pie -fno-pie " + flags + " wait.c -o wait");
    path_ = shop_.Path("wait");
    request_.path = path_;
    request_.build_id = BuildIdOf(shop_, path_);
    request_.file_offsets = {OffsetOf(shop_, path_, Nm(shop_, path_).at("Wanted").start)};
    struct stat status;
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    request_.inode = status.st_ino;
    request_.device_major = major(status.st_dev);
    request_.device_minor = minor(status.st_dev);
  }
  void PutAnotherThere() {
    shop_.Run("rm wait && printf 'int main(void) { return 3; }' > other.c && gcc other.c -o wait");
  }
  Location Only() {
    answer_ = ResolveModule(request_, {});
    return answer_.locations.at(0);
  }

  Workshop shop_;
  std::string path_;
  ModuleRequest request_;
  ModuleAnswer answer_;
};

TEST_F(ModuleOfProcess, HasTheProgramThatWasReplacedWhileItRuns) {
  Build();
  const RunningProgram program({path_});
  PutAnotherThere();
  request_.is_deleted = true;
  EXPECT_EQ(Only().source, NameSource::kNone) << "nobody was named";
  request_.processes = {program.id()};
  EXPECT_EQ(Only().function, "Wanted");
  EXPECT_EQ(answer_.problem, "");
}

TEST_F(ModuleOfProcess, TellsItsFileByInodeWithoutABuildId) {
  Build("-Wl,--build-id=none");
  const RunningProgram program({path_});
  shop_.Run("mv wait moved && cp moved wait");
  request_.is_deleted = true;
  EXPECT_EQ(Only().source, NameSource::kNone);
  request_.processes = {program.id()};
  // The mapping's name moved, too: nothing says that this is the file.
  EXPECT_EQ(Only().source, NameSource::kNone);
  shop_.Run("mv moved wait && rm wait");
  EXPECT_EQ(Only().function, "Wanted");
  request_.inode += 1;
  EXPECT_EQ(Only().source, NameSource::kNone);
}

TEST_F(ModuleOfProcess, IsNotAskedWhenItsNumberWasGivenAway) {
  Build();
  const RunningProgram program({path_});
  shop_.Run("rm wait");
  request_.is_deleted = true;
  request_.processes = {{program.id().pid, program.id().start_ticks + 1}};
  EXPECT_EQ(Only().source, NameSource::kNone);
  EXPECT_EQ(answer_.problem, "file deleted since it was mapped");
}

TEST_F(ModuleOfProcess, HasCodeOfAMemoryFile) {
  shop_.Write("lib.c", "int Wanted(int x) { return x * 7 + x / 3; }");
  shop_.Run("gcc -O1 -shared -fPIC -Wl,--build-id lib.c -o lib.so");
  shop_.Write("load.c", R"(
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    #include <sys/mman.h>
    #include <unistd.h>
    int main(int n, char** v) {
      char piece[65536];
      int fd = memfd_create("plugin", 0);
      FILE* lib = fopen(v[1], "rb");
      for (size_t got; (got = fread(piece, 1, sizeof piece, lib)) > 0;) write(fd, piece, got);
      sprintf(piece, "/proc/self/fd/%d", fd);
      if (!dlopen(piece, RTLD_NOW)) return 1;
      write(1, "r", 1);
      for (;;) pause();
    })");
  shop_.Run("gcc load.c -o load");
  const RunningProgram program({shop_.Path("load"), shop_.Path("lib.so")});
  const std::string lib = shop_.Path("lib.so");
  request_.path = "/memfd:plugin";
  request_.is_deleted = true;
  request_.build_id = BuildIdOf(shop_, lib);
  request_.file_offsets = {OffsetOf(shop_, lib, Nm(shop_, lib).at("Wanted").start)};
  EXPECT_EQ(Only().source, NameSource::kNone);
  request_.processes = {program.id()};
  EXPECT_EQ(Only().function, "Wanted");
}

/// unshare(1) gives namespaces to who may have them.
bool MayUnshare() {
  return std::system("unshare --user --map-root-user --mount --pid --fork true 2>/dev/null") == 0;
}

TEST_F(ModuleOfProcess, HasFilesOfItsOwnMountNamespace) {
  if (!MayUnshare()) GTEST_SKIP() << "user and mount namespaces are not allowed here";
  Build();
  // Our path leads to nothing; in the process's root something is mounted there.
  shop_.Run("mkdir inside real && mv wait real/wait");
  const RunningProgram program({"unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                                "mount --bind '" + shop_.Path("real") + "' '" +
                                    shop_.Path("inside") + "' && exec '" +
                                    shop_.Path("inside/wait") + "'"});
  request_.path = shop_.Path("inside/wait");
  EXPECT_EQ(Only().source, NameSource::kNone);
  EXPECT_EQ(answer_.problem, "file not found");
  request_.processes = {program.id()};
  EXPECT_EQ(Only().function, "Wanted");
}

TEST(FindLiveProcesses, KnowsAProcessByItsNumberInItsOwnNamespace) {
  if (!MayUnshare()) GTEST_SKIP() << "user and pid namespaces are not allowed here";
  const RunningProgram program({"unshare", "--user", "--map-root-user", "--pid", "--fork",
                                "--kill-child", "sh", "-c", "echo r; exec sleep 100"});
  // The child of unshare: number 1 inside.
  std::ifstream children("/proc/" + std::to_string(program.pid()) + "/task/" +
                         std::to_string(program.pid()) + "/children");
  std::uint32_t outer = 0;
  ASSERT_TRUE(children >> outer);
  std::ifstream stat("/proc/" + std::to_string(outer) + "/stat");
  std::string field;
  for (int i = 1; i <= 22; ++i) stat >> field;
  const ProcessId inside{1, std::stoull(field)};
  EXPECT_EQ(FindLiveProcesses("/proc", {&inside, 1}), std::vector<std::uint32_t>{outer});
  const ProcessId other{2, inside.start_ticks};
  EXPECT_TRUE(FindLiveProcesses("/proc", {&other, 1}).empty());
}

TEST(FindLiveProcesses, KnowsNobodyWithoutAStartTime) {
  const ProcessId self{static_cast<std::uint32_t>(::getpid()), 0};
  EXPECT_TRUE(FindLiveProcesses("/proc", {&self, 1}).empty());
}

}  // namespace
}  // namespace csink::symbolizer
