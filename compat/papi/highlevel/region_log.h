#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace csink::papi {

/// One passage through a region. What it takes is kept as rows of numbers: cycles, real time in ns,
/// then one an event.
struct Region {
  const char* name = nullptr;
  int parent = -1;               ///< Id of the region around it; -1: none
  long long* values = nullptr;   ///< While it is open: at its beginning; then: what it took
  std::vector<long long> reads;  ///< Rows of PAPI_hl_read, one after the other
  std::atomic<bool> ended{false};
};

/// The regions that one thread passed, in the order in which they began; an id is a region's place.
///
/// Owns:    all of it. It only grows, and nothing moves, so that the report of a program that ends
///          can read what is complete while the thread goes on.
/// Threads: its own writes; any may call ForEachEnded.
class RegionLog {
 public:
  /// `width`: numbers in a row.
  explicit RegionLog(std::size_t width) : width_(width) {}
  ~RegionLog();
  RegionLog(const RegionLog&) = delete;
  RegionLog& operator=(const RegionLog&) = delete;

  std::size_t width() const noexcept { return width_; }

  /// Begins a region inside the innermost open one of `who`; its row is to be filled in.
  Region& Begin(std::string_view name, int who = 0);
  /// The innermost open region of this name that `who` began; nullptr: none is open.
  Region* FindOpen(std::string_view name, int who = 0) noexcept;
  bool IsInnermost(const Region& region, int who = 0) const noexcept;
  /// An open region ends; its row has what it took.
  void End(Region& region) noexcept;
  /// An open region is not to be told of.
  void Cancel(Region& region) noexcept;

  /// How many have begun. Threads: any.
  unsigned count() const noexcept { return count_.load(std::memory_order_acquire); }
  /// visit(id, region) for all that have ended.
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
  struct Block {
    explicit Block(std::size_t width) : values(new long long[kBlockSize * width]) {}
    std::unique_ptr<long long[]> values;
    Region regions[kBlockSize];
    std::atomic<Block*> next{nullptr};
  };

  struct Open {
    Region* region;
    int id;
    int who;
  };

  const char* Keep(std::string_view name);
  const Open* InnermostOf(int who) const noexcept;

  const std::size_t width_;
  std::atomic<Block*> head_{nullptr};
  Block* last_ = nullptr;
  std::atomic<unsigned> count_{0};
  std::vector<Open> open_;
  std::unordered_set<std::string> names_;
  const char* last_name_ = "";
};

}  // namespace csink::papi
