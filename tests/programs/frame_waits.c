// Sleeps MS in rounds of 3 ms, in a function whose frame only the frame pointer leads to: as the C
// library's functions are where a distribution compiles with frame pointers.
//   frame_waits MS
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// As a function of the C library, which calls no other one for its system call.
static inline long RawNanosleep(const struct timespec* time) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_nanosleep), "D"(time), "S"(0L)
                   : "rcx", "r11", "memory");
  return result;
#else
  return syscall(SYS_nanosleep, time, NULL);
#endif
}

#define WITH_FRAME __attribute__((noinline, optimize("no-omit-frame-pointer")))
#define WITHOUT_FRAME __attribute__((noinline, optimize("omit-frame-pointer")))

WITH_FRAME static long SleepInFrame(long ms) {
  volatile long kept[13];
  for (long i = 0; i < 13; ++i) kept[i] = ms + i;
  const struct timespec time = {0, ms * 1000000};
  const long result = RawNanosleep(&time);
  return result + kept[ms % 13];
}

WITHOUT_FRAME static long CallWithoutFrame(long ms) {
  volatile long kept[5] = {ms, ms, ms, ms, ms};
  return SleepInFrame(ms) + kept[ms % 5];
}

WITH_FRAME static long CallWithFrame(long ms) { return CallWithoutFrame(ms) + 1; }

int main(int argc, char** argv) {
  const long ms = argc > 1 ? atol(argv[1]) : 1000;
  long sum = 0;
  for (long done = 0; done < ms; done += 3) sum += CallWithFrame(3);
  return sum == 0;
}
