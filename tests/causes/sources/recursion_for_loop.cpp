#ifdef SLOWER
[[gnu::noinline]] static unsigned Ways(int n) { return n < 2 ? 1 : Ways(n - 1) + Ways(n - 2); }
#else
[[gnu::noinline]] static unsigned Ways(int n) {
  unsigned last = 1;
  unsigned now = 1;
  for (int i = 1; i < n; i++) {
    const unsigned next = last + now;
    last = now;
    now = next;
    asm volatile("" : "+r"(now));
  }
  return now;
}
#endif
int Task(long n, const char*) {
  unsigned s = 0;
  for (long i = 0; i < n * 10; i++) s += Ways(10 + int(i & 3));
  return int(s);
}
