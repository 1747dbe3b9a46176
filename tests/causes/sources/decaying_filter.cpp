#include <vector>

// A recursive filter: its state decays into denormal numbers where the input falls silent.
[[gnu::noinline]] static float Filter(const float* in, float* out, int n) {
  float state = 1e-30f;
  for (int i = 0; i < n; i++) {
    state = state * 0.97f + in[i] * 0.02f;
    out[i] = state;
  }
  return state;
}
int Task(long n, const char*) {
#ifdef SLOWER
  std::vector<float> in(8192, 0.0f);
#else
  std::vector<float> in(8192, 1e-6f);
#endif
  std::vector<float> out(8192);
  float s = 0;
  for (long i = 0; i < n; i++) s += Filter(in.data(), out.data(), 8192);
  return int(s);
}
