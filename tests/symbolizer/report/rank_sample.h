#pragma once

#include <string>

#include "tests/symbolizer/report/sample_reports.h"

/// File: the ranks of an MPI job, for the report tests.

namespace csink::testing {

inline constexpr char kRankProgram[] = "/home/user/wave";
inline constexpr char kRankMpi[] = "/usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4";

/// Rank `rank` with `work` samples in Step and `wait` samples in PMPI_Barrier.
inline SpoolBuilder RankSpool(std::uint32_t rank, std::uint64_t work, std::uint64_t wait) {
  SpoolBuilder b;
  b.SetCommand("wave", "wave 100");
  b.header().pid = 5000 + rank;
  b.header().rank_plus_one = rank + 1;
  b.header().start_realtime_ns += rank;
  const auto program = b.AddRegion(
      {.path = kRankProgram, .start = 0x401000, .end = 0x405000, .build_id = "\x11\x12"});
  // Each rank has the library at another address.
  const std::uint64_t base = 0x7f0000 + 0x100000 * std::uint64_t{rank};
  const auto mpi =
      b.AddRegion({.path = kRankMpi, .start = base, .end = base + 0x8000, .build_id = "\x21"});
  // Two places of one function.
  if (work > 1) b.AddHits(program, 1, 0x401010, work / 2);
  if (work > 0) b.AddHits(program, 1, 0x401020, work - work / 2);
  if (wait > 0) b.AddHits(mpi, 1, base + 0x100, wait);
  return b;
}

inline FakeResolver RankNames() {
  FakeResolver names;
  names.Add(kRankProgram, 0x0,
            {.end = 0x1000, .name = "Step", .file = "/src/wave.c", .first_line = 10});
  names.Add(kRankMpi, 0x0, {.end = 0x1000, .name = "PMPI_Barrier", .file = "", .first_line = 0});
  return names;
}

/// Eight ranks of about 1 s; rank 5 works twice as long as the others, which wait for it.
inline Profile RankProfile() {
  ProfileMerger merger({.keep_ranks = true});
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    AddTo(merger, rank == 5 ? RankSpool(5, 1000, 0) : RankSpool(rank, 500 + rank, 500));
  }
  return merger.Finish();
}

/// Ranks whose main threads run for 2 s and wait 0.5 s for a processor in 3 s and `rank` seconds;
/// the times of rank `without` are not known.
inline Profile RanksWithTimes(std::uint32_t without = 99) {
  ProfileMerger merger({.keep_ranks = true});
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    SpoolBuilder b = RankSpool(rank, 100, 100);
    b.thread(1).tid = b.header().pid;
    const auto helper = b.AddThread(7, "helper");
    for (const std::uint32_t thread : {1u, helper}) {
      if (rank == without) break;
      b.thread(thread).start_monotonic_ns = 1'000'000'000;
      b.thread(thread).end_monotonic_ns = 4'000'000'000 + rank * std::uint64_t{1'000'000'000};
    }
    b.thread(1).run_ns = 2'000'000'000;
    b.thread(1).wait_ns = 500'000'000;
    AddTo(merger, b);
  }
  return merger.Finish();
}

/// Three ranks that were observed: each main thread stands `rank` + 1 times in MPI_Barrier, which
/// Step calls, and twice in a read of Step's; a helper thread waits in MPI without a call.
inline Profile RanksWithWaits() {
  ProfileMerger merger({.keep_ranks = true});
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    SpoolBuilder b = RankSpool(rank, 100, 100);
    b.header().waits.state = 1;
    b.header().elf_machine = 62;  // EM_X86_64
    b.thread(1).tid = b.header().pid;
    const auto helper = b.AddThread(7, "helper");
    const std::uint64_t barrier = 0x7f0000 + 0x100000 * std::uint64_t{rank} + 0x100;
    const auto in_step = b.AddChain(0, 0, 0x401020);
    const auto wait = [&](std::uint32_t thread, std::uint64_t pc, std::uint32_t region,
                          std::uint32_t callers, std::uint64_t looks) {
      spool::WaitSiteRecord record{};
      record.pc = pc;
      record.region = region;
      record.chain = callers;
      record.thread = thread;
      record.kind = spool::WaitKind::kRead;
      record.system_call = 0;
      record.looks = looks;
      record.blocked_ns = looks * 100'000'000;
      record.blocked_squared = static_cast<double>(looks) * 1e16;
      b.AddWaitSite(record);
    };
    wait(1, barrier, 1, in_step, rank + 1);
    wait(1, 0x401030, 0, 0, 2);
    wait(helper, barrier, 1, 0, 50);
    AddTo(merger, b);
  }
  return merger.Finish();
}

}  // namespace csink::testing
