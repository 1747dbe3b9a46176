// What one call of PAPI costs, in CPU time of the calling thread. Linked with no libpapi of its own:
// the caller's LD_LIBRARY_PATH decides whose is measured.
//   papi_calls calls      one line an operation: name, nanoseconds a call
//   papi_calls init | start | enumerate    what happens once in a process
//   papi_calls overflow | profil           one hit, by the difference of two runs of one loop
#include <linux/perf_event.h>
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char* const kEvents[4] = {"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CPU-MIGRATIONS",
                                       "perf::MINOR-FAULTS"};

static double Ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

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

static int OpenRaw(uint64_t config, int leader) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  attr.exclude_kernel = 1;
  attr.read_format = PERF_FORMAT_GROUP;
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
}

static void MeasureRawGroup(void) {
  static const uint64_t kConfigs[4] = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
                                       PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS_MIN};
  int leader = -1;
  for (int i = 0; i < 4; ++i) {
    const int fd = OpenRaw(kConfigs[i], leader);
    if (fd < 0) Need(PAPI_ESYS, "perf_event_open");
    if (leader < 0) leader = fd;
  }
  uint64_t values[8];
  ssize_t got = 0;
  MEASURE("raw_group4", 5000, got += read(leader, values, sizeof values));
  if (got <= 0) Need(PAPI_ESYS, "read");
}

static void MeasureCalls(void) {
  long long values[4];
  Init();
  MEASURE("real_nsec", 20000, (void)PAPI_get_real_nsec());
  MEASURE("real_cyc", 20000, (void)PAPI_get_real_cyc());
  MEASURE("virt_usec", 5000, (void)PAPI_get_virt_usec());
  MEASURE("set_life", 200, DropSet(MakeSet(1)));
  MeasureRawGroup();
  for (int events = 1; events <= 4; events += 3) {
    const int set = MakeSet(events);
    Need(PAPI_start(set), "PAPI_start");
    MEASURE(events == 1 ? "read1" : "read4", 5000, PAPI_read(set, values));
    MEASURE(events == 1 ? "accum1" : "accum4", 2000, PAPI_accum(set, values));
    Need(PAPI_stop(set, values), "PAPI_stop");
    DropSet(set);
  }
}

static void MeasureStart(void) {
  const double start = Ns();
  int set = PAPI_NULL, code = 0;
  Init();
  Need(PAPI_event_name_to_code(kEvents[0], &code), "PAPI_event_name_to_code");
  Need(PAPI_create_eventset(&set), "PAPI_create_eventset");
  Need(PAPI_add_event(set, code), "PAPI_add_event");
  Need(PAPI_start(set), "PAPI_start");
  printf("start %.0f\n", Ns() - start);
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
  } else if (strcmp(mode, "init") == 0) {
    const double start = Ns();
    Init();
    printf("init %.0f\n", Ns() - start);
  } else if (strcmp(mode, "start") == 0) {
    MeasureStart();
  } else if (strcmp(mode, "enumerate") == 0) {
    MeasureEnumeration();
  } else if (strcmp(mode, "overflow") == 0 || strcmp(mode, "profil") == 0) {
    MeasureHits(mode[0] == 'p');
  } else {
    fprintf(stderr, "papi_calls calls|init|start|enumerate|overflow|profil\n");
    return 2;
  }
  return 0;
}
