// What one call of PAPI costs, in CPU time of the calling thread. Linked with no libpapi of its own:
// the caller's LD_LIBRARY_PATH decides whose is measured.
//   papi_calls calls      one line an operation: name, nanoseconds a call
//   papi_calls pairs      starting and stopping by the low level and, where there is one, 3.5's high level
//   papi_calls regions    PAPI_hl_region_begin + PAPI_hl_region_end
//   papi_calls init | start | start_pfm | enumerate    what happens once in a process
//   papi_calls overflow | profil                       one hit, by the difference of two runs of one loop
//   papi_calls repeat WHAT TIMES                       for counting instructions
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char* const kEvents[4] = {"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CPU-MIGRATIONS",
                                       "perf::MINOR-FAULTS"};

static double NsOf(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
static double Ns(void) { return NsOf(CLOCK_THREAD_CPUTIME_ID); }

static void Need(int code, const char* what) {
  if (code == PAPI_OK) return;
  fprintf(stderr, "papi_calls: %s: %s\n", what, PAPI_strerror(code));
  exit(1);
}

static void Init(void) {
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) Need(PAPI_EINVAL, "PAPI_library_init");
}

static int MakeSet(int events) {
  int set = PAPI_NULL;
  Need(PAPI_create_eventset(&set), "PAPI_create_eventset");
  for (int i = 0; i < events; ++i) Need(PAPI_add_named_event(set, kEvents[i]), kEvents[i]);
  return set;
}

static void DropSet(int set) {
  Need(PAPI_cleanup_eventset(set), "PAPI_cleanup_eventset");
  Need(PAPI_destroy_eventset(&set), "PAPI_destroy_eventset");
}

// The best of several short runs: a figure of the code, not of its neighbours.
#define MEASURE(name, count, call)                       \
  do {                                                   \
    double best = 1e18;                                  \
    for (int run = 0; run < 9; ++run) {                  \
      const double start = Ns();                         \
      for (int i = 0; i < (count); ++i) call;            \
      const double ns = (Ns() - start) / (count);        \
      if (ns < best) best = ns;                          \
    }                                                    \
    printf("%s %.2f\n", name, best);                     \
  } while (0)

static int OpenRaw(uint64_t config, int leader, uint64_t read_format) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  attr.exclude_kernel = 1;
  attr.read_format = read_format;
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
}

// The events of kEvents as a program without any library opens them: one alone, or a group of four.
static int OpenRawEvents(int events) {
  static const uint64_t kConfigs[4] = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
                                       PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS_MIN};
  int leader = -1;
  for (int i = 0; i < events; ++i) {
    const int fd = OpenRaw(kConfigs[i], leader, events > 1 ? PERF_FORMAT_GROUP : 0);
    if (fd < 0) Need(PAPI_ESYS, "perf_event_open");
    if (leader < 0) leader = fd;
  }
  return leader;
}

static void ReadRaw(int fd, int events) {
  uint64_t values[5];
  const ssize_t wanted = (ssize_t)sizeof values[0] * (events > 1 ? 1 + events : 1);
  if (read(fd, values, (size_t)wanted) != wanted) Need(PAPI_ESYS, "read");
}

static int ByValue(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// PAPI_read beside a plain read(2) of the same events: slices of either by turns, so that both meet
// the same machine, and the median of the slices. Which goes first changes, too.
static void MeasureReads(int events) {
  enum { kSlices = 1000, kCalls = 50 };
  static double slices[2][kSlices];
  long long values[4];
  const int raw = OpenRawEvents(events);
  const int set = MakeSet(events);
  Need(PAPI_start(set), "PAPI_start");
  for (int i = 0; i < 2 * kSlices; ++i) {
    const int slice = i / 2, by_papi = (i + slice) & 1;
    const double start = Ns();
    if (by_papi) {
      for (int call = 0; call < kCalls; ++call) PAPI_read(set, values);
    } else {
      for (int call = 0; call < kCalls; ++call) ReadRaw(raw, events);
    }
    slices[by_papi][slice] = (Ns() - start) / kCalls;
  }
  Need(PAPI_stop(set, values), "PAPI_stop");
  DropSet(set);
  for (int i = 0; i < 2; ++i) qsort(slices[i], kSlices, sizeof(double), ByValue);
  printf("raw%d %.2f\nread%d %.2f\n", events, slices[0][kSlices / 2], events,
         slices[1][kSlices / 2]);
}

// PAPI 7.0's library has no high level of 3.5: the names are looked up.
typedef int (*StartCounters)(int*, int);
typedef int (*StopCounters)(long long*, int);

// Starting and stopping two events by either level: slices by turns, the median of the slices.
static void MeasurePairs(void) {
  enum { kSlices = 1000, kPairs = 20 };
  static double slices[2][kSlices];
  const StartCounters start_counters = (StartCounters)dlsym(RTLD_DEFAULT, "PAPI_start_counters");
  const StopCounters stop_counters = (StopCounters)dlsym(RTLD_DEFAULT, "PAPI_stop_counters");
  const int levels = start_counters && stop_counters ? 2 : 1;
  long long values[2];
  int events[2];
  for (int i = 0; i < 2; ++i) Need(PAPI_event_name_to_code(kEvents[i], &events[i]), kEvents[i]);
  const int set = MakeSet(2);
  for (int i = 0; i < levels * kSlices; ++i) {
    const int slice = i / levels, high = levels == 2 ? (i + slice) & 1 : 0;
    const double start = Ns();
    for (int pair = 0; pair < kPairs; ++pair) {
      const int started = high ? start_counters(events, 2) : PAPI_start(set);
      const int stopped = high ? stop_counters(values, 2) : PAPI_stop(set, values);
      if (started != PAPI_OK || stopped != PAPI_OK) Need(PAPI_EBUG, "a pair");
    }
    slices[high][slice] = (Ns() - start) / kPairs;
  }
  DropSet(set);
  for (int high = 0; high < levels; ++high) {
    qsort(slices[high], kSlices, sizeof(double), ByValue);
    printf("%s %.2f\n", high ? "pair_high" : "pair_low", slices[high][kSlices / 2]);
  }
}

// A region of the high level of 7.0, begun and ended.
static void MeasureRegions(void) {
  MEASURE("region", 500, (PAPI_hl_region_begin("region"), PAPI_hl_region_end("region")));
  fflush(stdout);
  _exit(0);  // no report
}

static unsigned long ThreadId(void) { return (unsigned long)pthread_self(); }

// Debian's locks do nothing in a program that has not called PAPI_thread_init.
static void MeasureLock(void) {
  Need(PAPI_thread_init(ThreadId), "PAPI_thread_init");
  MEASURE("lock", 20000, (PAPI_lock(PAPI_USR1_LOCK), PAPI_unlock(PAPI_USR1_LOCK)));
}

static void MeasureCalls(void) {
  long long values[4];
  Init();
  MEASURE("real_nsec", 20000, (void)PAPI_get_real_nsec());
  MEASURE("real_cyc", 20000, (void)PAPI_get_real_cyc());
  MEASURE("virt_usec", 5000, (void)PAPI_get_virt_usec());
  MEASURE("set_life", 200, DropSet(MakeSet(1)));
  for (int events = 1; events <= 4; events += 3) {
    MeasureReads(events);
    const int set = MakeSet(events);
    Need(PAPI_start(set), "PAPI_start");
    MEASURE(events == 1 ? "accum1" : "accum4", 2000, PAPI_accum(set, values));
    Need(PAPI_stop(set, values), "PAPI_stop");
    DropSet(set);
  }
  MeasureLock();
}

// What Repeat repeats.
struct Repeated {
  int raw, set, events;
  long long values[4];
};
static void DoNothing(struct Repeated* r) { (void)r; }
static void DoRead(struct Repeated* r) { PAPI_read(r->set, r->values); }
static void DoReadRaw(struct Repeated* r) { ReadRaw(r->raw, r->events); }
static void DoAccum(struct Repeated* r) { PAPI_accum(r->set, r->values); }
static void DoLock(struct Repeated* r) {
  (void)r;
  PAPI_lock(PAPI_USR1_LOCK);
  PAPI_unlock(PAPI_USR1_LOCK);
}
static void DoSetLife(struct Repeated* r) {
  (void)r;
  DropSet(MakeSet(1));
}

static const struct {
  const char* name;
  void (*work)(struct Repeated*);
  int events;
} kRepeated[] = {{"nothing", DoNothing, 1}, {"read1", DoRead, 1},   {"read4", DoRead, 4},
                 {"raw4", DoReadRaw, 4},    {"accum4", DoAccum, 4}, {"lock", DoLock, 1},
                 {"set_life", DoSetLife, 1}};

// One operation `times` times, for counting its instructions by the difference of two such runs.
static void Repeat(const char* what, long times) {
  size_t found = 0;
  while (found < sizeof kRepeated / sizeof kRepeated[0] &&
         strcmp(what, kRepeated[found].name) != 0) {
    ++found;
  }
  if (found == sizeof kRepeated / sizeof kRepeated[0]) Need(PAPI_EINVAL, what);
  void (*volatile const work)(struct Repeated*) = kRepeated[found].work;
  struct Repeated r = {0, 0, kRepeated[found].events, {0, 0, 0, 0}};
  Init();
  Need(PAPI_thread_init(ThreadId), "PAPI_thread_init");
  r.raw = OpenRawEvents(r.events);
  r.set = MakeSet(r.events);
  Need(PAPI_start(r.set), "PAPI_start");
  for (long i = 0; i < times; ++i) work(&r);
  Need(PAPI_stop(r.set, r.values), "PAPI_stop");
}

static void MeasureStart(const char* name, const char* event) {
  const double start = Ns();
  int set = PAPI_NULL, code = 0;
  Init();
  Need(PAPI_event_name_to_code(event, &code), "PAPI_event_name_to_code");
  Need(PAPI_create_eventset(&set), "PAPI_create_eventset");
  Need(PAPI_add_event(set, code), "PAPI_add_event");
  Need(PAPI_start(set), "PAPI_start");
  const double end = Ns();
  // The second: since the process began, so that libraries count whoever loads them.
  printf("%s %.0f\n%s_process %.0f\n", name, end - start, name, NsOf(CLOCK_PROCESS_CPUTIME_ID));
}

static void MeasureEnumeration(void) {
  Init();
  const double start = Ns();
  int events = 0, code = PAPI_NATIVE_MASK;
  int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0);
  for (; found == PAPI_OK; found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 0)) {
    ++events;
    int mask = code;
    while (PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, 0) == PAPI_OK) ++events;
  }
  printf("enumerate %.0f\nenumerated %d\n", Ns() - start, events);
}

static volatile long g_hits;
static void Handler(int set, void* pc, long long vector, void* context) {
  (void)set, (void)pc, (void)vector, (void)context;
  g_hits = g_hits + 1;
}

static volatile double g_sink;
static double Burn(void) {
  const double start = Ns();
  double x = 1;
  for (long i = 0; i < 300L * 1000 * 1000; ++i) x = x * 1.0000001 + 1e-9;
  g_sink = x;
  return Ns() - start;
}

static void MeasureHits(int profil) {
  enum { kPeriodNs = 100 * 1000, kBuckets = 1 << 16 };
  static unsigned int buckets[kBuckets];
  Init();
  long long value = 0;
  const int set = MakeSet(1);
  int code = 0;
  Need(PAPI_event_name_to_code(kEvents[0], &code), kEvents[0]);
  Burn();  // warm
  const double plain = Burn();
  const PAPI_exe_info_t* exe = PAPI_get_executable_info();
  if (profil) {
    Need(PAPI_profil(buckets, sizeof buckets, exe->address_info.text_start, 0x10000, set, code,
                     kPeriodNs, PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32),
         "PAPI_profil");
  } else {
    Need(PAPI_overflow(set, code, kPeriodNs, 0, Handler), "PAPI_overflow");
  }
  Need(PAPI_start(set), "PAPI_start");
  const double sampled = Burn();
  Need(PAPI_stop(set, &value), "PAPI_stop");
  long hits = g_hits;
  for (int i = 0; i < kBuckets; ++i) hits += buckets[i];
  printf("%s %.0f\nhits %ld\n", profil ? "profil" : "overflow", hits ? (sampled - plain) / (double)hits : 0,
         hits);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "calls") == 0) {
    MeasureCalls();
  } else if (strcmp(mode, "pairs") == 0) {
    Init();
    MeasurePairs();
  } else if (strcmp(mode, "regions") == 0) {
    MeasureRegions();
  } else if (strcmp(mode, "init") == 0) {
    const double start = Ns();
    Init();
    printf("init %.0f\n", Ns() - start);
  } else if (strcmp(mode, "start") == 0) {
    MeasureStart("start", kEvents[0]);
  } else if (strcmp(mode, "start_pfm") == 0) {
    MeasureStart("start_pfm", "perf::TASK-CLOCK:mg=1");  // a modifier that libpfm4 must judge
  } else if (strcmp(mode, "repeat") == 0 && argc == 4) {
    Repeat(argv[2], atol(argv[3]));
  } else if (strcmp(mode, "enumerate") == 0) {
    MeasureEnumeration();
  } else if (strcmp(mode, "overflow") == 0 || strcmp(mode, "profil") == 0) {
    MeasureHits(mode[0] == 'p');
  } else {
    fprintf(stderr, "papi_calls calls|pairs|regions|init|start|start_pfm|enumerate|overflow|profil|repeat WHAT TIMES\n");
    return 2;
  }
  return 0;
}
