#include "profil/reading/merge/merge_chain_ends.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"

namespace csink {

void ChainEndTable::Add(const spool::Spool& spool, SpoolCode& code) {
  for (const spool::ChainEndRecord& record : spool.chain_ends) {
    // A record of a running process that was added just now.
    if (record.chains == 0) continue;
    const std::uint32_t module = code.ModuleIndexOf(record.region);
    const auto [at, is_new] = index_.emplace(Key{record.end, record.way, module}, rows_.size());
    if (is_new) rows_.push_back({.end = record.end, .way = record.way, .module = module});
    ChainEndSum& sum = rows_[at->second];
    sum.copied_bytes = std::max(sum.copied_bytes, record.copied_bytes);
    AddTo(sum.chains, record.chains);
  }
}

}  // namespace csink
