#pragma once

#include <string>

#include "tests/symbolizer/report/sample_reports.h"

/// File: a program with two parallel regions, for the tests of tables, text and JSON, once with
/// libgomp and once with libomp, both without symbols.
///
/// The main thread and one thread of the runtime run region A (solve.c:120) and region B
/// (solve.c:200). In A the main thread works 2000 ms and the other one 1000 ms, and waits for 1000
/// ms. In B the main thread works 300 ms and waits for 100 ms at its end, the other one works 400
/// ms. Serial code of 500 ms lets the other thread be idle. Samples are 1 ms.

namespace csink::testing {

inline constexpr char kGomp[] = "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0";
inline constexpr char kOmp[] = "/usr/lib/llvm-14/lib/libomp.so.5";

inline FakeResolver OpenMpNames() {
  FakeResolver names;
  names.GiveAddresses();
  const std::string app = "/opt/bin/solve";
  const auto function = [&](std::uint64_t begin, const char* name, std::uint32_t line) {
    names.Add(app, begin,
              {.end = begin + 0x100, .name = name, .file = "/src/solve.c", .first_line = line});
  };
  function(0x1000, "main", 10);
  function(0x1100, "main._omp_fn.0", 120);
  function(0x1200, "main._omp_fn.1", 200);
  function(0x1300, "relax", 300);
  function(0x1400, "main._omp_fn.2", 400);
  function(0x1600, ".omp_outlined.", 120);
  function(0x1700, ".omp_outlined..3", 200);
  names.Add("/usr/lib/libc.so.6", 0x1000, {.end = 0x1100, .name = "start_thread"});
  // 0x2000: gomp_thread_start; 0x3000: the team's barrier; 0x4000: the barrier of idle threads;
  // 0x5000: gomp_team_end; 0x6000: a slow lock; 0x7000: what runs tasks.
  names.Add(kGomp, 0x1000, {.end = 0x1100, .name = "GOMP_parallel"});
  names.SetStripped(kGomp);
  names.AddCallees(kGomp, "GOMP_barrier", {0x3000, 0x7000});
  names.AddCallees(kGomp, "GOMP_critical_start", {0x6000});
  // 0x2000: the first function of a thread; 0x3000: all barriers; 0x4000: the end of a region.
  names.Add(kOmp, 0x1000, {.end = 0x1100, .name = "__kmpc_fork_call"});
  names.Add(kOmp, 0x1100, {.end = 0x1200, .name = "__kmp_fork_call"});
  names.Add(kOmp, 0x1200, {.end = 0x1300, .name = "__kmp_invoke_microtask"});
  names.Add(kOmp, 0x1300, {.end = 0x1400, .name = "__kmpc_barrier"});
  names.SetStripped(kOmp);
  return names;
}

/// The parts that both programs have.
struct OpenMpProgram {
  static constexpr std::uint64_t kApp = 0x400000;
  static constexpr std::uint64_t kRuntime = 0x700000;
  static constexpr std::uint64_t kLibc = 0x900000;

  explicit OpenMpProgram(const char* path) {
    b.SetCommand("solve", "solve 8");
    app = b.AddRegion({.path = "/opt/bin/solve", .start = kApp, .end = kApp + 0x8000});
    runtime = b.AddRegion({.path = path, .start = kRuntime, .end = kRuntime + 0x9000});
    libc = b.AddRegion({.path = "/usr/lib/libc.so.6", .start = kLibc, .end = kLibc + 0x8000});
    worker = b.AddThread(4712, "solve", kRuntime + 0x2000, runtime);
    in_main = b.AddChain(0, app, kApp + 0x1010);
    in_main_b = b.AddChain(0, app, kApp + 0x1020);
    in_start = b.AddChain(b.AddChain(0, libc, kLibc + 0x1010), runtime, kRuntime + 0x2010);
  }
  std::uint32_t Runtime(std::uint32_t parent, std::uint64_t offset) {
    return b.AddChain(parent, runtime, kRuntime + offset);
  }
  std::uint32_t App(std::uint32_t parent, std::uint64_t offset) {
    return b.AddChain(parent, app, kApp + offset);
  }
  void InApp(std::uint32_t thread, std::uint64_t offset, std::uint64_t ms, std::uint32_t chain) {
    b.AddHitsAt(app, thread, kApp + offset, ms, chain);
  }
  void InRuntime(std::uint32_t thread, std::uint64_t offset, std::uint64_t ms,
                 std::uint32_t chain) {
    b.AddHitsAt(runtime, thread, kRuntime + offset, ms, chain);
  }

  SpoolBuilder b;
  std::uint32_t app = 0;
  std::uint32_t runtime = 0;
  std::uint32_t libc = 0;
  std::uint32_t worker = 0;
  std::uint32_t in_main = 0;    ///< The call of region A
  std::uint32_t in_main_b = 0;  ///< The call of region B
  std::uint32_t in_start = 0;   ///< The runtime's first function of a thread
};

inline OpenMpProgram GompProgram() {
  OpenMpProgram p(kGomp);
  const auto parallel_a = p.Runtime(p.in_main, 0x1010);
  const auto parallel_b = p.Runtime(p.in_main_b, 0x1010);
  // relax() is called by region A; region B works in its own code.
  p.InApp(1, 0x1310, 2000, p.App(parallel_a, 0x1110));
  p.InApp(p.worker, 0x1310, 1000, p.App(p.in_start, 0x1110));
  p.InApp(1, 0x1210, 300, parallel_b);
  p.InApp(p.worker, 0x1210, 400, p.in_start);
  // GOMP_parallel jumps to gomp_team_end: main is its caller.
  p.InRuntime(1, 0x3010, 100, p.Runtime(p.in_main_b, 0x5010));
  p.InRuntime(p.worker, 0x3010, 1000, p.in_start);
  p.InRuntime(p.worker, 0x4010, 500, p.in_start);
  p.InApp(1, 0x1030, 500, 0);
  return p;
}

inline OpenMpProgram LlvmProgram() {
  OpenMpProgram p(kOmp);
  const auto region = [&](std::uint32_t in_main) {
    return p.Runtime(p.Runtime(p.Runtime(in_main, 0x1010), 0x1110), 0x1210);
  };
  const auto in_worker = p.Runtime(p.in_start, 0x1210);
  p.InApp(1, 0x1310, 2000, p.App(region(p.in_main), 0x1610));
  p.InApp(p.worker, 0x1310, 1000, p.App(in_worker, 0x1610));
  p.InApp(1, 0x1710, 300, region(p.in_main_b));
  p.InApp(p.worker, 0x1710, 400, in_worker);
  p.InRuntime(1, 0x3010, 100, p.Runtime(p.Runtime(p.in_main_b, 0x1020), 0x4010));
  p.InRuntime(p.worker, 0x3010, 1500, p.in_start);
  p.InApp(1, 0x1030, 500, 0);
  return p;
}

inline report::Report MakeOpenMpReport(const SpoolBuilder& builder, bool callers = true) {
  ProfileMerger merger({.keep_callers = callers, .keep_openmp_threads = true});
  AddTo(merger, builder);
  const FakeResolver names = OpenMpNames();
  return report::BuildReport(merger.Finish(), std::cref(names));
}

}  // namespace csink::testing
