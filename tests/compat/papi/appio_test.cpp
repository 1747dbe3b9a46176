// The component appio in a program that is linked with libcsink_appio.so: calls with known results.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Values = std::map<std::string, long long>;

class Appio : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT); }
  void TearDown() override { PAPI_shutdown(); }

  static std::vector<std::string> AllNames() {
    std::vector<std::string> names;
    const int index = PAPI_get_component_index("appio");
    int code = PAPI_NATIVE_MASK;
    for (int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index); more == PAPI_OK;
         more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, index)) {
      char name[PAPI_MAX_STR_LEN] = "";
      EXPECT_EQ(PAPI_event_code_to_name(code, name), PAPI_OK);
      names.emplace_back(name);
    }
    return names;
  }
  /// A set of all events.
  static int AllEvents() {
    int set = PAPI_NULL;
    EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    for (const std::string& name : AllNames()) {
      EXPECT_EQ(PAPI_add_named_event(set, name.c_str()), PAPI_OK) << name;
    }
    return set;
  }
  /// What all events counted while `work` ran, by their names without the component.
  template <class F>
  static Values During(F work) {
    const std::vector<std::string> names = AllNames();
    const int set = AllEvents();
    EXPECT_EQ(PAPI_start(set), PAPI_OK);
    work();
    std::vector<long long> counts(names.size());
    EXPECT_EQ(PAPI_stop(set, counts.data()), PAPI_OK);
    Values values;
    for (std::size_t i = 0; i < names.size(); ++i) values[names[i].substr(8)] = counts[i];
    int gone = set;
    EXPECT_EQ(PAPI_cleanup_eventset(gone), PAPI_OK);
    EXPECT_EQ(PAPI_destroy_eventset(&gone), PAPI_OK);
    return values;
  }
};

TEST_F(Appio, HasPapisEvents) {
  const std::vector<std::string> names = AllNames();
  ASSERT_EQ(names.size(), 45u);
  EXPECT_EQ(names.front(), "appio:::READ_BYTES");
  EXPECT_EQ(names.back(), "appio:::SEEK_USEC");
  EXPECT_EQ(PAPI_query_named_event("appio:::READ_NOTHING"), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_query_named_event("READ_BYTES"), PAPI_ENOEVNT) << "without its component";
}

TEST_F(Appio, CountsFilesByTheBytesOfTheirCalls) {
  char path[] = "/tmp/csink-appio-XXXXXX";
  const int made = mkstemp(path);
  ASSERT_GE(made, 0);
  close(made);
  const Values seen = During([&] {
    char bytes[1000] = "";
    const int fd = open(path, O_RDWR);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(write(fd, bytes, sizeof bytes), 1000);
    ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
    ASSERT_EQ(lseek(fd, -500, SEEK_END), 9500);
    ASSERT_EQ(read(fd, bytes, sizeof bytes), 500);  // short
    ASSERT_EQ(read(fd, bytes, sizeof bytes), 0);    // the end
    ASSERT_EQ(read(-1, bytes, sizeof bytes), -1);
    ASSERT_EQ(errno, EBADF);
    ASSERT_EQ(open("/nowhere/at/all", O_RDONLY), -1);
    ASSERT_EQ(errno, ENOENT);
  });
  unlink(path);
  EXPECT_EQ(seen.at("WRITE_CALLS"), 10);
  EXPECT_EQ(seen.at("WRITE_BYTES"), 10'000);
  EXPECT_EQ(seen.at("WRITE_BLOCK_SIZE"), 1000);
  EXPECT_EQ(seen.at("WRITE_SHORT"), 0);
  EXPECT_EQ(seen.at("READ_CALLS"), 3);
  EXPECT_EQ(seen.at("READ_BYTES"), 500);
  EXPECT_EQ(seen.at("READ_SHORT"), 1);
  EXPECT_EQ(seen.at("READ_EOF"), 1);
  EXPECT_EQ(seen.at("READ_ERR"), 1);
  EXPECT_EQ(seen.at("READ_BLOCK_SIZE"), 1000);
  EXPECT_EQ(seen.at("OPEN_CALLS"), 2);
  EXPECT_EQ(seen.at("OPEN_ERR"), 1);
  EXPECT_EQ(seen.at("OPEN_FDS"), 1) << "the file was not closed";
  EXPECT_EQ(seen.at("SEEK_CALLS"), 2);
  EXPECT_EQ(seen.at("SEEK_ABS_STRIDE_SIZE"), 250);
  EXPECT_EQ(seen.at("SOCK_READ_CALLS") + seen.at("SOCK_WRITE_CALLS"), 0);
}

TEST_F(Appio, CountsStreamsByTheirBlocks) {
  const Values seen = During([] {
    std::FILE* const file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    const char blocks[8][16] = {};
    ASSERT_EQ(std::fwrite(blocks, 16, 8, file), 8u);
    std::rewind(file);
    char got[16][16];
    ASSERT_EQ(std::fread(got, 16, 16, file), 8u);
    ASSERT_EQ(std::fread(got, 16, 16, file), 0u);
    std::fclose(file);
  });
  EXPECT_EQ(seen.at("WRITE_BYTES"), 128);
  EXPECT_EQ(seen.at("READ_BYTES"), 128);
  EXPECT_EQ(seen.at("READ_CALLS"), 2);
  EXPECT_EQ(seen.at("READ_SHORT"), 1);
  EXPECT_EQ(seen.at("READ_EOF"), 1);
  EXPECT_EQ(seen.at("READ_ERR"), 0);
}

TEST_F(Appio, TellsWhatWouldBlockAndHowLong) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const Values seen = During([&] {
    char bytes[100] = "";
    std::thread later([&] {
      usleep(100'000);
      ASSERT_EQ(::send(pair[1], bytes, 10, 0), 10);
    });
    ASSERT_EQ(read(pair[0], bytes, sizeof bytes), 10);  // waits
    later.join();
    ASSERT_EQ(write(pair[0], bytes, 20), 20);
    ASSERT_EQ(::send(pair[1], bytes, 30, 0), 30);
    ASSERT_EQ(recv(pair[0], bytes, 30, 0), 30);  // is there
    timeval wait = {0, 50'000};
    fd_set none;
    FD_ZERO(&none);
    ASSERT_EQ(select(0, &none, nullptr, nullptr, &wait), 0);
  });
  close(pair[0]);
  close(pair[1]);
  EXPECT_EQ(seen.at("READ_WOULD_BLOCK"), 1);
  EXPECT_EQ(seen.at("SOCK_READ_WOULD_BLOCK"), 1);
  EXPECT_EQ(seen.at("SOCK_READ_BYTES"), 10);
  EXPECT_EQ(seen.at("SOCK_WRITE_BYTES"), 20);
  EXPECT_EQ(seen.at("RECV_BYTES"), 30);
  EXPECT_EQ(seen.at("RECV_WOULD_BLOCK"), 0);
  EXPECT_GE(seen.at("READ_USEC"), 50'000) << "the read began before the bytes were sent";
  EXPECT_EQ(seen.at("READ_USEC"), seen.at("SOCK_READ_USEC"));
  EXPECT_GE(seen.at("SELECT_USEC"), 50'000);
}

TEST_F(Appio, CountsTheThreadThatStartedTheSetAlone) {
  ASSERT_EQ(PAPI_thread_init(pthread_self), PAPI_OK);
  int set = AllEvents();
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  long long others[45] = {};
  std::thread([&] {
    const int fd = open("/dev/null", O_WRONLY);
    ASSERT_EQ(write(fd, "x", 1), 1);
    close(fd);
    EXPECT_NE(PAPI_read(set, others), PAPI_OK) << "another thread's numbers";
  }).join();
  long long counts[45] = {};
  ASSERT_EQ(PAPI_read(set, counts), PAPI_OK);
  for (const long long count : counts) EXPECT_EQ(count, 0);
  ASSERT_EQ(write(open("/dev/null", O_WRONLY), "xy", 2), 2);
  ASSERT_EQ(PAPI_reset(set), PAPI_OK);
  ASSERT_EQ(PAPI_stop(set, counts), PAPI_OK);
  EXPECT_EQ(counts[0], 0);
}

TEST_F(Appio, AChildCountsFromItsOwnStart) {
  const int set = AllEvents();
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  const pid_t child = fork();
  if (child == 0) {
    long long counts[45] = {};
    if (PAPI_start(set) != PAPI_OK) _exit(1);
    const int fd = open("/dev/null", O_WRONLY);
    if (write(fd, "abc", 3) != 3) _exit(2);
    if (PAPI_stop(set, counts) != PAPI_OK) _exit(3);
    _exit(counts[9] == 3 ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

void Nothing(int) {}

TEST_F(Appio, LeavesErrnoSignalsAndCancellationAsTheyAre) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const Values seen = During([&] {
    struct sigaction action = {};
    action.sa_handler = Nothing;  // without SA_RESTART
    sigaction(SIGALRM, &action, nullptr);
    ualarm(50'000, 0);
    char byte = 0;
    EXPECT_EQ(read(pipes[0], &byte, 1), -1);
    EXPECT_EQ(errno, EINTR);
  });
  EXPECT_EQ(seen.at("READ_INTERRUPTED"), 1);
  // A thread that waits in read is cancelled there, whether something counts or not.
  const int set = AllEvents();
  pthread_t waiting;
  ASSERT_EQ(pthread_create(
                &waiting, nullptr,
                [](void* end) -> void* {
                  char byte = 0;
                  [[maybe_unused]] const ssize_t got = read(*static_cast<int*>(end), &byte, 1);
                  return end;
                },
                &pipes[0]),
            0);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  usleep(20'000);
  ASSERT_EQ(pthread_cancel(waiting), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(waiting, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  close(pipes[0]);
  close(pipes[1]);
}

TEST_F(Appio, RefusesWhatItCannotCount) {
  int set = AllEvents();
  EXPECT_NE(PAPI_overflow(set, PAPI_NATIVE_MASK, 100, 0, nullptr), PAPI_OK);
  PAPI_option_t option = {};
  option.attach.eventset = set;
  option.attach.tid = static_cast<unsigned long>(getpid());
  EXPECT_NE(PAPI_set_opt(PAPI_ATTACH, &option), PAPI_OK);
  long long values[45] = {};
  EXPECT_NE(PAPI_write(set, values), PAPI_OK);
}

}  // namespace
