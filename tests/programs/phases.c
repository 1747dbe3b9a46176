// A program that controls its profile itself, by csink.h.
//   phases marks MS ROUNDS      alternates between marks "alpha" (3 MS) and "beta" (MS)
//   phases pauses N SEED        N stretches of random length, each followed by a pause of random length
//   phases threads MS N         N threads burn; main pauses in the middle for as long
//   phases fork MS              pauses, forks; the child burns paused, then resumed
//   phases exec MS              pauses, then becomes `phases plain MS`
//   phases plain MS
//   phases snapshot MS FILE     a snapshot after MS, then MS more
//   phases errors               what each function answers
// Prints "alpha_ns N", "beta_ns N", "sampled_ns N", "paused_ns N": CPU time by the program's own clock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "burn.h"
#include <csink.h>

typedef unsigned long long Ns;

__attribute__((noinline)) static Ns Alpha(unsigned long us) {
  const uint64_t begin = ThreadCpuNs();
  BurnShortUs(us);
  __asm__ volatile("# alpha");
  return ThreadCpuNs() - begin;
}
__attribute__((noinline)) static Ns Beta(unsigned long us) {
  const uint64_t begin = ThreadCpuNs();
  BurnShortUs(us);
  __asm__ volatile("# beta");
  return ThreadCpuNs() - begin;
}

static int Check(int error, const char* what) {
  if (error != 0) printf("failed %d %s\n", error, what);
  return error;
}

static int Marks(unsigned long ms, int rounds) {
  Ns alpha = 0, beta = 0;
  for (int i = 0; i < rounds; ++i) {
    Check(csink_mark("alpha"), "mark");
    alpha += Alpha(3000 * ms);
    Check(csink_mark("beta"), "mark");
    beta += Beta(1000 * ms);
  }
  printf("alpha_ns %llu\nbeta_ns %llu\n", alpha, beta);
  return 0;
}

static int Pauses(int count, unsigned seed) {
  Ns sampled = 0, paused = 0;
  for (int i = 0; i < count; ++i) {
    sampled += Alpha(50 + (unsigned)rand_r(&seed) % 1500);
    Check(csink_pause(), "pause");
    paused += Beta(50 + (unsigned)rand_r(&seed) % 1500);
    Check(csink_resume(), "resume");
  }
  printf("sampled_ns %llu\npaused_ns %llu\n", sampled, paused);
  return 0;
}

static unsigned long thread_ms;
static pthread_barrier_t barrier;
static Ns sampled_sum, paused_sum;

static void* Worker(void* unused) {
  (void)unused;
  const Ns first = Alpha(1000 * thread_ms);
  pthread_barrier_wait(&barrier);  // all are here: main pauses
  pthread_barrier_wait(&barrier);
  const Ns second = Beta(1000 * thread_ms);
  pthread_barrier_wait(&barrier);  // main resumes
  pthread_barrier_wait(&barrier);
  const Ns third = Alpha(1000 * thread_ms);
  __atomic_fetch_add(&sampled_sum, first + third, __ATOMIC_RELAXED);
  __atomic_fetch_add(&paused_sum, second, __ATOMIC_RELAXED);
  return NULL;
}

static void* ShortLived(void* us) {
  const Ns ns = Beta((unsigned long)us);
  __atomic_fetch_add(&paused_sum, ns, __ATOMIC_RELAXED);
  return NULL;
}

static int Threads(unsigned long ms, int count) {
  pthread_t threads[64];
  thread_ms = ms;
  if (count > 64) count = 64;
  pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, Worker, NULL);
  pthread_barrier_wait(&barrier);
  Check(csink_pause(), "pause");
  pthread_barrier_wait(&barrier);
  // Threads that live and die inside the pause.
  for (int i = 0; i < 4; ++i) {
    pthread_t t;
    pthread_create(&t, NULL, ShortLived, (void*)(ms * 250));
    pthread_join(t, NULL);
  }
  pthread_barrier_wait(&barrier);
  Check(csink_resume(), "resume");
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  printf("sampled_ns %llu\npaused_ns %llu\n", sampled_sum, paused_sum);
  return 0;
}

static int Fork(unsigned long ms) {
  Alpha(1000 * ms);
  Check(csink_pause(), "pause");
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    printf("child_status %d\n", csink_status());
    const Ns paused = Beta(1000 * ms);
    Check(csink_resume(), "resume");
    const Ns sampled = Alpha(1000 * ms);
    printf("sampled_ns %llu\npaused_ns %llu\nchild %d\n", sampled, paused, (int)getpid());
    return 0;
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("parent_status %d\n", csink_status());
  return WEXITSTATUS(status);
}

static int Errors(void) {
  char text[300];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  printf("mark_null %d\nmark_empty %d\nmark_control %d\nmark_long %d\n", csink_mark(NULL),
         csink_mark(""), csink_mark("a\nb"), csink_mark(text));
  printf("snapshot_early %d\n", csink_snapshot(NULL));
  printf("status %d\n", csink_status());
  int failed = 0;
  for (int i = 0; i < 1100; ++i) {
    snprintf(text, sizeof text, "mark %d", i);
    failed += csink_mark(text) != 0;
  }
  printf("marks_failed %d\n", failed);
  printf("again %d\n", csink_mark("mark 7"));
  Alpha(100000);
  return 0;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const unsigned long a = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  const unsigned long b = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
  if (!strcmp(mode, "marks")) return Marks(a, (int)b);
  if (!strcmp(mode, "pauses")) return Pauses((int)a, (unsigned)b);
  if (!strcmp(mode, "threads")) return Threads(a, (int)b);
  if (!strcmp(mode, "fork")) return Fork(a);
  if (!strcmp(mode, "errors")) return Errors();
  if (!strcmp(mode, "plain")) {
    printf("sampled_ns %llu\n", Alpha(1000 * a));
    return 0;
  }
  if (!strcmp(mode, "exec")) {
    Alpha(1000 * a);
    Check(csink_pause(), "pause");
    Beta(1000 * a);
    execl("/proc/self/exe", argv[0], "plain", argv[2], (char*)NULL);
    return 1;
  }
  if (!strcmp(mode, "snapshot")) {
    Alpha(1000 * a);
    printf("snapshot %d\n", csink_snapshot(argc > 3 ? argv[3] : NULL));
    Alpha(1000 * a);
    return 0;
  }
  return 2;
}
