#include "compat/papi/highlevel/region_log.h"

namespace csink::papi {

// A loop, because blocks that own each other would be freed by recursion.
RegionLog::~RegionLog() {
  Block* block = head_.load(std::memory_order_relaxed);
  while (block) {
    Block* next = block->next.load(std::memory_order_relaxed);
    delete block;
    block = next;
  }
}

// Each name is stored once. The last one is compared first, because programs often repeat a region.
const char* RegionLog::Keep(std::string_view name) {
  if (name == last_name_) return last_name_;
  return last_name_ = names_.emplace(name).first->c_str();
}

// Open regions of several threads are mixed in a shared plan, so the newest of this thread is
// searched from the end.
const RegionLog::Open* RegionLog::InnermostOf(int who) const noexcept {
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].who == who) return &open_[i];
  }
  return nullptr;
}

// count_ is stored last: the report never sees a region whose block it cannot reach.
Region& RegionLog::Begin(std::string_view name, int who) {
  const unsigned id = count_.load(std::memory_order_relaxed);
  const std::size_t place = id % kBlockSize;
  const char* kept = Keep(name);
  open_.reserve(open_.size() + 1);  // all later allocations precede any change
  if (place == 0) {
    Block* block = new Block(width_);
    (last_ ? last_->next : head_).store(block, std::memory_order_release);
    last_ = block;
  }
  Region& region = last_->regions[place];
  const Open* around = InnermostOf(who);
  region.name = kept;
  region.parent = around ? around->id : -1;
  region.values = &last_->values[place * width_];
  open_.push_back({&region, static_cast<int>(id), who});
  count_.store(id + 1, std::memory_order_release);
  return region;
}

Region* RegionLog::FindOpen(std::string_view name, int who) noexcept {
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].who == who && name == open_[i].region->name) return open_[i].region;
  }
  return nullptr;
}

bool RegionLog::IsInnermost(const Region& region, int who) const noexcept {
  const Open* innermost = InnermostOf(who);
  return innermost && innermost->region == &region;
}

// The row is complete before `ended` is set, so the report reads it without a lock.
void RegionLog::End(Region& region) noexcept {
  Cancel(region);
  region.ended.store(true, std::memory_order_release);
}

void RegionLog::Cancel(Region& region) noexcept {
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].region != &region) continue;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace csink::papi
