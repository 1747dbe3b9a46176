#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "compat/papi/include/papi.h"

/// File: what the tests of libpapi's calls have in common. They see papi.h alone, and count the
/// kernel's software events, which exist everywhere.

namespace papi_test {

/// A file of presets that libpapi uses in this process. It is deleted at the end of the process
/// that made it, not at that of a child.
class OwnPresets {
 public:
  explicit OwnPresets(const char* text) {
    close(mkstemp(path_.data()));
    std::ofstream(path_) << text;
    setenv("PAPI_CSV_EVENT_FILE", path_.c_str(), 1);
  }
  ~OwnPresets() {
    if (getpid() == maker_) unlink(path_.c_str());
  }
  OwnPresets(const OwnPresets&) = delete;
  OwnPresets& operator=(const OwnPresets&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "csink_papi_presets_XXXXXX";
  pid_t maker_ = getpid();
};

/// Presets over software events: PAPI reads the file's name once, at the first use of a preset.
inline const std::string& PresetFile() {
  static const OwnPresets presets(
      "CPU,perf\n"
      "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK\n"
      "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::TASK-CLOCK\n"
      "PRESET,PAPI_L1_TCM,NOT_DERIVED,perf::PAGE-FAULTS\n"
      "PRESET,PAPI_BR_CN,DERIVED_ADD,perf::CPU-CLOCK,perf::PAGE-FAULTS\n"
      "PRESET,PAPI_BR_MSP,DERIVED_POSTFIX,N0|N1|-|2|*|,perf::PAGE-FAULTS,perf::MAJOR-FAULTS\n"
      "EVENT,MY_FAULTS,NOT_DERIVED,perf::PAGE-FAULTS\n");
  return presets.path();
}

/// Uses about `ms` of this thread's CPU time: a twentieth more, since a counter is off for some
/// microseconds at each switch to another thread.
inline void Burn(int ms) {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const long long end = t.tv_sec * 1'000'000'000LL + t.tv_nsec + ms * 1'050'000LL;
  volatile double sum = 0;
  do {
    for (int i = 0; i < 2000; ++i) sum = sum + i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec * 1'000'000'000LL + t.tv_nsec < end);
}

/// Touches `pages` fresh pages: so many page faults at least.
inline void Touch(int pages) {
  const std::size_t bytes = static_cast<std::size_t>(pages) * 4096;
  void* fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(fresh, bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<volatile char*>(fresh)[i] = 1;
  munmap(fresh, bytes);
}

/// Runs `body` in a forked child; its answer is the child's exit status.
template <class F>
int InChild(F body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

/// An initialised library, shut down afterwards.
class PapiTest : public testing::Test {
 protected:
  void SetUp() override {
    PresetFile();
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  }
  void TearDown() override { PAPI_shutdown(); }

  /// A new set with these events by name.
  static int SetOf(std::initializer_list<const char*> names) {
    int set = PAPI_NULL;
    EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    for (const char* name : names) EXPECT_EQ(PAPI_add_named_event(set, name), PAPI_OK) << name;
    return set;
  }
  static int CodeOf(const char* name) {
    int code = 0;
    EXPECT_EQ(PAPI_event_name_to_code(name, &code), PAPI_OK) << name;
    return code;
  }
  static int StateOf(int set) {
    int state = 0;
    EXPECT_EQ(PAPI_state(set, &state), PAPI_OK);
    return state;
  }
};

}  // namespace papi_test
