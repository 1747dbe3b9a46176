#include "symbolizer/names/demangle/clone_suffix.h"

#include <gtest/gtest.h>

#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::Nm;
using testing::OffsetOf;
using testing::RequestFor;
using testing::Workshop;

TEST(CloneSuffix, IsWhatPassesAppend) {
  for (const auto& [name, suffix] :
       {std::pair{"work", ""},
        {"work.cold", ".cold"},
        {"work.part.0", ".part.0"},
        {"work.isra.0.constprop.12", ".isra.0.constprop.12"},
        {"work.part.0.cold", ".part.0.cold"},
        {"_ZN1a4workEv.lto_priv.3", ".lto_priv.3"},
        {"work.llvm.17234562", ".llvm.17234562"},
        {"work.__part.1", ".__part.1"},
        {"_ZL4workv.__uniq.1234567.llvm.89", ".__uniq.1234567.llvm.89"},
        {"main._omp_fn.0", ""},
        {"work.avx2", ""},
        {"work.v2.cold", ".cold"},
        {"main.(*T).Method", ""},
        {".cold", ""},
        {".0", ""},
        {"0", ""},
        {"a.0", ""},
        {"", ""},
        {".", ""},
        {"cold", ""}}) {
    EXPECT_EQ(CloneSuffix(name), suffix) << name;
  }
}

/// gcc moves the code behind an unlikely branch into Work.cold.
class ClonesOfGcc : public ::testing::Test {
 protected:
  void SetUp() override {
    shop_.Write("cold.cpp", R"(
      extern "C" void abort(void);
      __attribute__((noinline, cold)) void Fail(int x) { asm volatile("" :: "r"(x)); }
      __attribute__((noinline)) int Work(int* p, int n) {
        int sum = 0;
        for (int i = 0; i < n; ++i) {
          sum += p[i] * i;
          if (__builtin_expect(p[i] < 0, 0)) { Fail(i); Fail(sum); abort(); }
        }
        return sum;
      })");
    shop_.Run("g++ -O2 -fPIC -shared -g cold.cpp -o lib.so");
    path_ = shop_.Path("lib.so");
    const auto symbols = Nm(shop_, path_);
    hot_ = symbols.at("_Z4WorkPii").start;
    ASSERT_TRUE(symbols.contains("_Z4WorkPii.cold"));
    cold_ = symbols.at("_Z4WorkPii.cold").start;
  }
  Workshop shop_;
  std::string path_;
  std::uint64_t hot_ = 0;
  std::uint64_t cold_ = 0;
};

TEST_F(ClonesOfGcc, KeepTheirSuffixInNameAndField) {
  const Location location = testing::ResolveVaddr(shop_, path_, cold_);
  EXPECT_EQ(location.function, "Work(int*, int) [clone .cold]");
  EXPECT_EQ(location.raw_name, "_Z4WorkPii.cold");
  EXPECT_EQ(location.clone, ".cold");
  EXPECT_EQ(location.function_vaddr, cold_);
  EXPECT_NE(location.line, 0u);
  EXPECT_EQ(testing::ResolveVaddr(shop_, path_, hot_).clone, "");
}

TEST_F(ClonesOfGcc, CanBeMergedWithTheirFunction) {
  auto answer = ResolveModule(
      RequestFor(shop_, path_, {OffsetOf(shop_, path_, hot_), OffsetOf(shop_, path_, cold_)}), {});
  MergeClones(answer);
  for (const Location& location : answer.locations) {
    EXPECT_EQ(location.function, "Work(int*, int)");
    EXPECT_EQ(location.raw_name, "_Z4WorkPii");
    EXPECT_EQ(location.clone, "");
    EXPECT_EQ(location.function_vaddr, hot_);
  }
}

}  // namespace
}  // namespace csink::symbolizer
