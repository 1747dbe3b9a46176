#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cstring>
#include <thread>

#include "compat/papi/include/csink_papi.h"
#include "tests/compat/papi/papi_fixture.h"

namespace papi_test {
namespace {

PAPI_option_t Empty() {
  PAPI_option_t option;
  std::memset(&option, 0, sizeof option);
  return option;
}

using Options = PapiTest;

TEST_F(Options, OfTheLibrary) {
  EXPECT_EQ(PAPI_get_opt(PAPI_LIB_VERSION, nullptr), PAPI_VERSION);
  EXPECT_GT(PAPI_get_opt(PAPI_CLOCKRATE, nullptr), 0);
  EXPECT_GT(PAPI_get_opt(PAPI_MAX_CPUS, nullptr), 0);
  EXPECT_EQ(PAPI_get_opt(PAPI_MAX_HWCTRS, nullptr), PAPI_num_hwctrs());
  EXPECT_EQ(PAPI_get_opt(PAPI_DEFDOM, nullptr), PAPI_DOM_USER);
  EXPECT_EQ(PAPI_get_opt(PAPI_DEFGRN, nullptr), PAPI_GRN_THR);
  PAPI_option_t option = Empty();
  ASSERT_EQ(PAPI_get_opt(PAPI_PRELOAD, &option), PAPI_OK);
  EXPECT_STREQ(option.preload.lib_preload_env, "LD_PRELOAD");
  EXPECT_EQ(option.preload.lib_dir_sep, ':');
  for (const int needs : {PAPI_DEBUG, PAPI_PRELOAD, PAPI_HWINFO, PAPI_EXEINFO, PAPI_SHLIBINFO,
                          PAPI_COMPONENTINFO, PAPI_DOMAIN, PAPI_DEF_MPX_NS, PAPI_MULTIPLEX}) {
    EXPECT_EQ(PAPI_get_opt(needs, nullptr), PAPI_EINVAL) << needs;
  }
  for (const int unknown : {0, 9, 10, 12, 99, -1}) {
    EXPECT_EQ(PAPI_get_opt(unknown, &option), PAPI_EINVAL) << unknown;
    EXPECT_EQ(PAPI_set_opt(unknown, &option), PAPI_EINVAL) << unknown;
  }
  EXPECT_EQ(PAPI_set_opt(PAPI_DOMAIN, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, nullptr, 99), PAPI_ENOCMP);
}

TEST_F(Options, IntervalAndTimer) {
  PAPI_option_t option = Empty();
  option.multiplex.ns = 5'000'000;
  ASSERT_EQ(PAPI_set_opt(PAPI_DEF_MPX_NS, &option), PAPI_OK);
  option = Empty();
  ASSERT_EQ(PAPI_get_opt(PAPI_DEF_ITIMER_NS, &option), PAPI_OK);
  EXPECT_EQ(option.itimer.ns, 5'000'000);
  option.multiplex.ns = -1;
  EXPECT_EQ(PAPI_set_opt(PAPI_DEF_MPX_NS, &option), PAPI_EINVAL);
  option = Empty();
  option.itimer = {1, SIGVTALRM, 0, 0};
  EXPECT_EQ(PAPI_set_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
  ASSERT_EQ(PAPI_get_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
  EXPECT_EQ(option.itimer.itimer_sig, SIGVTALRM);
  EXPECT_EQ(option.itimer.ns, 5'000'000);
  option.itimer.itimer_sig = 999;
  EXPECT_EQ(PAPI_set_opt(PAPI_DEF_ITIMER, &option), PAPI_EINVAL);
}

// PAPI_DEF_ITIMER: accepted and stored; the flags say what ticks in its place.
TEST_F(Options, DefItimerTellsWhatReallyDrivesIt) {
  PAPI_option_t option = Empty();
  ASSERT_EQ(PAPI_get_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
  EXPECT_EQ(option.itimer.itimer_num, ITIMER_PROF) << "PAPI's default, also after a shutdown";
  EXPECT_EQ(option.itimer.itimer_sig, SIGPROF);
  option.itimer = {ITIMER_VIRTUAL, SIGVTALRM, 2'000'000, 77};
  ASSERT_EQ(PAPI_set_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
  option = Empty();
  ASSERT_EQ(PAPI_get_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
  EXPECT_EQ(option.itimer.itimer_num, ITIMER_VIRTUAL);
  EXPECT_EQ(option.itimer.itimer_sig, SIGVTALRM);
  EXPECT_EQ(option.itimer.ns, 2'000'000);
  const int flags = option.itimer.flags;
  EXPECT_EQ(flags & CSINK_PAPI_ITIMER_THREAD_CPU, CSINK_PAPI_ITIMER_THREAD_CPU);

  // While such a timer runs, the signal that was told is taken, and the stored one is not.
  const int set = SetOf({"perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_overflow(set, CodeOf("perf::TASK-CLOCK"), 1'000'000, PAPI_OVERFLOW_FORCE_SW,
                          [](int, void*, long long, void*) {}),
            PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  struct sigaction told;
  struct sigaction stored;
  EXPECT_EQ(sigaction(CSINK_PAPI_ITIMER_SIGNAL(flags), nullptr, &told), 0);
  EXPECT_EQ(sigaction(SIGVTALRM, nullptr, &stored), 0);
  itimerval timer;
  getitimer(ITIMER_VIRTUAL, &timer);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_NE(told.sa_handler, SIG_DFL);
  EXPECT_EQ(stored.sa_handler, SIG_DFL);
  EXPECT_EQ(timer.it_value.tv_sec + timer.it_value.tv_usec, 0);
}

TEST_F(Options, DefaultDomainServesNewSetsOnly) {
  const int before = SetOf({"perf::PAGE-FAULTS"});
  for (const int wrong : {0, 0x100, -1}) EXPECT_EQ(PAPI_set_domain(wrong), PAPI_EINVAL) << wrong;
  EXPECT_EQ(PAPI_set_domain(PAPI_DOM_OTHER), PAPI_ENOSUPP);
  EXPECT_EQ(PAPI_set_cmp_domain(PAPI_DOM_USER, 99), PAPI_ENOCMP);
  ASSERT_EQ(PAPI_set_domain(PAPI_DOM_USER | PAPI_DOM_KERNEL), PAPI_OK);
  const int after = SetOf({"perf::PAGE-FAULTS"});
  PAPI_option_t option = Empty();
  option.domain.eventset = before;
  ASSERT_EQ(PAPI_get_opt(PAPI_DOMAIN, &option), PAPI_OK);
  EXPECT_EQ(option.domain.domain, PAPI_DOM_USER);
  option.domain.eventset = after;
  ASSERT_EQ(PAPI_get_opt(PAPI_DOMAIN, &option), PAPI_OK);
  EXPECT_EQ(option.domain.domain, PAPI_DOM_USER | PAPI_DOM_KERNEL);
}

TEST_F(Options, OfASetNeedAComponentAndAStoppedSet) {
  const int set = SetOf({});
  PAPI_option_t option = Empty();
  option.domain.eventset = set;
  option.domain.domain = PAPI_DOM_ALL;
  EXPECT_EQ(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_ENOCMP);
  ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
  EXPECT_EQ(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_OK);
  option.domain.domain = 0;
  EXPECT_EQ(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_EINVAL_DOM);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  option.domain.domain = PAPI_DOM_USER;
  EXPECT_EQ(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_EISRUN);
  EXPECT_EQ(PAPI_set_multiplex(set), PAPI_EISRUN);
  EXPECT_EQ(PAPI_attach(set, static_cast<unsigned long>(getpid())), PAPI_EISRUN);
  EXPECT_EQ(PAPI_detach(set), PAPI_EISRUN);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  option.domain.eventset = 99;
  EXPECT_EQ(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_ENOEVST);
  EXPECT_EQ(PAPI_get_opt(PAPI_DOMAIN, &option), PAPI_ENOEVST);
}

TEST_F(Options, Granularity) {
  for (const int wrong : {0, PAPI_GRN_PROC, PAPI_GRN_PROCG, PAPI_GRN_SYS_CPU, 99}) {
    EXPECT_EQ(PAPI_set_granularity(wrong), PAPI_EINVAL) << wrong;
  }
  EXPECT_EQ(PAPI_set_granularity(PAPI_GRN_THR), PAPI_OK);
  EXPECT_EQ(PAPI_set_cmp_granularity(PAPI_GRN_THR, 99), PAPI_ENOCMP);
}

TEST_F(Options, GranularityServesNewSetsOnlyAndCountsAWholeCpu) {
  const int before = SetOf({"perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_set_granularity(PAPI_GRN_SYS), PAPI_OK);
  EXPECT_EQ(PAPI_get_opt(PAPI_DEFGRN, nullptr), PAPI_GRN_SYS);
  PAPI_option_t option = Empty();
  option.granularity.eventset = before;
  ASSERT_EQ(PAPI_get_opt(PAPI_GRANUL, &option), PAPI_OK);
  EXPECT_EQ(option.granularity.granularity, PAPI_GRN_THR);
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  const int added = PAPI_add_named_event(set, "perf::CPU-CLOCK");
  if (added == PAPI_EPERM) GTEST_SKIP() << "perf_event_paranoid forbids counting a whole CPU";
  ASSERT_EQ(added, PAPI_OK);
  option.granularity.eventset = set;
  ASSERT_EQ(PAPI_get_opt(PAPI_GRANUL, &option), PAPI_OK);
  EXPECT_EQ(option.granularity.granularity, PAPI_GRN_SYS);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  usleep(20'000);  // we sleep, the CPU's clock does not
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GE(value, 15'000'000);
}

using Multiplex = PapiTest;

TEST_F(Multiplex, IsSwitchedOnOnce) {
  EXPECT_EQ(PAPI_multiplex_init(), PAPI_OK);
  const int set = SetOf({});
  EXPECT_EQ(PAPI_set_multiplex(set), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_set_multiplex(99), PAPI_ENOEVST);
  EXPECT_EQ(PAPI_get_multiplex(99), PAPI_ENOEVST);
  ASSERT_EQ(PAPI_assign_eventset_component(set, 0), PAPI_OK);
  EXPECT_EQ(PAPI_get_multiplex(set), 0);
  ASSERT_EQ(PAPI_set_multiplex(set), PAPI_OK);
  EXPECT_EQ(PAPI_set_multiplex(set), PAPI_EINVAL);
  EXPECT_GT(PAPI_get_multiplex(set), 0);
  EXPECT_EQ(StateOf(set), PAPI_STOPPED | PAPI_MULTIPLEXING);
}

TEST_F(Multiplex, CountsByKernelAndByForcedSoftware) {
  for (const int flags : {PAPI_MULTIPLEX_DEFAULT, PAPI_MULTIPLEX_FORCE_SW}) {
    const int set = SetOf({"perf::TASK-CLOCK", "perf::CPU-CLOCK", "perf::PAGE-FAULTS"});
    PAPI_option_t option = Empty();
    option.multiplex = {set, 0, flags};
    ASSERT_EQ(PAPI_set_opt(PAPI_MULTIPLEX, &option), PAPI_OK) << flags;
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    Burn(50);
    long long values[3];
    ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
    EXPECT_GT(values[0], 20'000'000) << flags;
    EXPECT_GT(values[1], 20'000'000) << flags;
  }
  PAPI_option_t option = Empty();
  option.multiplex = {SetOf({"perf::TASK-CLOCK"}), 0, 55};
  EXPECT_EQ(PAPI_set_opt(PAPI_MULTIPLEX, &option), PAPI_EINVAL);
}

using Attach = PapiTest;

TEST_F(Attach, CountsAChildUntilItHasGone) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    char start = 0;
    if (read(go[0], &start, 1) == 1)
      Burn(21);  // the event's clock and the thread's differ a little
    _exit(0);
  }
  ASSERT_EQ(PAPI_attach(set, static_cast<unsigned long>(child)), PAPI_OK);
  EXPECT_EQ(StateOf(set), PAPI_STOPPED | PAPI_ATTACHED);
  PAPI_option_t option = Empty();
  option.attach.eventset = set;
  EXPECT_EQ(PAPI_get_opt(PAPI_ATTACH, &option), 1);
  EXPECT_EQ(option.attach.tid, static_cast<unsigned long>(child));
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  ASSERT_EQ(write(go[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GE(value, 20'000'000);
  ASSERT_EQ(PAPI_detach(set), PAPI_OK);
  EXPECT_EQ(PAPI_detach(set), PAPI_EINVAL);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  close(go[0]);
  close(go[1]);
}

TEST_F(Attach, TakesTheNumberThatAThreadGivesItself) {
  ASSERT_EQ(PAPI_thread_init(pthread_self), PAPI_OK);
  const int set = SetOf({"perf::TASK-CLOCK"});
  std::atomic<int> step{0};
  std::thread worker([&] {
    PAPI_register_thread();
    step = 1;
    while (step != 2) std::this_thread::yield();
    Burn(10);
  });
  while (step != 1) std::this_thread::yield();
  const auto id = static_cast<unsigned long>(worker.native_handle());
  EXPECT_EQ(PAPI_attach(set, id), PAPI_OK);
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  step = 2;
  worker.join();
  long long value = 0;
  EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GE(value, 9'900'000);  // the clocks of the event and of the thread differ by a little
}

TEST_F(Attach, RefusesThreadsThatAreNotThere) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  for (const unsigned long tid : {0UL, 99'999'999UL, ~0UL}) {
    EXPECT_EQ(PAPI_attach(set, tid), PAPI_EINVAL) << tid;
  }
  EXPECT_EQ(StateOf(set), PAPI_STOPPED);
}

TEST_F(Attach, ToACpuThatIsThere) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  PAPI_option_t option = Empty();
  option.cpu = {set, 5000};
  EXPECT_EQ(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_EINVAL);
  EXPECT_EQ(PAPI_get_opt(PAPI_CPU_ATTACH, &option), 0);
  option.cpu = {set, 0};
  const int attached = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
  if (attached == PAPI_EPERM) GTEST_SKIP() << "perf_event_paranoid forbids counting a whole CPU";
  ASSERT_EQ(attached, PAPI_OK);
  EXPECT_EQ(StateOf(set), PAPI_STOPPED | PAPI_CPU_ATTACHED);
  EXPECT_EQ(PAPI_attach(set, static_cast<unsigned long>(getpid())), PAPI_ECMP);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

using Inherit = PapiTest;

TEST_F(Inherit, CountsTheThreadsMadeLater) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  PAPI_option_t option = Empty();
  option.inherit = {set, 7};
  EXPECT_EQ(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_EINVAL);
  option.inherit = {set, PAPI_INHERIT_ALL};
  ASSERT_EQ(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  std::thread([] { Burn(21); }).join();  // the event's clock and the thread's differ a little
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GE(value, 20'000'000);
}

TEST(Components, AreSwitchedOffBeforeTheStart) {
  PresetFile();
  EXPECT_EQ(PAPI_disable_component(99), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_disable_component_by_name("nonesuch"), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_disable_component_by_name(nullptr), PAPI_EINVAL);
  ASSERT_EQ(PAPI_disable_component_by_name("perf_event"), PAPI_OK);
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_EQ(PAPI_get_component_index("perf_event"), 0);
  EXPECT_EQ(PAPI_get_component_index("nonesuch"), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_disable_component(0), PAPI_ENOINIT);
  const PAPI_component_info_t* info = PAPI_get_component_info(0);
  ASSERT_NE(info, nullptr);
  EXPECT_NE(info->disabled, 0);
  EXPECT_GT(std::strlen(info->disabled_reason), 10u);
  EXPECT_EQ(PAPI_get_component_info(99), nullptr);
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  EXPECT_EQ(PAPI_assign_eventset_component(set, 0), PAPI_ECMP_DISABLED);
  PAPI_shutdown();
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_EQ(PAPI_get_component_info(0)->disabled, 0);
  PAPI_shutdown();
}

TEST(Components, AreSwitchedOffByTheEnvironment) {
  setenv("PAPI_DISABLE_COMPONENTS", "nonesuch:stealtime,,perf_event_uncore,", 1);
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  for (const char* name : {"stealtime", "perf_event_uncore"}) {
    const int index = PAPI_get_component_index(name);
    EXPECT_STREQ(PAPI_get_component_info(index)->disabled_reason,
                 "disabled by the user (PAPI_DISABLE_COMPONENTS)")
        << name;
    int code = PAPI_NATIVE_MASK;
    EXPECT_EQ(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index), PAPI_ENOCMP) << name;
  }
  EXPECT_EQ(PAPI_get_component_info(0)->disabled, 0);
  PAPI_shutdown();
  unsetenv("PAPI_DISABLE_COMPONENTS");
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_STRNE(PAPI_get_component_info(PAPI_get_component_index("stealtime"))->disabled_reason,
               "disabled by the user (PAPI_DISABLE_COMPONENTS)");
  PAPI_shutdown();
}

}  // namespace
}  // namespace papi_test
