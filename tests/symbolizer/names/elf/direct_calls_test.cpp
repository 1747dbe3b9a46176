#include "symbolizer/names/elf/direct_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "symbolizer/names/resolve/resolver.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using ::testing::Contains;
using testing::HaveTool;
using ::testing::IsEmpty;
using testing::Nm;
using ::testing::Not;
using testing::RequestFor;
using ::testing::UnorderedElementsAre;
using testing::Workshop;

/// `barrier` jumps to a function that jumps to the one that waits; `thread` alone reaches `dock`.
constexpr char kSource[] = R"(
extern int work(int);
__attribute__((noinline)) static int deep(int x) { return work(x) + work(x + 2); }
__attribute__((noinline)) static int wait_end(int x) { return deep(x) + work(x + 1); }
__attribute__((noinline)) static int wait(int x) { work(x); return wait_end(x + 1); }
__attribute__((noinline)) static int dock(int x) { return work(x) * 5; }
int barrier(int x) { if (x == 0) return 0; return wait(x + 7); }
int thread(int x) { return dock(x) + wait_end(x); }
)";

class DirectCalls : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DirectCalls, FindTheFunctionsOfAStrippedLibrary) {
  const auto& [compiler, strip] = GetParam();
  if (!HaveTool(compiler) || !HaveTool(strip)) GTEST_SKIP() << compiler << " is not here";
  Workshop shop;
  shop.Write("lib.c", kSource);
  shop.Run(std::string(compiler) +
           " -O2 -fPIC -shared -nostdlib -fno-ipa-cp -fno-ipa-icf -fasynchronous-unwind-tables "
           "-Wl,--build-id lib.c -o lib.so");
  const auto symbols = Nm(shop, shop.Path("lib.so"));
  for (const char* name : {"wait", "wait_end", "dock", "deep"}) ASSERT_TRUE(symbols.count(name));
  shop.Run(std::string(strip) + " lib.so");
  ModuleRequest request = RequestFor(shop, shop.Path("lib.so"), {});
  request.calls_from = {"barrier", "thread", "no_such_function", "barr"};
  const ModuleAnswer answer = ResolveModule(request, {});
  ASSERT_EQ(answer.called.size(), 4u);
  const auto at = [&](const char* name) { return symbols.at(name).start; };
  // Two steps: deep() is the third.
  EXPECT_THAT(answer.called[0], UnorderedElementsAre(at("barrier"), at("wait"), at("wait_end")));
  EXPECT_THAT(answer.called[1],
              UnorderedElementsAre(at("thread"), at("dock"), at("wait_end"), at("deep")));
  EXPECT_THAT(answer.called[2], IsEmpty());
  EXPECT_THAT(answer.called[3], IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Machines, DirectCalls,
    ::testing::Values(std::pair("gcc", "strip"),
                      std::pair("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-strip")),
    [](const auto& info) { return std::string(info.index == 0 ? "X86" : "AArch64"); });

TEST(DirectCallsOfLibgomp, DoNotReachTheBarrierOfIdleThreads) {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libgomp.so.1";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  Workshop shop;
  ModuleRequest request = RequestFor(shop, path, {});
  request.calls_from = {"GOMP_barrier", "GOMP_critical_start"};
  const ModuleAnswer answer = ResolveModule(request, {});
  ASSERT_EQ(answer.called.size(), 2u);
  // At least the exported function and what waits.
  EXPECT_GE(answer.called[0].size(), 2u);
  EXPECT_GE(answer.called[1].size(), 2u);
  for (const std::uint64_t start : answer.called[1]) {
    EXPECT_THAT(answer.called[0], Not(Contains(start)));
  }
}

}  // namespace
}  // namespace csink::symbolizer
