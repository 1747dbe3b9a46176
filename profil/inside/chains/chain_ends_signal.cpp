#include "core/util/mix.h"
#include "profil/format/slices.h"
#include "profil/inside/chains/chain_ends.h"

/// File: see the header.

namespace csink {

ChainEnds::Entry* ChainEnds::Find(spool::ChainWay way, const ChainStop& stop) noexcept {
  const std::uint64_t key = std::uint64_t{stop.region} << 16 |
                            static_cast<std::uint64_t>(way) << 8 |
                            static_cast<std::uint64_t>(stop.end);
  const std::uint64_t hash = MixBits(key);
  for (std::size_t i = 0; i < kPlaces; ++i) {
    Entry& entry = entries_[(hash + i) % kPlaces];
    if (entry.id_plus_one == 0) return &entry;
    if (entry.end == stop.end && entry.way == way && entry.region == stop.region) return &entry;
  }
  return nullptr;
}

void ChainEnds::Count(SpoolWriter& spool, spool::ChainWay way, const ChainStop& stop,
                      std::uint32_t copied_bytes) noexcept {
  ChainStop key = stop;
  Entry* entry = Find(way, key);
  const bool is_new = entry == nullptr || entry->id_plus_one == 0;
  if (is_new && key.region != spool::kNone && used_ >= kPlaces - kReserved) {
    key.region = spool::kNone;
    entry = Find(way, key);
  }
  if (entry == nullptr) return;
  if (entry->id_plus_one == 0) {
    spool::ChainEndRecord record = {};
    record.end = key.end;
    record.way = way;
    record.region = key.region;
    const std::uint32_t id = spool.Add(record);
    if (id == spool::kNone) return;
    *entry = {key.end, way, key.region, id + 1};
    ++used_;
  }
  auto* record = spool.At<spool::ChainEndRecord>(entry->id_plus_one - 1);
  if (record == nullptr) return;
  StoreLive(record->chains, record->chains + 1);
  if (copied_bytes > record->copied_bytes) StoreLive(record->copied_bytes, copied_bytes);
}

}  // namespace csink
