#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

/// File: spools made from the bytes of a fuzzer. Inputs change a valid file, since no fuzzer
/// guesses a valid header.

namespace csink::testing {

/// A spool and the merged file of two such spools: what inputs change.
struct WholeSpools {
  std::vector<std::byte> one;
  std::vector<std::byte> merged;

  explicit WholeSpools(const SpoolBuilder& builder) : one(builder.Build()) {
    ProfileMerger merger({.keep_callers = true, .keep_phases = true});
    for (const char* path : {"one", "two"}) {
      merger.Add(*spool::ParseSpool(one), ProcessState::kComplete, path);
    }
    merged = *BuildMergedFile(merger.Finish());
  }
};

/// The first byte is the mode. 0: the input replaces the whole file. 1: it replaces what follows
/// the header. Other modes replace 4 bytes at each given place (two bytes of position, then the
/// four). They change the merged file if bit 7 is set, and leave the header alone if bit 6 is set.
inline std::vector<std::byte> DamagedSpool(const WholeSpools& whole, const std::uint8_t* data,
                                           std::size_t size) {
  const std::uint8_t mode = size > 0 ? data[0] : 0;
  const auto* input = reinterpret_cast<const std::byte*>(data);
  if (mode == 0) return {input, input + size};
  std::vector<std::byte> bytes = mode < 128 ? whole.one : whole.merged;
  if (mode == 1) {
    bytes.resize(spool::kHeaderBytes + size - 1);
    std::memcpy(bytes.data() + spool::kHeaderBytes, data + 1, size - 1);
    const std::uint64_t file_bytes = bytes.size();
    std::memcpy(bytes.data() + offsetof(spool::Header, file_bytes), &file_bytes, sizeof file_bytes);
    return bytes;
  }
  const std::size_t first = (mode & 64) != 0 ? spool::kHeaderBytes : 0;
  for (std::size_t i = 1; i + 6 <= size; i += 6) {
    const std::size_t at = first + (data[i] | data[i + 1] << 8) % (bytes.size() - first - 4);
    std::memcpy(bytes.data() + at, data + i + 2, 4);
  }
  return bytes;
}

}  // namespace csink::testing
