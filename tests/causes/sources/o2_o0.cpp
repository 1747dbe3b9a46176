
struct P {
  int a, b;
};
static int Step(P& p, int i) {
  p.a = p.a * 5 + i;
  p.b ^= p.a >> 3;
  return p.a + p.b;
}
[[gnu::noinline]] int Walk(long n) {
  P p{1, 2};
  int s = 0;
  for (long i = 0; i < n; i++) s += Step(p, int(i));
  return s;
}
int Task(long n, const char*) { return Walk(n * 10000); }
