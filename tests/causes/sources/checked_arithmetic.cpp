#include <vector>

struct Cell {
  int weight;
  int next;
};
[[gnu::noinline]] static int Walk(const Cell* cells, int steps) {
  int at = 0;
  int sum = 0;
  for (int i = 0; i < steps; i++) {
    sum = (sum + cells[at].weight * 3 - cells[at + 1].weight * i) & 0xfff;
    at = cells[at].next;
  }
  return sum;
}
int Task(long n, const char*) {
  std::vector<Cell> cells(1025);
  for (int i = 0; i < 1025; i++) cells[i] = {i & 15, (i + 1) & 1023};
  int s = 0;
  for (long i = 0; i < n * 10; i++) {
    cells[i & 1023].weight = int(i & 7);
    s ^= Walk(cells.data(), 2000);
  }
  return s;
}
