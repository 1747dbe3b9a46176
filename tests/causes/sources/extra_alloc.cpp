
#ifndef SLOWER
[[gnu::noinline]] int Convert(int k, char* b) {
  for (int i = 0; i < 48; i++) b[i] = char(k + i * k);
  return b[k & 31];
}
#else
[[gnu::noinline]] int Convert(int k, char*) {
  char* b = new char[64 + (k & 63)];
  for (int i = 0; i < 48; i++) b[i] = char(k + i * k);
  int r = b[k & 31];
  delete[] b;
  return r;
}
#endif
int Task(long n, const char*) {
  char buf[128];
  int s = 0;
  for (long i = 0; i < n * 1000; i++) s += Convert(int(i), buf);
  return s;
}
