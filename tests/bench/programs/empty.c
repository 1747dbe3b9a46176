// A shared object without content: what LD_PRELOAD itself costs.
extern const int bench_empty_marker;
const int bench_empty_marker = 1;
