#include <vector>

struct Node {
  virtual ~Node() = default;
  int kind = 0;
};
struct Leaf : Node {
  int value = 3;
};
struct Branch : Node {
  int children = 2;
};
[[gnu::noinline]] static int SumLeaves(const std::vector<Node*>& nodes) {
  int sum = 0;
  for (Node* node : nodes) {
#ifdef SLOWER
    if (auto* leaf = dynamic_cast<Leaf*>(node)) sum += leaf->value;
#else
    if (node->kind == 1) sum += static_cast<Leaf*>(node)->value;
#endif
  }
  return sum;
}
int Task(long n, const char*) {
  std::vector<Node*> nodes;
  for (int i = 0; i < 2048; i++) {
    if (i % 3 == 0) {
      nodes.push_back(new Branch);
    } else {
      nodes.push_back(new Leaf);
      nodes.back()->kind = 1;
    }
  }
  int s = 0;
  for (long i = 0; i < n * 10; i++) {
    static_cast<Leaf*>(nodes[1])->value = int(i & 7);
    s += SumLeaves(nodes);
  }
  for (Node* node : nodes) delete node;
  return s;
}
