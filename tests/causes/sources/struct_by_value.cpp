struct Options {
  int weights[400];
  int scale;
};
#ifdef SLOWER
[[gnu::noinline]] static int Weigh(Options options, int k) {
#else
[[gnu::noinline]] static int Weigh(const Options& options, int k) {
#endif
  int sum = options.scale;
  for (int i = 0; i < 40; i++) sum += options.weights[(k + i * 7) % 400];
  return sum;
}
int Task(long n, const char*) {
  static Options options;
  for (int i = 0; i < 400; i++) options.weights[i] = i;
  int s = 0;
  for (long i = 0; i < n * 100; i++) {
    options.scale = int(i);
    s += Weigh(options, int(i & 255));
  }
  return s;
}
