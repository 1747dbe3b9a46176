/// split MILLISECONDS SEED
///
/// A known 60/30/10 split. The time is cut into slices of 0.1 ms of this thread's
/// CPU time, 60 % of them spent in SpinSixty, and so on, in a shuffled order: with
/// long blocks the fixed period of a sampler would hit each function almost exactly
/// in proportion, and any interval would cover.
/// Prints the shares as they came out: {"SpinSixty": ..., "SpinThirty": ..., "SpinTen": ...}.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/programs/burn.h"

enum { kSliceNs = 100000, kStepsBetweenReads = 12000 };

static uint64_t g_sink = 88172645463325252u;
static uint64_t g_now_ns;

// Spins in its caller until the thread's CPU clock reaches `until_ns`.
__attribute__((always_inline)) static inline void SpinUntil(uint64_t until_ns) {
  uint64_t x = g_sink;
  do {
    for (int i = 0; i < kStepsBetweenReads; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    g_now_ns = CpuNanoseconds(CLOCK_THREAD_CPUTIME_ID);
  } while (g_now_ns < until_ns);
  g_sink = x;
}

// Equal bodies would be folded into one function, whose name all samples would bear.
static volatile int g_last_percent;

__attribute__((noinline)) static void SpinSixty(uint64_t until_ns) {
  g_last_percent = 60;
  SpinUntil(until_ns);
}

__attribute__((noinline)) static void SpinThirty(uint64_t until_ns) {
  g_last_percent = 30;
  SpinUntil(until_ns);
}

__attribute__((noinline)) static void SpinTen(uint64_t until_ns) {
  g_last_percent = 10;
  SpinUntil(until_ns);
}

static uint64_t NextRandom(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// 6, 3 and 1 of every ten slices, then Fisher and Yates.
static unsigned char* ShuffledDeck(size_t slices, uint64_t seed) {
  static const unsigned char kTen[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2};
  unsigned char* deck = malloc(slices);
  if (!deck) exit(3);
  for (size_t i = 0; i < slices; ++i) deck[i] = kTen[i % 10];
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = slices - 1; i > 0; --i) {
    const size_t j = NextRandom(&state) % (i + 1);
    const unsigned char card = deck[i];
    deck[i] = deck[j];
    deck[j] = card;
  }
  return deck;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s MILLISECONDS SEED\n", argv[0]);
    return 2;
  }
  static void (*const kSpin[3])(uint64_t) = {SpinSixty, SpinThirty, SpinTen};
  const size_t slices = (NumberOrDie(argv[1]) + 9) / 10 * 10 * (1000000 / kSliceNs);
  unsigned char* deck = ShuffledDeck(slices, NumberOrDie(argv[2]));
  uint64_t spent_ns[3] = {0, 0, 0};

  g_now_ns = CpuNanoseconds(CLOCK_THREAD_CPUTIME_ID);
  uint64_t quota_ns = g_now_ns;  // The end of the slice in a plan without overruns
  for (size_t i = 0; i < slices; ++i) {
    const uint64_t start_ns = g_now_ns;
    quota_ns += kSliceNs;
    if (quota_ns > start_ns) kSpin[deck[i]](quota_ns);
    spent_ns[deck[i]] += g_now_ns - start_ns;
  }
  const double total_ns = (double)(spent_ns[0] + spent_ns[1] + spent_ns[2]);
  printf("{\"SpinSixty\": %.6f, \"SpinThirty\": %.6f, \"SpinTen\": %.6f}\n",
         (double)spent_ns[0] / total_ns, (double)spent_ns[1] / total_ns,
         (double)spent_ns[2] / total_ns);
  free(deck);
  return 0;
}
