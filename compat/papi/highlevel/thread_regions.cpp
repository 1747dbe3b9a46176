#include "compat/papi/highlevel/thread_regions.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compat/papi/boundary/debug.h"
#include "core/counting/counters/quick_read.h"

/// File: the regions of one thread. All sets count from the first region on without a stop, so the
/// begin and the end of a region are one read of each set, and a region's values are differences of
/// two rows. base_ carries the counts over a stop, so that rows never decrease.

namespace csink::papi {
namespace {

constexpr std::size_t kClocks = 2;  ///< Cycles and ns, before the events' numbers

// Cycles and nanoseconds of real time; neither is a system call.
void ReadClocks(long long* row) noexcept {
  row[0] = PAPI_get_real_cyc();
  row[1] = PAPI_get_real_nsec();
}

// By QuickRead where the set allows it, as PAPI_read does.
int ReadSet(EventSet& set, long long* counts) noexcept {
  const QuickRead* quick = set.quick();
  if (quick && ReadQuickly(*quick, counts)) return PAPI_OK;
  const int code = set.Read(counts);
  return code == PAPI_ECLOST ? PAPI_OK : code;  // the values are set, as lower bounds
}

}  // namespace

ThreadRegions::ThreadRegions(const RegionPlan& plan, std::vector<PrivateSet> sets)
    : plan_(plan),
      sets_(std::move(sets)),
      base_(plan.events),
      last_(plan.events),
      row_(kClocks + plan.events),
      log_(kClocks + plan.events) {
  for (const RegionGroup& group : plan.groups) {
    for (const RegionEvent& event : group.events) {
      kinds_.push_back({event.value, event.floating});
    }
  }
}

// False also where the program stopped or destroyed one of the sets: their handles are in the same
// table as its own.
bool ThreadRegions::counting() const noexcept {
  if (!started_) return false;
  for (const PrivateSet& set : sets_) {
    if (!set.alive() || !set->running()) return false;
  }
  return true;
}

// Makes all sets count. Sets are opened anew only where one of them is gone or an event was
// redefined.
int ThreadRegions::Count() {
  if (counting()) [[likely]]
    return PAPI_OK;
  Stop();  // the program may have stopped one of the sets by its handle
  bool ready = !sets_.empty();
  for (PrivateSet& set : sets_) ready &= set.alive() && set.Resume();
  if (!ready) {
    if (const int code = OpenRegionSets(plan_, sets_); code != PAPI_OK) return code;
  }
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const int code = sets_[i]->Start();
    if (code == PAPI_OK) continue;
    // All sets count, or none: a region must not have the values of some events alone.
    while (i-- > 0) sets_[i]->Stop(nullptr);
    Suspend();
    return code;
  }
  // Counts restart from 0 with the sets.
  base_ = last_;
  started_ = true;
  return PAPI_OK;
}

int ThreadRegions::ReadSets(long long* counts) noexcept {
  std::size_t at = 0;
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (const int code = ReadSet(*sets_[i], counts + at); code != PAPI_OK) return code;
    at += plan_.groups[i].events.size();
  }
  for (std::size_t i = 0; i < plan_.events; ++i) {
    // Rows have integers. A reading in a double is rounded to the nearest one.
    if (kinds_[i].floating) counts[i] = std::llround(std::bit_cast<double>(counts[i]));
    if (kinds_[i].value == RegionValue::kDelta) counts[i] += base_[i];
    last_[i] = counts[i];
  }
  return PAPI_OK;
}

int ThreadRegions::Row(long long* row, bool clocks_first) noexcept {
  // The clocks are read on the side of the region's code, so that its time does not include the
  // reading of the counts.
  if (clocks_first) ReadClocks(row);
  int code = PAPI_OK;
  if (counting()) {
    code = ReadSets(row + kClocks);
  } else {
    // After PAPI_hl_stop counts stand still; time goes on.
    std::copy(last_.begin(), last_.end(), row + kClocks);
  }
  if (!clocks_first) ReadClocks(row);
  return code;
}

void ThreadRegions::Subtract(const long long* begin, long long* row) const noexcept {
  for (std::size_t i = 0; i < kClocks; ++i) row[i] -= begin[i];
  for (std::size_t i = 0; i < plan_.events; ++i) {
    const long long before = begin[kClocks + i];
    long long& value = row[kClocks + i];
    if (kinds_[i].value == RegionValue::kDelta) value -= before;
    // Readings are far below 2^62: the sum does not overflow.
    if (kinds_[i].value == RegionValue::kAverage) value = (value + before) / 2;
  }
}

int ThreadRegions::Begin(const char* name, int who) {
  if (const int code = Count(); code != PAPI_OK) return code;
  Region& region = log_.Begin(name, who);
  const int code = Row(region.values, false);
  // A region without its first values cannot be reported.
  if (code != PAPI_OK) log_.Cancel(region);
  return code;
}

int ThreadRegions::Opened(const char* name, int who, Region** region) noexcept {
  *region = log_.FindOpen(name, who);
  if (*region) return PAPI_OK;
  return Complain(PAPI_EINVAL, "no region of this name is open on this thread");
}

int ThreadRegions::Read(const char* name, int who) {
  Region* region = nullptr;
  if (const int code = Opened(name, who, &region); code != PAPI_OK) return code;
  if (const int code = Row(row_.data(), true); code != PAPI_OK) return code;
  Subtract(region->values, row_.data());
  region->reads.insert(region->reads.end(), row_.begin(), row_.end());
  return PAPI_OK;
}

int ThreadRegions::End(const char* name, int who) {
  Region* region = nullptr;
  int code = Opened(name, who, &region);
  if (code == PAPI_OK && !log_.IsInnermost(*region, who)) {
    code =
        Complain(PAPI_EINVAL, "an inner region is still open: regions must end in reverse order");
  }
  if (code == PAPI_OK) code = Row(row_.data(), true);
  if (code != PAPI_OK) return code;
  Subtract(region->values, row_.data());
  std::copy(row_.begin(), row_.end(), region->values);
  log_.End(*region);
  return PAPI_OK;
}

int ThreadRegions::Stop() noexcept {
  if (!started_) return PAPI_ENOEVNT;
  started_ = false;
  bool all = true;
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    all &= sets_[i].alive() && sets_[i]->running() && sets_[i]->Stop(nullptr) == PAPI_OK;
  }
  // After PAPI_shutdown nothing can be read; the last values are kept.
  if (all) ReadSets(row_.data() + kClocks);
  Suspend();
  return PAPI_OK;
}

void ThreadRegions::Suspend() noexcept {
  for (PrivateSet& set : sets_) set.Suspend();
}

void ThreadRegions::Leave() noexcept {
  started_ = false;
  sets_.clear();
}

}  // namespace csink::papi
