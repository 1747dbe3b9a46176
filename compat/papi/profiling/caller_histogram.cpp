#include "compat/papi/profiling/caller_histogram.h"

#include <algorithm>
#include <set>

/// File: checks the caller's regions and resolves their overlaps into a sorted list of disjoint
/// stretches (Flatten).

namespace csink {
namespace {

// The range of a scale by the PAPI manual: 0x20000 is one bucket for each address, 2 the catch-all.
constexpr unsigned kMinScale = 2;
constexpr unsigned kMaxScale = 0x20000;
constexpr std::uintptr_t kLastByte = ~std::uintptr_t{0};

// Why a region cannot be used; nullptr: it can.
const char* WhatIsWrong(const HistogramRegion& region, BucketWidth width) noexcept {
  const auto base = reinterpret_cast<std::uintptr_t>(region.buckets);
  if (base == 0) return "a profile buffer is null";
  // The manual's catch-all region has a size of 1, but one bucket of two bytes.
  const std::size_t least = region.scale == kMinScale ? 1 : static_cast<std::size_t>(width);
  if (region.size_bytes < least) return "a profile buffer is too small for one bucket";
  if (base % static_cast<unsigned>(width) != 0) {
    return "a profile buffer is not aligned to its buckets";
  }
  if (region.size_bytes - 1 > kLastByte - base) {
    return "a profile buffer extends beyond the address space";
  }
  if (region.scale < kMinScale || region.scale > kMaxScale) {
    return "a profile's scale must be 2 to 0x20000";
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<CallerHistogram>> CallerHistogram::Make(
    std::span<const HistogramRegion> regions, const HistogramOptions& options) {
  if (regions.empty()) return Error{Errc::kInvalid, 0, "a profile needs a region"};
  for (const HistogramRegion& region : regions) {
    if (const char* wrong = WhatIsWrong(region, options.width)) {
      return Error{Errc::kInvalid, 0, wrong};
    }
  }
  return std::unique_ptr<CallerHistogram>(new CallerHistogram(regions, options));
}

CallerHistogram::CallerHistogram(std::span<const HistogramRegion> regions,
                                 const HistogramOptions& options)
    : options_(options), regions_(regions.begin(), regions.end()), random_(options.seed) {
  Flatten();
}

std::size_t CallerHistogram::BucketsOf(const HistogramRegion& region) const noexcept {
  return std::max<std::size_t>(1, region.size_bytes / static_cast<unsigned>(options_.width));
}

std::uintptr_t CallerHistogram::LastAddress(const HistogramRegion& region) const noexcept {
  if (region.scale == kMinScale) return kLastByte;
  // The first distance whose bucket would be out of range is span / scale, rounded up. 128 bits,
  // because a buffer of 2^47 buckets times 2^17 does not fit into 64.
  const auto span = static_cast<unsigned __int128>(BucketsOf(region)) << 17;
  const auto last = (span - 1) / region.scale;
  return last > kLastByte - region.start ? kLastByte
                                         : region.start + static_cast<std::uintptr_t>(last);
}

/// Cuts the regions at every start and end. Each piece belongs to the region with the largest start
/// among those that cover it.
void CallerHistogram::Flatten() {
  struct Edge {
    std::uintptr_t at;
    bool begins;
    std::uint32_t region;
  };
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    edges.push_back({regions_[i].start, true, i});
    const std::uintptr_t last = LastAddress(regions_[i]);
    if (last != kLastByte) edges.push_back({last + 1, false, i});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });

  // The first element of `covering` is the region that gets the hits.
  const auto wins = [this](std::uint32_t a, std::uint32_t b) {
    return regions_[a].start != regions_[b].start ? regions_[a].start > regions_[b].start : a < b;
  };
  std::set<std::uint32_t, decltype(wins)> covering(wins);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].begins) {
      covering.insert(edges[i].region);
    } else {
      covering.erase(edges[i].region);
    }
    // All edges at one address are applied before the owner from there on is determined.
    if (i + 1 < edges.size() && edges[i + 1].at == edges[i].at) continue;
    const std::uint32_t owner = covering.empty() ? kNobody : *covering.begin();
    if (stretches_.empty() || stretches_.back().region != owner) {
      stretches_.push_back({edges[i].at, owner});
    }
  }
}

}  // namespace csink
