// Any bytes as a spool: read and merged without a complaint of the sanitizers.
// Inputs are hung behind a valid header, since no fuzzer guesses one.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "profil/model/merge.h"
#include "profil/spool/reader.h"
#include "tests/fakes/spool_builder.h"

using namespace csink;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> valid = [] {
    testing::SpoolBuilder builder;
    const auto region = builder.AddRegion({.path = "/a", .start = 0x1000, .end = 0x2000});
    builder.AddHits(region, 1, 0x1234, 5);
    builder.AddRoutine(0x1100, region, 3, 4);
    return builder.Build();
  }();
  std::vector<std::byte> bytes = valid;
  // The first byte: 0 replaces all, 1 overwrites what follows the header, else it
  // patches 4 bytes at each given place.
  const std::uint8_t mode = size > 0 ? data[0] : 0;
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
  ProfileMerger merger;
  merger.Add(*spool, ProcessState::kKilled, "fuzz");
  merger.Add(*spool, ProcessState::kLive, "fuzz");
  const Profile profile = merger.Finish();
  std::size_t used = 0;
  for (const Module& module : profile.modules) used += module.path.size() + module.build_id.size();
  return used == ~std::size_t{0} ? 1 : 0;
}
