#include "tests/compat/papi/bad_input.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <vector>

namespace csink::papi_test {
namespace {

constexpr int kPattern = 0x5a;
constexpr int kSecondsForARow = 20;

Outputs g_ready;
volatile int g_overflows = 0;

/// What the row's process tells ours.
struct Outcome {
  bool set_up = false;
  bool answered = false;
  int code = 0;
  bool finished = false;
  char trouble[2000] = "";

  void Say(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    const size_t used = strlen(trouble);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trouble + used, sizeof trouble - used, format, arguments);
    va_end(arguments);
  }
};

/// Ten milliseconds of processor time: ten overflows of the armed event.
void Burn() {
  timespec start;
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  volatile unsigned sum = 0;
  do {
    for (unsigned i = 0; i < 10'000; ++i) sum = sum + i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) * 1'000'000'000 + now.tv_nsec - start.tv_nsec < 10'000'000);
}

// ---- What must not change ----

void AddLine(std::vector<std::string>& lines, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void AddLine(std::vector<std::string>& lines, const char* format, ...) {
  char line[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  lines.emplace_back(line);
}

void AddSet(std::vector<std::string>& lines, const char* name, int set) {
  if (set == PAPI_NULL) return;
  int status = 0;
  const int state = PAPI_state(set, &status);
  AddLine(lines, "%s: state %d %#x, events %d, multiplexed %d", name, state, status,
          PAPI_num_events(set), PAPI_get_multiplex(set));
  int codes[16] = {};
  int number = 16;
  if (PAPI_list_events(set, codes, &number) == PAPI_OK) {
    for (int i = 0; i < number && i < 16; ++i) AddLine(lines, "%s[%d] = %#x", name, i, codes[i]);
  }
  PAPI_option_t option;
  memset(&option, 0, sizeof option);
  option.domain.eventset = set;
  const int domain = PAPI_get_opt(PAPI_DOMAIN, &option);
  AddLine(lines, "%s: domain %d %#x", name, domain, option.domain.domain);
  memset(&option, 0, sizeof option);
  option.granularity.eventset = set;
  const int granularity = PAPI_get_opt(PAPI_GRANUL, &option);
  AddLine(lines, "%s: granularity %d %#x", name, granularity, option.granularity.granularity);
  memset(&option, 0, sizeof option);
  option.attach.eventset = set;
  const int attached = PAPI_get_opt(PAPI_ATTACH, &option);
  AddLine(lines, "%s: attached %d %lu", name, attached, attached > 0 ? option.attach.tid : 0);
  memset(&option, 0, sizeof option);
  option.inherit.eventset = set;
  const int inherit = PAPI_get_opt(PAPI_INHERIT, &option);
  AddLine(lines, "%s: inherit %d %d", name, inherit, option.inherit.inherit);
}

int OpenDescriptors() {
  int count = 0;
  if (DIR* folder = opendir("/proc/self/fd")) {
    while (readdir(folder)) ++count;
    closedir(folder);
  }
  return count;
}

void AddProcess(std::vector<std::string>& lines) {
  AddLine(lines, "descriptors %d", OpenDescriptors());
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) != 0) continue;
    AddLine(lines, "signal %d: %p", signal, reinterpret_cast<void*>(action.sa_handler));
  }
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (sigismember(&mask, signal)) AddLine(lines, "signal %d blocked", signal);
  }
  for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval value;
    getitimer(timer, &value);
    AddLine(lines, "timer %d: %ld.%06ld", timer, value.it_interval.tv_sec,
            value.it_interval.tv_usec);
  }
}

std::vector<std::string> Snapshot(const Scene& scene) {
  std::vector<std::string> lines;
  AddLine(lines, "initialized %d", PAPI_is_initialized());
  if (PAPI_is_initialized() != PAPI_NOT_INITED) {
    AddSet(lines, "set", scene.set);
    AddSet(lines, "other", scene.other);
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    const int debug = PAPI_get_opt(PAPI_DEBUG, &option);
    AddLine(lines, "debug %d %d", debug, option.debug.level);
    memset(&option, 0, sizeof option);
    const int domain = PAPI_get_cmp_opt(PAPI_DEFDOM, &option, 0);
    AddLine(lines, "default domain %d %#x", domain, option.defdomain.domain);
    const int granularity = PAPI_get_cmp_opt(PAPI_DEFGRN, &option, 0);
    AddLine(lines, "default granularity %d", granularity);
    memset(&option, 0, sizeof option);
    const int slice = PAPI_get_opt(PAPI_DEF_MPX_NS, &option);
    AddLine(lines, "slice %d %d", slice, option.multiplex.ns);
    for (int component = 0; component < PAPI_num_components() && component < 4; ++component) {
      const PAPI_component_info_t* info = PAPI_get_component_info(component);
      if (info) AddLine(lines, "component %d disabled %d", component, info->disabled);
    }
  }
  AddProcess(lines);
  return lines;
}

// ---- The states ----

bool MakeSet(Scene& scene) {
  return PAPI_create_eventset(&scene.set) == PAPI_OK &&
         PAPI_add_event(scene.set, scene.task_clock) == PAPI_OK &&
         PAPI_add_event(scene.set, scene.page_faults) == PAPI_OK &&
         PAPI_create_eventset(&scene.other) == PAPI_OK &&
         PAPI_add_event(scene.other, scene.cpu_clock) == PAPI_OK;
}

bool FinishState(Scene& scene, State state) {
  switch (state) {
    case State::kStopped:
      return true;
    case State::kRunning:
      return PAPI_start(scene.set) == PAPI_OK;
    case State::kMultiplexed:
      return PAPI_multiplex_init() == PAPI_OK && PAPI_set_multiplex(scene.set) == PAPI_OK;
    case State::kAttached:
      scene.child = fork();
      if (scene.child == 0) {
        // Ends with us: the write end of no pipe, the parent's death is its alarm.
        alarm(kSecondsForARow);
        for (;;) Burn();
      }
      return PAPI_attach(scene.set, static_cast<unsigned long>(scene.child)) == PAPI_OK;
    case State::kOverflow:
      return PAPI_overflow(scene.set, scene.task_clock, 1'000'000, 0, CountOverflow) == PAPI_OK;
    case State::kProfiling: {
      static unsigned short buckets[64];
      return PAPI_profil(buckets, sizeof buckets, nullptr, 2, scene.set, scene.task_clock,
                         1'000'000, PAPI_PROFIL_POSIX) == PAPI_OK;
    }
    default:
      return false;
  }
}

bool SetUp(Scene& scene, State state) {
  if (state == State::kBeforeInit) return true;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return false;
  if (PAPI_event_name_to_code("perf::TASK-CLOCK", &scene.task_clock) != PAPI_OK ||
      PAPI_event_name_to_code("perf::PAGE-FAULTS", &scene.page_faults) != PAPI_OK ||
      PAPI_event_name_to_code("perf::CPU-CLOCK", &scene.cpu_clock) != PAPI_OK) {
    return false;
  }
  if (state == State::kInit) return true;
  if (state == State::kEmpty) return PAPI_create_eventset(&scene.set) == PAPI_OK;
  if (state == State::kBound) {
    return PAPI_create_eventset(&scene.set) == PAPI_OK &&
           PAPI_assign_eventset_component(scene.set, 0) == PAPI_OK;
  }
  return MakeSet(scene) && FinishState(scene, state);
}

// ---- After the call ----

void CompareSnapshots(const std::vector<std::string>& before, const std::vector<std::string>& after,
                      Outcome& outcome) {
  for (const std::string& line : after) {
    if (std::find(before.begin(), before.end(), line) == before.end()) {
      outcome.Say("after the call: %s\n", line.c_str());
    }
  }
  if (before.size() > after.size()) {
    outcome.Say("%zu lines fewer in the state\n", before.size() - after.size());
  }
}

void CompareOutputs(const Outputs& now, Outcome& outcome) {
  const auto* a = reinterpret_cast<const unsigned char*>(&now);
  const auto* b = reinterpret_cast<const unsigned char*>(&g_ready);
  for (size_t i = 0; i < sizeof now; ++i) {
    if (a[i] != b[i]) return outcome.Say("it wrote to its outputs, at byte %zu of Outputs\n", i);
  }
}

/// Can the set still count?
void WorkOn(Scene& scene, State state, Outcome& outcome) {
  long long values[2] = {-1, -1};
  if (state == State::kBeforeInit || state == State::kInit) return;
  if (state == State::kEmpty || state == State::kBound) {
    const int code = PAPI_add_event(scene.set, scene.task_clock);
    if (code != PAPI_OK) outcome.Say("then PAPI_add_event: %d\n", code);
  }
  g_overflows = 0;
  if (state != State::kRunning) {
    const int code = PAPI_start(scene.set);
    if (code != PAPI_OK) outcome.Say("then PAPI_start: %d\n", code);
  }
  Burn();
  if (const int code = PAPI_stop(scene.set, values); code != PAPI_OK) {
    outcome.Say("then PAPI_stop: %d\n", code);
  } else if (values[0] <= 0) {
    outcome.Say("then the first event counts %lld\n", values[0]);
  }
  if ((g_overflows > 0) != (state == State::kOverflow)) {
    outcome.Say("then %d overflows\n", g_overflows);
  }
}

void RunRow(const Row& row, Outcome& outcome) {
  static Scene scene;
  memset(&scene.out, kPattern, sizeof scene.out);
  outcome.set_up = SetUp(scene, row.state);
  if (!outcome.set_up) return;
  scene.Ready();
  const std::vector<std::string> before = Snapshot(scene);
  outcome.code = row.run(scene);
  outcome.answered = true;
  if (row.expected < 0) {
    CompareOutputs(scene.out, outcome);
    CompareSnapshots(before, Snapshot(scene), outcome);
    if (scene.set != PAPI_NULL) WorkOn(scene, row.state, outcome);
  }
  if (scene.child > 0) kill(scene.child, SIGKILL);
  outcome.finished = true;
}

/// The row in a process of its own; the status as waitpid gives it.
int Isolated(const Row& row, Outcome& outcome) {
  void* shared =
      mmap(nullptr, sizeof(Outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(shared, MAP_FAILED);
  auto* told = new (shared) Outcome;
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(kSecondsForARow);
    RunRow(row, *told);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  outcome = *told;
  munmap(shared, sizeof(Outcome));
  return status;
}

#ifdef CSINK_PEER
int PeerAnswerOf(const Row& row, const Outcome& outcome, int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return kPeerHangs;
  if (WIFSIGNALED(status)) return kPeerCrashes;
  if (outcome.code != row.expected) return outcome.code;
  return outcome.trouble[0] ? kPeerChanges : kPeerSame;
}
#endif

}  // namespace

void Scene::Ready() { memcpy(static_cast<void*>(&g_ready), &out, sizeof out); }

void CountOverflow(int, void*, long long, void*) { g_overflows = g_overflows + 1; }

int ForEachWrongHandle(Scene& scene, int (*call)(Scene&, int)) {
  int gone = PAPI_NULL;
  if (PAPI_is_initialized() && PAPI_create_eventset(&gone) == PAPI_OK) {
    int handle = gone;
    if (PAPI_destroy_eventset(&handle) != PAPI_OK) return PAPI_EBUG;
  }
  for (const int handle : {PAPI_NULL, gone, -2, 4711, INT_MAX, INT_MIN}) {
    const int code = call(scene, handle);
    if (code != PAPI_ENOEVST) return code;
  }
  return PAPI_ENOEVST;
}

int SetOption(Scene& scene, int option, void (*fill)(Scene&, PAPI_option_t&)) {
  fill(scene, scene.out.option);
  scene.Ready();
  return PAPI_set_opt(option, &scene.out.option);
}

int GetOption(Scene& scene, int option, void (*fill)(Scene&, PAPI_option_t&)) {
  fill(scene, scene.out.option);
  scene.Ready();
  return PAPI_get_opt(option, &scene.out.option);
}

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.call;
  if (row.why) *out << " (" << row.why << ")";
}

std::string RowName(const ::testing::TestParamInfo<Row>& info) {
  static const char* const kStates[] = {"BeforeInit", "Init",     "Empty",       "Bound",
                                        "Stopped",    "Running",  "Multiplexed", "Attached",
                                        "Overflow",   "Profiling"};
  std::string name = kStates[static_cast<int>(info.param.state)];
  const std::string call = info.param.call;
  const size_t start = call.find("PAPI_");
  for (size_t i = start == std::string::npos ? 0 : start; i < call.size(); ++i) {
    if (!isalnum(static_cast<unsigned char>(call[i])) && call[i] != '_') break;
    if (name.size() < 60) name += call[i] == '_' ? '_' : call[i];
  }
  return name + "_" + std::to_string(info.index);
}

TEST_P(BadInput, AnswersAndChangesNothing) {
  const Row& row = GetParam();
  Outcome outcome;
  const int status = Isolated(row, outcome);
  if (WIFEXITED(status) && !outcome.set_up) {
#ifdef CSINK_PEER
    GTEST_SKIP() << "this library cannot get into the state that the row needs";
#endif
    FAIL() << row.call << ": the state that the row needs could not be made";
  }
#ifdef CSINK_PEER
  const int answer = PeerAnswerOf(row, outcome, status);
  if (getenv("CSINK_PEER_TABLE")) {
    printf("%d\t%d\t%s\t%s\n", row.expected, answer, row.call, outcome.trouble);
    return;
  }
  if (row.peer == kPeerVaries) return;
  EXPECT_EQ(answer, row.peer) << row.call << "\nour code: " << row.expected << "\n"
                              << outcome.trouble;
#else
  ASSERT_TRUE(WIFEXITED(status)) << row.call << ": "
                                 << (outcome.answered ? "after its answer, " : "")
                                 << (WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended");
  EXPECT_EQ(outcome.code, row.expected) << row.call;
  EXPECT_STREQ(outcome.trouble, "") << row.call;
#endif
}

}  // namespace csink::papi_test
