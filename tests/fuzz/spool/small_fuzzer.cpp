// Any bytes as a tree's record file. The first byte: 0 takes the rest as it is, else
// the rest becomes a record with the right signature, which no fuzzer guesses.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "profil/reading/merge/merge.h"
#include "profil/reading/model/lineage.h"
#include "profil/reading/reader/small_reader.h"

using namespace csink;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto* rest = reinterpret_cast<const std::byte*>(data + 1);
  std::vector<std::byte> bytes(rest, rest + size - 1);
  if (data[0] != 0) {
    spool::SmallHead head = {};
    std::memcpy(head.magic, spool::kSmallMagic, sizeof head.magic);
    head.version = spool::kSmallVersion;
    head.kind = data[0] % 2 == 0 ? spool::SmallKind::kNotFollowed : spool::SmallKind::kProcess;
    std::vector<std::byte> record(sizeof head);
    record.insert(record.end(), bytes.begin(), bytes.end());
    record.resize((record.size() + 7) / 8 * 8);
    head.bytes = static_cast<std::uint32_t>(record.size());
    std::memcpy(record.data(), &head, sizeof head);
    head.checksum = spool::SmallChecksum(record.data(), record.size() / 8);
    std::memcpy(record.data(), &head, sizeof head);
    bytes = std::move(record);
  }
  const spool::SmallRecords small(std::move(bytes));
  ProfileMerger merger;
  for (std::size_t i = 0; i < small.size(); ++i) {
    merger.Add(small.Process(i), ProcessState::kComplete, "fuzz");
  }
  Profile profile = merger.Finish();
  RelateImages(profile);
  return profile.processes.size() == small.size() ? 0 : 1;
}
