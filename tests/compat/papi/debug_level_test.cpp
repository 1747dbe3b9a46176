// PAPI_set_debug: its levels, and what is printed. Each in a process of its own, as one of them
// ends the process.
#include <sys/wait.h>

#include <cstring>
#include <string>

#include "tests/compat/papi/papi_fixture.h"
#include "tests/fakes/captured_stderr.h"

namespace papi_test {
namespace {

struct Ended {
  int status = -1;  ///< The exit status; 1000 and more: a signal
  std::string said;
};

/// Runs `body` in a child, whose standard error is kept.
template <class F>
Ended InChild(F body) {
  const csink::testing::CapturedStderr captured;
  const pid_t child = fork();
  if (child == 0) _exit(body());
  Ended ended;
  int status = 0;
  waitpid(child, &status, 0);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
  ended.said = captured.text();
  return ended;
}

/// A call that fails, and one that fails with more to say.
int FailTwice() {
  int code = 0;
  if (PAPI_start(4711) != PAPI_ENOEVST) return 1;
  return PAPI_event_name_to_code("PAPI_TOT_CYK", &code) == PAPI_ENOEVNT ? 33 : 2;
}

using DebugLevel = PapiTest;

TEST_F(DebugLevel, QuietPrintsNothingAndIsTheDefault) {
  EXPECT_EQ(PAPI_set_debug(PAPI_QUIET), PAPI_OK);
  for (const Ended& ended : {InChild(FailTwice), InChild([] {
                               PAPI_set_debug(PAPI_VERB_ECONT);
                               PAPI_set_debug(PAPI_QUIET);
                               return FailTwice();
                             })}) {
    EXPECT_EQ(ended.status, 33);
    EXPECT_EQ(ended.said, "");
  }
}

TEST_F(DebugLevel, EcontPrintsCodeNameAndDescriptionAndGoesOn) {
  const Ended ended = InChild([] {
    PAPI_set_debug(PAPI_VERB_ECONT);
    return FailTwice();
  });
  EXPECT_EQ(ended.status, 33);
  EXPECT_EQ(ended.said.rfind("PAPI Error: Error Code -11,PAPI_ENOEVST,No such event set\n", 0), 0u)
      << ended.said;
  EXPECT_NE(ended.said.find("PAPI Error: Error Code -7,PAPI_ENOEVNT,No such event on this machine: "
                            "there is no preset PAPI_TOT_CYK"),
            std::string::npos)
      << ended.said;
}

TEST_F(DebugLevel, EstopPrintsAndExits) {
  const Ended ended = InChild([] {
    PAPI_set_debug(PAPI_VERB_ESTOP);
    return FailTwice();
  });
  EXPECT_EQ(ended.status, EXIT_FAILURE);
  EXPECT_EQ(ended.said, "PAPI Error: Error Code -11,PAPI_ENOEVST,No such event set\n");
}

TEST_F(DebugLevel, OfASystemCallSaysWhatTheSystemSaid) {
  const Ended ended = InChild([] {
    PAPI_set_debug(PAPI_VERB_ECONT);
    return PAPI_encode_events("/", 0) == PAPI_ESYS ? 33 : 1;
  });
  EXPECT_EQ(ended.status, 33);
  const std::string words =
      std::string("PAPI Error: Error Code -3,PAPI_ESYS,A system call failed: ") +
      std::strerror(EISDIR);
  EXPECT_EQ(ended.said.rfind(words, 0), 0u) << ended.said;
}

TEST_F(DebugLevel, MayBeSetBeforeTheLibraryStartsAndByOption) {
  PAPI_shutdown();
  ASSERT_EQ(PAPI_set_debug(PAPI_VERB_ECONT), PAPI_OK);
  {
    const csink::testing::CapturedStderr captured;
    EXPECT_EQ(PAPI_library_init(12), PAPI_EINVAL);
    EXPECT_EQ(captured.text().rfind("PAPI Error: Error Code -1,PAPI_EINVAL,Invalid argument: ", 0),
              0u)
        << captured.text();
  }
  PAPI_option_t option = {};
  ASSERT_EQ(PAPI_get_opt(PAPI_DEBUG, &option), PAPI_OK);
  EXPECT_EQ(option.debug.level, PAPI_VERB_ECONT);
  option.debug.level = PAPI_QUIET;
  ASSERT_EQ(PAPI_set_opt(PAPI_DEBUG, &option), PAPI_OK);
  const csink::testing::CapturedStderr captured;
  EXPECT_EQ(PAPI_library_init(12), PAPI_EINVAL);
  EXPECT_EQ(captured.text(), "");
}

TEST_F(DebugLevel, OfNoSuchNumberIsRefused) {
  for (const int level : {-1, 3, 99}) EXPECT_EQ(PAPI_set_debug(level), PAPI_EINVAL) << level;
}

}  // namespace
}  // namespace papi_test
