// Any bytes as a spool: read and merged without a complaint of the sanitizers.
// Inputs are hung behind a valid header, since no fuzzer guesses one. Modes from 128 on patch a
// merged file.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "profil/model/merge.h"
#include "profil/model/merged_file.h"
#include "profil/spool/reader.h"
#include "tests/fakes/spool_builder.h"

using namespace csink;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> valid = [] {
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
    return builder.Build();
  }();
  const MergeOptions kAll = {.keep_callers = true, .keep_phases = true};
  static const std::vector<std::byte> merged = [&] {
    ProfileMerger merger(kAll);
    for (const char* path : {"one", "two"}) {
      merger.Add(*spool::ParseSpool(valid), ProcessState::kComplete, path);
    }
    return *BuildMergedFile(merger.Finish());
  }();
  // The first byte: 0 replaces all, 1 overwrites what follows the header, else it
  // patches 4 bytes at each given place.
  const std::uint8_t mode = size > 0 ? data[0] : 0;
  std::vector<std::byte> bytes = mode < 128 ? valid : merged;
  if (mode == 0) {
    bytes.assign(reinterpret_cast<const std::byte*>(data),
                 reinterpret_cast<const std::byte*>(data) + size);
  } else if (mode == 1) {
    bytes.resize(spool::kHeaderBytes + size - 1);
    std::memcpy(bytes.data() + spool::kHeaderBytes, data + 1, size - 1);
    const std::uint64_t file_bytes = bytes.size();
    std::memcpy(bytes.data() + offsetof(spool::Header, file_bytes), &file_bytes, sizeof file_bytes);
  } else {
    for (std::size_t i = 1; i + 6 <= size; i += 6) {
      const std::size_t at = (data[i] | data[i + 1] << 8) % (bytes.size() - 4);
      std::memcpy(bytes.data() + at, data + i + 2, 4);
    }
  }
  const auto spool = spool::ParseSpool(std::move(bytes));
  if (!spool) return 0;
  ProfileMerger merger(kAll);
  merger.Add(*spool, ProcessState::kKilled, "fuzz");
  merger.Add(*spool, ProcessState::kLive, "fuzz");
  const Profile profile = merger.Finish();
  const auto again = BuildMergedFile(profile);
  std::size_t used = again ? again->size() : 0;
  for (const Module& module : profile.modules) used += module.path.size() + module.build_id.size();
  return used == ~std::size_t{0} ? 1 : 0;
}
