#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace csink::papi {

/// One execution of a region. Its values are rows of numbers: cycles, real time in ns, then one
/// number for each event in the order of the plan.
struct Region {
  const char* name = nullptr;      ///< Kept by the log
  int parent = -1;                 ///< Id of the enclosing region; -1: none
  long long* values = nullptr;     ///< While open: the values at the begin; then the differences
  std::vector<long long> reads;    ///< Rows of PAPI_hl_read, one after the other
  std::atomic<bool> ended{false};  ///< Set once; then nothing in the region changes any more
};

/// The regions that one thread executed, in the order in which they began. The id of a region is
/// its index in this order. Regions are stored in a list of blocks that are never moved or freed
/// before the log, names once each.
/// Owns:    all regions. The log only grows and nothing moves, so that the report at exit can read
///          completed regions while the thread goes on.
/// Threads: one thread writes; any thread may call count and ForEachEnded.
class RegionLog {
 public:
  /// `width`: number of values in a row, two clocks and the events; > 0.
  explicit RegionLog(std::size_t width) : width_(width) {}
  ~RegionLog();
  RegionLog(const RegionLog&) = delete;
  RegionLog& operator=(const RegionLog&) = delete;

  std::size_t width() const noexcept { return width_; }

  /// Begins a region in the innermost open region of `who`. The caller fills its row of values
  /// (width() numbers). Throws bad_alloc without changing the log. `who`: the thread, in a log that
  /// several threads share; else 0.
  Region& Begin(std::string_view name, int who = 0);
  /// The innermost open region with this name that `who` began; nullptr: none is open.
  Region* FindOpen(std::string_view name, int who = 0) noexcept;
  /// Whether `who` has begun no other region inside this one that is still open.
  bool IsInnermost(const Region& region, int who = 0) const noexcept;
  /// Ends an open region whose row has the differences. The region must not be changed afterwards.
  void End(Region& region) noexcept;
  /// Removes an open region; the report will not contain it.
  void Cancel(Region& region) noexcept;

  /// Number of regions that have begun. Threads: any.
  unsigned count() const noexcept { return count_.load(std::memory_order_acquire); }
  /// Calls visit(id, region) for all regions that have ended, in the order of their begin. Regions
  /// that begin or end meanwhile may be missing. Threads: any.
  template <class F>
  void ForEachEnded(F visit) const {
    unsigned id = 0;
    const unsigned count = count_.load(std::memory_order_acquire);
    for (const Block* b = head_.load(std::memory_order_acquire); b;
         b = b->next.load(std::memory_order_acquire)) {
      for (std::size_t i = 0; i < kBlockSize && id < count; ++i, ++id) {
        const Region& region = b->regions[i];
        if (region.ended.load(std::memory_order_acquire)) visit(id, region);
      }
    }
  }

 private:
  static constexpr std::size_t kBlockSize = 64;
  /// 64 regions and their rows. Allocated together, so that most regions need no allocation.
  struct Block {
    explicit Block(std::size_t width) : values(new long long[kBlockSize * width]) {}
    std::unique_ptr<long long[]> values;
    Region regions[kBlockSize];
    std::atomic<Block*> next{nullptr};
  };

  /// An open region; `who` is the thread in a shared plan, else 0.
  struct Open {
    Region* region;
    int id;
    int who;
  };

  /// The text of a name that stays valid as long as the log.
  const char* Keep(std::string_view name);
  const Open* InnermostOf(int who) const noexcept;

  const std::size_t width_;
  std::atomic<Block*> head_{nullptr};
  Block* last_ = nullptr;
  /// Stored with release after the region is complete enough to be looked at.
  std::atomic<unsigned> count_{0};
  std::vector<Open> open_;  ///< In the order of their begin
  std::unordered_set<std::string> names_;
  /// The last result of Keep.
  const char* last_name_ = "";
};

}  // namespace csink::papi
