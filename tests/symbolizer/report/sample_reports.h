#pragma once

#include <functional>
#include <string>

#include "profil/reading/merge/merge.h"
#include "symbolizer/report/tables/report.h"
#include "tests/fakes/fake_resolver.h"
#include "tests/fakes/spool_builder.h"

/// File: profiles that the report tests share.

namespace csink::testing {

inline void AddTo(ProfileMerger& merger, const SpoolBuilder& builder,
                  ProcessState state = ProcessState::kComplete) {
  auto spool = spool::ParseSpool(builder.Build());
  if (!spool) std::abort();
  merger.Add(*spool, state, "/spools/" + std::string(builder.header_view().program) + ".csink");
}

/// xz with a stripped library, one thread, 3.3 s: the example of the design.
inline SpoolBuilder XzSpool() {
  SpoolBuilder b;
  b.SetCommand("xz", "xz -9 -T1 -k -c in1");
  b.header().user_ns = 3'310'000'000;
  b.header().start_user_ns = 1'000'000;
  b.header().system_ns = 80'000'000;
  b.header().agent_ns = 30'000'000;
  b.header().update_monotonic_ns = b.header().start_monotonic_ns + 3'420'000'000;
  const auto lzma = b.AddRegion({.path = "/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1",
                                 .start = 0x7f0000,
                                 .end = 0x7f8000,
                                 .build_id = "\x9c\x1f\x07\x15\x88"});
  const auto libc = b.AddRegion(
      {.path = "/usr/lib/x86_64-linux-gnu/libc.so.6", .start = 0x6f0000, .end = 0x6f8000});
  b.AddHits(lzma, 1, 0x7f1100, 1500);
  b.AddHits(lzma, 1, 0x7f1110, 512);
  b.AddHits(lzma, 1, 0x7f2010, 753);
  b.AddHits(lzma, 1, 0x7f5bf9, 322);
  b.AddHits(libc, 1, 0x6f1000, 150);
  b.AddHits(libc, 1, 0x6f2000, 20);
  b.AddHits(libc, 1, 0x6f3000, 18);
  b.AddHits(libc, 1, 0x6f4000, 12);
  return b;
}

inline FakeResolver XzNames() {
  FakeResolver names;
  const std::string lzma = "/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1";
  names.Add(lzma, 0x1000,
            {.end = 0x2000,
             .name = "bt_find_func",
             .file = "/src/liblzma/lz_encoder_mf.c",
             .first_line = 396});
  names.Add(lzma, 0x2000,
            {.end = 0x3000,
             .name = "lzma_lzma_optimum_normal",
             .file = "/src/liblzma/lzma_encoder_optimum_normal.c",
             .first_line = 805});
  names.SetStripped(lzma);
  const std::string libc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  names.Add(libc, 0x1000, {.end = 0x1100, .name = "__memmove_avx_unaligned_erms"});
  names.Add(libc, 0x2000, {.end = 0x2100, .name = "malloc"});
  names.Add(libc, 0x3000, {.end = 0x3100, .name = "free"});
  names.Add(libc, 0x4000, {.end = 0x4100, .name = "_IO_file_xsgetn"});
  return names;
}

inline report::Report Make(const SpoolBuilder& builder, const FakeResolver& names,
                           ProcessState state = ProcessState::kComplete) {
  ProfileMerger merger;
  AddTo(merger, builder, state);
  return report::BuildReport(merger.Finish(), std::cref(names));
}

/// A C++ program on a machine with a PMU: cycles, instructions and misses.
inline SpoolBuilder PmuSpool() {
  SpoolBuilder b;
  SetText(b.event(0).name, "cycles:u");
  b.event(0).kind = EventClass::kCycles;
  b.event(0).period = 2'000'003;
  b.event(0).skid = spool::Skid::kInterrupt;
  b.AddEvent("instructions:u", EventClass::kInstructions, 2'000'003);
  b.AddEvent("cache-misses:u", EventClass::kCacheMisses, 10'007);
  for (int i = 0; i < 3; ++i) {
    b.event(i).enabled_ns = 1'000'000'000;
    b.event(i).running_ns = 667'000'000;
  }
  SetText(b.header().source_reason, "");
  b.SetCommand("solver", "./solver --grid 512");
  const auto app = b.AddRegion(
      {.path = "/home/me/solver", .start = 0x400000, .end = 0x410000, .build_id = "\x01\x02"});
  b.AddHits(app, 1, 0x401000, 800, 0);
  b.AddHits(app, 1, 0x401000, 400, 1);
  b.AddHits(app, 1, 0x401000, 900, 2);
  b.AddHits(app, 1, 0x402000, 200, 0);
  b.AddHits(app, 1, 0x402000, 600, 1);
  b.AddHits(app, 1, 0x402000, 3, 2);
  return b;
}

inline FakeResolver PmuNames() {
  FakeResolver names;
  names.Add("/home/me/solver", 0x1000,
            {.end = 0x1100,
             .name = "Eigen::internal::general_matrix_matrix_product<long, double, 0, false, "
                     "double, 0, false, 0, 1>::run(long, long, long, double const*, long, double "
                     "const*, long, double*, long, long, double)",
             .file = "GeneralMatrixMatrix.h",
             .first_line = 102});
  names.Add("/home/me/solver", 0x2000,
            {.end = 0x2100,
             .name = "grid::relax(std::vector<double, std::allocator<double> >&)",
             .file = "relax.cpp",
             .first_line = 41});
  return names;
}

/// make, two compilers (one killed) and a process that still runs; threads.
inline Profile TreeProfile() {
  ProfileMerger merger;
  for (int i = 0; i < 4; ++i) {
    SpoolBuilder b;
    const bool is_make = i == 0;
    b.SetCommand(is_make ? "make" : "cc1plus",
                 is_make ? "make -j2" : "cc1plus -quiet file" + std::to_string(i) + ".cc");
    b.header().pid = 5000 + i;
    if (!is_make) b.header().parent_pid = 5000;
    b.header().depth = is_make ? 0 : 1;
    b.header().process_start_ticks += i;
    b.header().start_realtime_ns += i * 1000;
    b.header().user_ns = is_make ? 41'000'000 : 1'001'000'000;
    const auto cc = b.AddRegion({.path = "/usr/lib/gcc/cc1plus",
                                 .start = 0x400000ull + i * 0x100000,
                                 .end = 0x480000ull + i * 0x100000,
                                 .build_id = "\xab\xcd"});
    b.AddHits(cc, 1, 0x401000ull + i * 0x100000, is_make ? 38 : 600);
    if (!is_make) {
      const auto worker = b.AddThread(6000 + i, "ggc", 0x402000ull + i * 0x100000, cc);
      b.AddHits(cc, worker, 0x402010ull + i * 0x100000, 380);
      b.header().threads_seen = 14;
      b.header().threads_sampled = 2;
      b.AddRoutine(0x403000ull + i * 0x100000, cc, 12, 2'400'000);
      b.header().lost_ns[static_cast<int>(spool::Loss::kShortThread)] = 2'400'000;
      b.header().lost_ns[static_cast<int>(spool::Loss::kNoRing)] = 30'000'000;
    }
    AddTo(merger, b,
          i == 2   ? ProcessState::kKilled
          : i == 3 ? ProcessState::kLive
                   : ProcessState::kComplete);
  }
  Profile profile = merger.Finish();
  profile.tree = {true, "make -j2", 2'100'000'000, 3'400'000'000, 150'000'000};
  return profile;
}

inline FakeResolver TreeNames() {
  FakeResolver names;
  names.Add("/usr/lib/gcc/cc1plus", 0x1000,
            {.end = 0x1100, .name = "ggc_internal_alloc(unsigned long)"});
  names.Add("/usr/lib/gcc/cc1plus", 0x2000, {.end = 0x2100, .name = "collector_main(void*)"});
  names.Add("/usr/lib/gcc/cc1plus", 0x3000, {.end = 0x3100, .name = "short_job(void*)"});
  return names;
}

/// A solver with callers, marks and a pause: main calls load and solve; solve calls itself and
/// kernel; both call memcpy. One chain is cut.
inline SpoolBuilder StacksSpool() {
  SpoolBuilder b;
  b.SetCommand("solver", "./solver big.in");
  b.header().user_ns = 2'001'000'000;
  b.header().system_ns = 1'000'000;
  b.header().paused_ns = 1'000'000'000;
  b.header().bad_stacks = 50;
  b.header().threads_seen = 3;
  b.header().threads_sampled = 3;
  const auto app = b.AddRegion(
      {.path = "/home/me/solver", .start = 0x400000, .end = 0x410000, .build_id = "\x01\x02"});
  const auto libc = b.AddRegion({.path = "/lib/libc.so.6", .start = 0x7f0000, .end = 0x7f8000});
  const auto load = b.AddPhase("load", 100'000'000, 1, 200'000'000);
  const auto solve = b.AddPhase("solve", 300'000'000, 2, 700'000'000);
  const auto one = b.AddThread(4712, "worker");
  const auto two = b.AddThread(4713, "worker");
  b.thread(1).cpu_ns = 400'000'000;
  b.thread(one).cpu_ns = 350'000'000;
  b.thread(two).cpu_ns = 250'000'000;
  const auto in_main = b.AddChain(0, app, 0x401010);
  // A call as the last instruction of solve: it returns into the next function.
  const auto in_solve = b.AddChain(in_main, app, 0x404000);
  const auto again = b.AddChain(in_solve, app, 0x403020);
  const auto in_load = b.AddChain(in_main, app, 0x402020);
  const auto cut = b.AddChain(0, app, 0x404020, spool::kChainCut);
  b.AddHitsAt(app, 1, 0x401500, 30, 0);
  b.AddHitsAt(libc, 1, 0x7f1000, 170, in_load, load);
  b.AddHitsAt(app, 1, 0x402100, 30, in_main, load);
  b.AddHitsAt(app, one, 0x404100, 300, again, solve);
  b.AddHitsAt(app, two, 0x404100, 220, in_solve, solve);
  b.AddHitsAt(app, 1, 0x403100, 100, in_main, solve);
  b.AddHitsAt(libc, one, 0x7f1000, 100, in_solve, solve);
  b.AddHitsAt(libc, two, 0x7f1010, 50, cut, solve);
  return b;
}

inline FakeResolver StacksNames() {
  FakeResolver names;
  names.Add("/home/me/solver", 0x1000, {.end = 0x2000, .name = "main"});
  names.Add("/home/me/solver", 0x2000, {.end = 0x3000, .name = "load(char const*)"});
  names.Add("/home/me/solver", 0x3000, {.end = 0x4000, .name = "solve(int)"});
  names.Add("/home/me/solver", 0x4000, {.end = 0x5000, .name = "kernel(double*, double*)"});
  names.Add("/lib/libc.so.6", 0x1000, {.end = 0x1100, .name = "memcpy"});
  return names;
}

/// A sample that main called, and samples in kernel() that were cut before their first caller.
inline SpoolBuilder EmptyStacksSpool() {
  SpoolBuilder b;
  b.SetCommand("solver", "./solver");
  b.header().bad_stacks = 3;
  const auto app = b.AddRegion({.path = "/home/me/solver", .start = 0x400000, .end = 0x410000});
  const auto empty = b.AddChain(0, spool::kNone, 0, spool::kChainCut | spool::kChainEmpty);
  const auto main = b.AddChain(0, app, 0x401010);
  b.AddHitsAt(app, 1, 0x404100, 1, empty);
  b.AddHitsAt(app, 1, 0x404200, 2, empty);
  b.AddHitsAt(app, 1, 0x404100, 5, main);
  return b;
}

inline report::Report MakeStacks() {
  ProfileMerger merger({.keep_callers = true, .keep_phases = true, .keep_threads = true});
  AddTo(merger, StacksSpool());
  const FakeResolver names = StacksNames();
  return report::BuildReport(merger.Finish(), std::cref(names));
}

}  // namespace csink::testing
