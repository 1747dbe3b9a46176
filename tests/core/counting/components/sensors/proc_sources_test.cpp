// The components net and stealtime over recorded files of /proc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "core/counting/components/device/device_sources.h"
#include "tests/fakes/opened_source.h"
#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using testing::OpenedSource;
using testing::RecordedTree;

std::uint64_t g_now_ns = 0;

constexpr char kHeadings[] =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier compressed\n";

/// A line of /proc/net/dev in which column i has the value first + i.
std::string Line(const std::string& interface, std::uint64_t first) {
  std::string line = "  " + interface + ":";
  for (std::uint64_t i = 0; i < 16; ++i) line += "  " + std::to_string(first + i);
  return line + "\n";
}

class Net : public ::testing::Test {
 protected:
  Net() { g_now_ns = 1'000'000'000; }
  void Set(const std::string& lines) { tree_.Add("/proc/net/dev", kHeadings + lines); }
  OpenedSource Open() {
    return OpenedSource(MakeNetSource(tree_.tree(), []() noexcept { return g_now_ns; }));
  }
  RecordedTree tree_;
};

TEST_F(Net, HasSixteenCountersOfEachInterface) {
  Set(Line("lo", 100) + Line("eth0", 200));
  OpenedSource net = Open();
  ASSERT_TRUE(net.ok()) << net.reason();
  EXPECT_EQ(net.Names().size(), 32u);
  EXPECT_EQ(net.Value("lo:rx:bytes"), 100u);
  EXPECT_EQ(net.Value("lo:tx:bytes"), 108u);
  EXPECT_EQ(net.Value("eth0:rx:multicast"), 207u);
  EXPECT_EQ(net.Value("eth0:tx:compressed"), 215u);
  EXPECT_TRUE(net.Find("eth0:tx:colls")->accumulates);
  EXPECT_EQ(net.Find("eth0:tx:colls")->units, "");
  EXPECT_EQ(net.Find("eth0:tx:bytes")->units, "B");
  // The name as PAPI 7.3 lists it.
  EXPECT_THAT(net.Find("eth0:rx:bytes")->aliases, ElementsAre("eth0:rx:byte"));
}

TEST_F(Net, NumbersMayFollowTheColonWithoutABlank) {
  std::string line = Line("wlan0", 7);
  line.erase(line.find(':') + 1, 2);
  Set(line);
  OpenedSource net = Open();
  EXPECT_EQ(net.Value("wlan0:rx:bytes"), 7u);
}

TEST_F(Net, AnInterfaceThatIsGoneFailsAlone) {
  Set(Line("lo", 1) + Line("eth0", 5));
  OpenedSource net = Open();
  Set(Line("eth0", 9) + Line("new", 3));
  EXPECT_EQ(net.Try("lo:rx:bytes").error().code, Errc::kSystem);
  EXPECT_EQ(net.Value("eth0:rx:bytes"), 9u);
  EXPECT_THAT(net.Names(), Not(Contains("new:rx:bytes")));
}

TEST_F(Net, ACounterThatStepsBackIsRefusedOnce) {
  Set(Line("eth0", 1000));
  OpenedSource net = Open();
  EXPECT_EQ(net.Value("eth0:rx:bytes"), 1000u);
  Set(Line("eth0", 10));
  g_now_ns += 1'000'000;
  EXPECT_EQ(net.Try("eth0:rx:bytes").error().code, Errc::kCorrupt);
}

TEST_F(Net, LinesThatAreNoneMakeNoEvents) {
  Set("  short: 1 2 3\n" + Line("", 4) +
      "no colon at all\n x: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 a\n");
  OpenedSource net = Open();
  EXPECT_FALSE(net.ok());
  EXPECT_THAT(net.reason(), HasSubstr("no interface"));
  RecordedTree empty;
  OpenedSource none(MakeNetSource(empty.tree()));
  EXPECT_FALSE(none.ok());
  EXPECT_THAT(none.reason(), HasSubstr("/proc/net/dev cannot be opened"));
}

TEST_F(Net, SeparatorsOfEventNamesAreReplaced) {
  Set(Line("a,b=c", 1));
  EXPECT_THAT(Open().Names(), Contains("a_b_c:rx:bytes"));
}

TEST(NetOfThisMachine, HasItsInterfaces) {
  OpenedSource net(MakeNetSource(SystemTree()));
  if (access("/proc/net/dev", R_OK) != 0) GTEST_SKIP() << "no /proc/net/dev here";
  ASSERT_TRUE(net.ok()) << net.reason();
  EXPECT_THAT(net.Names(), IsSupersetOf({"lo:rx:bytes", "lo:tx:packets"}));
}

class Stealtime : public ::testing::Test {
 protected:
  void Set(const std::string& text) { tree_.Add("/proc/stat", text); }
  OpenedSource Open() { return OpenedSource(MakeStealtimeSource(tree_.tree())); }
  const std::uint64_t us_per_tick_ = 1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  RecordedTree tree_;
};

TEST_F(Stealtime, CountsTheEighthFieldOfEachProcessor) {
  Set("cpu  1 2 3 4 5 6 7 50 9 10\ncpu0 1 2 3 4 5 6 7 20 9 10\ncpu1 1 2 3 4 5 6 7 30 9 10\nintr 1 "
      "2\n");
  OpenedSource steal = Open();
  ASSERT_TRUE(steal.ok()) << steal.reason();
  EXPECT_THAT(steal.Names(), ElementsAre("TOTAL", "CPU1", "CPU2"));
  EXPECT_EQ(steal.Value("TOTAL"), 50 * us_per_tick_);
  EXPECT_EQ(steal.Value("CPU1"), 20 * us_per_tick_);
  EXPECT_EQ(steal.Value("CPU2"), 30 * us_per_tick_);
  EXPECT_EQ(steal.Find("CPU2")->units, "us");
  EXPECT_EQ(steal.Find("CPU2")->description, "Steal time of cpu1");
}

TEST_F(Stealtime, AProcessorThatIsOfflineFailsAlone) {
  Set("cpu  1 2 3 4 5 6 7 50\ncpu0 1 2 3 4 5 6 7 20\ncpu1 1 2 3 4 5 6 7 30\n");
  OpenedSource steal = Open();
  Set("cpu  1 2 3 4 5 6 7 51\ncpu1 1 2 3 4 5 6 7 31\n");
  EXPECT_EQ(steal.Try("CPU1").error().code, Errc::kSystem);
  EXPECT_EQ(steal.Value("CPU2"), 31 * us_per_tick_);
}

TEST_F(Stealtime, AKernelThatDoesNotTellItHasNone) {
  Set("cpu  1 2 3 4\ncpu0 1 2 3 4\n");
  OpenedSource steal = Open();
  EXPECT_FALSE(steal.ok());
  EXPECT_THAT(steal.reason(), HasSubstr("does not tell the steal time"));
}

}  // namespace
}  // namespace csink
