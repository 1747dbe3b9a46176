/// Workload: an MPI job whose ranks burn different amounts of CPU time.
///
///   mpi_work MS [fail RANK STATUS|leave RANK STATUS|abort RANK STATUS|kill RANK]
///   mpi_work MS [guarded|again|never|unfinished|fork|sleep|spawn WORLDS]
///
/// fail: calls exit; leave: calls _exit;
/// guarded: asks MPI_Initialized before a second MPI_Init, as libraries do; again: does not ask, which
/// is an error; never: computes SharedWork without MPI; unfinished: ends without MPI_Finalize; fork:
/// a child of each rank computes and ends in the middle of the job; sleep: rank r sleeps r * 200 ms; spawn: so many
/// further worlds of two ranks are started, which compute the same.
///
/// Rank r computes (r + 1) * MS milliseconds in RankWork and MS in SharedWork; then all meet.
/// Who comes first waits busily. Each rank prints one line (of one write):
///   rank R pid P cpu NS work NS wait NS stolen NS sum S of N
/// cpu is its whole CPU time, work and wait are parts of it, stolen is in these two. sum is the same
/// in all ranks and every run.

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static uint64_t Stir(uint64_t rounds, uint64_t x) {
  for (uint64_t i = 0; i < rounds; ++i) x = x * 2862933555777941757u + 3037000493u;
  return x;
}

/// CPU time that a look at the clock took which takes microseconds, or a round of 0.3 ms: a virtual
/// machine was off its processor and no interrupt could come.
static uint64_t stolen_ns;

BURN_INLINE uint64_t CountStolen(uint64_t before) {
  const uint64_t now = ThreadCpuNs();
  if (now - before > 1300000u) stolen_ns += now - before;
  return now;
}

BURN_INLINE void Burn(unsigned long ms) {
  uint64_t now = ThreadCpuNs();
  const uint64_t end = now + ms * 1000000u;
  while (now < end) {
    SpinRounds(BURN_COARSE);
    now = CountStolen(now);
  }
}

/// Two functions with the same body would become one.
__attribute__((noinline)) static void RankWork(unsigned long ms) {
  __asm__ volatile("# of this rank");
  Burn(ms);
}
__attribute__((noinline)) static void SharedWork(unsigned long ms) {
  __asm__ volatile("# of all");
  Burn(ms);
}

/// MPI_Barrier with a look at the clock. Returns its CPU time.
static uint64_t WaitForAll(void) {
  const uint64_t start = ThreadCpuNs();
  uint64_t now = start;
  int done = 0;
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (!done) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    now = CountStolen(now);
  }
  return now - start;
}

/// A rank that fails in the middle of the job, in the way that was asked for.
static void Fail(int argc, char** argv, int rank) {
  if (argc < 4 || atoi(argv[3]) != rank) return;
  const int status = argc > 4 ? atoi(argv[4]) : 1;
  if (strcmp(argv[2], "fail") == 0) exit(status);
  if (strcmp(argv[2], "leave") == 0) _exit(status);
  if (strcmp(argv[2], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, status);
  if (strcmp(argv[2], "kill") == 0) raise(SIGKILL);
}

static int Is(const char* way, const char* name) { return way && strcmp(way, name) == 0; }

/// MPI_Init in the way that was asked for. 0 or the exit status.
static int Begin(const char* way) {
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 3;
  int initialized = 1;
  if (Is(way, "guarded")) MPI_Initialized(&initialized);
  if (!initialized || Is(way, "again")) return MPI_Init(NULL, NULL) == MPI_SUCCESS ? 0 : 4;
  return 0;
}

static void WorkInChild(unsigned long ms) {
  const pid_t child = fork();
  if (child == 0) {
    SharedWork(ms);
    exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

__attribute__((noinline)) static void SleepOfRank(int rank) {
  usleep((useconds_t)rank * 200000u);
  __asm__ volatile("# no tail call");
}

static void Spawn(int argc, char** argv) {
  char* words[] = {argv[1], "spawned", NULL};
  const int worlds = argc > 3 ? atoi(argv[3]) : 1;
  for (int i = 0; i < worlds; ++i) {
    MPI_Comm world;
    MPI_Comm_spawn(argv[0], words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &world,
                   MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&world);
  }
}

static void LeaveParent(void) {
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) MPI_Comm_disconnect(&parent);
}

int main(int argc, char** argv) {
  const unsigned long ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 50;
  const char* way = argc > 2 ? argv[2] : NULL;
  if (Is(way, "never")) {
    SharedWork(ms);
    return 0;
  }
  const int failed = Begin(way);
  if (failed != 0) return failed;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  if (Is(way, "spawn")) Spawn(argc, argv);
  if (Is(way, "spawned")) LeaveParent();
  const uint64_t before = ThreadCpuNs();
  RankWork(ms * (unsigned long)(rank + 1));
  SharedWork(ms);
  const uint64_t work = ThreadCpuNs() - before;
  Fail(argc, argv, rank);
  if (Is(way, "fork")) WorkInChild(ms);
  if (Is(way, "sleep")) SleepOfRank(rank);
  const uint64_t wait = WaitForAll();
  MPI_Barrier(MPI_COMM_WORLD);

  unsigned long long mine = Stir(1000, (uint64_t)rank + 1) >> 16;
  unsigned long long sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (!Is(way, "unfinished")) MPI_Finalize();
  printf("rank %d pid %d cpu %llu work %llu wait %llu stolen %llu sum %llu of %d\n", rank,
         (int)getpid(), (unsigned long long)ProcessCpuNs(), (unsigned long long)work,
         (unsigned long long)wait, (unsigned long long)stolen_ns, sum, size);
  return 0;
}
