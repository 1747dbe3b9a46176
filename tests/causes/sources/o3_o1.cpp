
static float x[4096], y[4096];
[[gnu::noinline]] float Blend(int k) {
  float a = k * 0.5f;
  for (int i = 0; i < 4096; i++) y[i] = y[i] * 0.99f + a * x[i];
  return y[k & 4095];
}
int Task(long n, const char*) {
  for (int i = 0; i < 4096; i++) x[i] = i * 0.001f;
  float s = 0;
  for (long i = 0; i < n * 100; i++) s += Blend(i);
  return int(s);
}
