// Any bytes as a spool: read, merged and printed as records without a complaint of the sanitizers.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "profil/reading/reader/raw_dump.h"
#include "tests/fuzz/spool/damaged_spool.h"

using namespace csink;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const testing::WholeSpools whole([] {
    testing::SpoolBuilder builder;
    const auto region = builder.AddRegion({.path = "/a", .start = 0x1000, .end = 0x2000});
    const auto jit = builder.AddRegion(
        {.start = 0x7000, .end = 0x9000, .flags = spool::kRegionAnonymous, .inode = 0});
    const auto outer = builder.AddChain(0, region, 0x1100, spool::kChainCut);
    const auto inner = builder.AddChain(outer, region, 0x1200);
    const auto mark = builder.AddPhase("load", 5, 2, 7);
    builder.AddHits(region, 1, 0x1234, 5);
    builder.AddHitsAt(jit, 1, 0x7100, 5, inner, mark);
    builder.AddRoutine(0x1100, region, 3, 4);
    builder.SetConfiguration("CSINK_TOP='3'\n");
    spool::LockRecord lock{};
    lock.address = 0x1800;
    lock.region = region;
    lock.offset = 0x800;
    lock.first_pc = 0x1200;
    lock.first_region = region;
    lock.first_chain = inner;
    spool::WaitSiteRecord site{};
    site.pc = 0x1300;
    site.region = region;
    site.chain = inner;
    site.thread = 1;
    site.phase = mark;
    site.lock = builder.AddLock(lock);
    site.kind = spool::WaitKind::kMutex;
    site.system_call = 202;
    site.looks = 4;
    site.blocked_ns = 400;
    site.blocked_squared = 40000;
    builder.AddWaitSite(site);
    spool::HolderRecord holder{};
    holder.lock = site.lock;
    holder.thread = 1;
    holder.pc = 0x7200;
    holder.region = jit;
    holder.chain = outer;
    holder.looks = 3;
    holder.blocked_ns = 300;
    builder.AddHolder(holder);
    return builder;
  }());
  std::vector<std::byte> bytes = testing::DamagedSpool(whole, data, size);
  std::size_t printed = 0;
  const auto dumped = spool::DumpSpool(bytes, [&](std::string_view line) {
    printed += line.size();
    return printed < (1 << 20);
  });
  const auto spool = spool::ParseSpool(std::move(bytes));
  // Both read the same files.
  if (dumped.has_value() != spool.has_value()) std::abort();
  if (!spool) return 0;
  ProfileMerger merger({.keep_callers = true, .keep_phases = true});
  merger.Add(*spool, ProcessState::kKilled, "fuzz");
  merger.Add(*spool, ProcessState::kLive, "fuzz");
  const Profile profile = merger.Finish();
  const auto again = BuildMergedFile(profile);
  std::size_t used = again ? again->size() : 0;
  for (const Module& module : profile.modules) used += module.path.size() + module.build_id.size();
  return used == ~std::size_t{0} ? 1 : 0;
}
