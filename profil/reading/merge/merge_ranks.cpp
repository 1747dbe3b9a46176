#include "profil/reading/merge/merge_ranks.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "profil/reading/model/saturating.h"

/// File: samples by rank, place and event. Pairs of place and event are numbered, so that a count
/// takes 16 bytes (docs/design/profil.md).

namespace csink {
namespace {

/// A number of samples has 32 bits, because a job has a record for each rank and place.
std::uint32_t AtMost32Bits(std::uint64_t number) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

/// Sorts by code and adds up the counts of the same code.
void Unite(std::vector<RankCount>& counts) {
  std::sort(counts.begin(), counts.end(),
            [](const RankCount& a, const RankCount& b) { return a.code < b.code; });
  std::size_t kept = 0;
  for (const RankCount& count : counts) {
    if (kept > 0 && counts[kept - 1].code == count.code) {
      RankCount& sum = counts[kept - 1];
      sum.samples = AtMost32Bits(std::uint64_t{sum.samples} + count.samples);
      csink::AddTo(sum.weight, count.weight);
    } else {
      counts[kept++] = count;
    }
  }
  counts.resize(kept);
  counts.shrink_to_fit();
}

}  // namespace

// The number of (place, event), added if it is new.
std::uint32_t RankTable::CodeOf(const CodeAddress& address, std::size_t event) {
  const auto [it, is_new] =
      index_.emplace(Key{address, event}, static_cast<std::uint32_t>(codes_.size()));
  if (is_new) codes_.push_back({address, event});
  return it->second;
}

void RankTable::AddTo(std::uint32_t rank, std::vector<RankCount> counts) {
  std::vector<RankCount>& row = rows_[rank];
  if (row.empty()) {
    row = std::move(counts);
  } else {
    row.insert(row.end(), counts.begin(), counts.end());
  }
  // At once, so that a rank of many processes needs no memory for each of them.
  Unite(row);
}

bool RankTable::IsOneJob(const spool::Spool& spool) {
  // In every spool the job is known where the rank is.
  const auto note = [&](std::uint32_t rank_plus_one, std::string_view job) {
    if (rank_plus_one != 0 && !jobs_.contains(job)) jobs_.emplace(job);
  };
  if (spool.processes.empty()) note(spool.header.rank_plus_one, spool.header.job);
  for (const spool::Process& process : spool.processes) {
    note(process.record.rank_plus_one, process.job);
  }
  if (jobs_.size() <= 1) return true;
  rows_.clear();
  return false;
}

void RankTable::Add(const spool::Spool& spool, SpoolCode& code, const ColumnMap& columns) {
  if (!IsOneJob(spool)) return;
  if (spool.processes.empty()) {
    if (spool.header.rank_plus_one == 0) return;
    std::vector<RankCount> counts;
    for (const spool::Hit& hit : spool.hits) {
      // Callers, marks and threads are left out: the number of counts is then that of a flat
      // profile.
      const CodeAddress address = code.AddressOrUnknown(hit.region, hit.pc);
      const auto of_hit = spool.CountsOf(hit);
      for (std::size_t i = 0; i < of_hit.size(); ++i) {
        if (columns[i] == kNoColumn || of_hit[i].samples == 0) continue;
        counts.push_back(
            {CodeOf(address, columns[i]), AtMost32Bits(of_hit[i].samples), of_hit[i].weight});
      }
    }
    AddTo(spool.header.rank_plus_one - 1, std::move(counts));
    return;
  }
  constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> codes;  // By code of the file
  for (const spool::RankCodeRecord& record : spool.ranks.codes) {
    const std::size_t column = columns[record.event];
    codes.push_back(column == kNoColumn
                        ? kLeftOut
                        : CodeOf(code.AddressOrUnknown(record.region, record.pc), column));
  }
  // The counts of all ranks lie one behind the other; CheckRanks has compared their number.
  auto next = spool.ranks.counts.begin();
  for (const spool::RankRecord& rank : spool.ranks.ranks) {
    std::vector<RankCount> counts;
    counts.reserve(rank.counts);
    for (std::uint32_t i = 0; i < rank.counts; ++i, ++next) {
      // The profile has no column for the event. `next` goes on nevertheless.
      if (codes[next->code] == kLeftOut) continue;
      counts.push_back({codes[next->code], next->samples, next->weight});
    }
    AddTo(rank.rank, std::move(counts));
  }
}

Ranks RankTable::Take() {
  Ranks ranks;
  if (!rows_.empty()) ranks.codes = std::move(codes_);
  for (auto& [rank, counts] : rows_) ranks.rows.push_back({rank, std::move(counts)});
  rows_.clear();
  index_.clear();
  return ranks;
}

}  // namespace csink
