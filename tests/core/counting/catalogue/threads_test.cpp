// Run by ThreadSanitizer too (preset tsan).
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/counting/catalogue/native_catalogue.h"

namespace csink {
namespace {

constexpr int kThreads = 64;
constexpr const char* kNames[] = {
    "perf::TASK-CLOCK",
    "PAGE-FAULTS",
    "perf::CPU-CLOCK:u",
    "CONTEXT-SWITCHES:k",
    "MINOR-FAULTS:u=1",
    "perf::MAJOR-FAULTS",
    "cs",
    "CPU-MIGRATIONS",
    "L1-DCACHE-LOADS",
    "perf::L1-ICACHE-LOADS",
    "perf::CYCLES:h=0",
    "TASK-CLOCK:period=1000",
    "perf::NO-SUCH-EVENT",
    "TASK-CLOCK:nonsense",
};
constexpr std::size_t kCount = std::size(kNames);
constexpr std::uint32_t kRefused = ~0u;

void ResolveAll(NativeCatalogue& catalogue, std::size_t first, std::uint32_t (&ids)[kCount]) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t at = (first + i) % kCount;
    EventComplaint complaint;
    const Result<std::uint32_t> id = catalogue.Find(CatalogueSide::kCore, kNames[at], complaint);
    ids[at] = id ? *id : kRefused;
    if (id) {
      ASSERT_EQ(catalogue.Describe(*id).name, kNames[at]);
      ASSERT_GE(catalogue.Encoding(*id).pmu, 0);
    }
  }
}

TEST(NativeCatalogueInThreads, GivesEveryThreadTheSameIds) {
  NativeCatalogue& catalogue = NativeCatalogue::Get();
  std::uint32_t ids[kThreads][kCount] = {};
  std::vector<std::thread> threads;
  std::atomic<bool> start{false};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      while (!start.load()) std::this_thread::yield();
      ResolveAll(catalogue, static_cast<std::size_t>(t), ids[t]);
    });
  }
  start = true;
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : ids) {
    EXPECT_TRUE(std::equal(std::begin(of_thread), std::end(of_thread), std::begin(ids[0])));
  }
  EXPECT_EQ(ids[0][kCount - 1], kRefused);
  EXPECT_NE(ids[0][0], kRefused);
}

TEST(NativeCatalogueInThreads, EnumeratesWhileOthersResolve) {
  NativeCatalogue& catalogue = NativeCatalogue::Get();
  std::vector<std::size_t> counts(8);
  std::vector<std::thread> threads;
  for (std::size_t& count : counts) {
    threads.emplace_back([&] {
      char text[256];
      for (auto id = catalogue.First(CatalogueSide::kCore); id; id = catalogue.Next(*id)) {
        for (auto mask = catalogue.NextUnitMask(*id); mask; mask = catalogue.NextUnitMask(*mask)) {
          catalogue.CopyLongText(*mask, text, sizeof(text));
          ++count;
        }
      }
    });
    threads.emplace_back([&] {
      std::uint32_t ids[kCount];
      ResolveAll(catalogue, 0, ids);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t count : counts) EXPECT_EQ(count, counts[0]);
}

}  // namespace
}  // namespace csink
