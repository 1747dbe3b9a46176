#include "agent/start/event_cost.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fakes/priced_kernel.h"
#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

namespace fs = std::filesystem;
using testing::PricedKernel;
using testing::TemporaryFolder;

constexpr std::uint64_t kCyclesPeriod = 2'000'003;
constexpr char kBoot[] = "8e9c1f07-aaaa-bbbb-cccc-0123456789ab";

EventSpec Named(const char* name, std::uint64_t period) {
  EventSpec spec;
  std::snprintf(spec.name, sizeof spec.name, "%s", name);
  spec.period = period;
  return spec;
}

class EventCost : public ::testing::Test {
 protected:
  EventCost() {
    where_.is_virtual = true;
    where_.clock_ns = PricedKernel::Now;
    where_.boot_id.Add(kBoot);
    where_.uid = geteuid();
    where_.folder.Add(folder_.path()).Add("/csink");
    where_.file.Add("event-cost.host");
    Price(11'300, 1'800);
  }
  void Price(std::uint64_t cycles_ns, std::uint64_t task_clock_ns) {
    kernel_.SetPairNs(PERF_TYPE_HARDWARE, cycles_ns);
    kernel_.SetPairNs(PERF_TYPE_SOFTWARE, task_clock_ns);
  }
  /// The event that is chosen; reason_ says why.
  std::string Choose() {
    event_ = Named("cycles", kCyclesPeriod);
    reason_.Clear();
    reason_.Add("hardware PMU");
    ChooseByCost(kernel_, where_, Named("task-clock", kDefaultClockPeriodNs), event_, reason_);
    EXPECT_EQ(kernel_.fake().open_descriptors(), 0u);
    return event_.name;
  }
  bool Says(const char* text) { return reason_.view().find(text) != std::string_view::npos; }
  std::size_t Opens() { return kernel_.fake().opens().size(); }
  fs::path File() const { return fs::path(where_.folder.c_str()) / "event-cost.host"; }
  std::string Content() const {
    std::ifstream in(File());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Leave(const std::string& text) {
    fs::create_directories(File().parent_path());
    std::ofstream(File()) << text;
  }

  TemporaryFolder folder_;
  PricedKernel kernel_;
  CostSurroundings where_;
  EventSpec event_;
  Text<256> reason_;
};

using EventCostChoice = EventCost;
using EventCostMeasurement = EventCost;
using EventCostFile = EventCost;

TEST_F(EventCostChoice, TakesTaskClockWhereASwitchWithCyclesTrapsToTheHost) {
  EXPECT_EQ(Choose(), "task-clock");
  EXPECT_EQ(event_.period, kDefaultClockPeriodNs);
  EXPECT_TRUE(Says("11.3 us")) << reason_.c_str();
  EXPECT_TRUE(Says("1.8 us")) << reason_.c_str();
  EXPECT_TRUE(Says("csink run -e cycles")) << reason_.c_str();
}

TEST_F(EventCostChoice, KeepsCyclesWhereTheyAreCheap) {
  Price(900, 1'800);
  EXPECT_EQ(Choose(), "cycles");
  EXPECT_EQ(event_.period, kCyclesPeriod);
  EXPECT_TRUE(Says("hardware PMU; cycles add 0.9 us")) << reason_.c_str();
}

TEST_F(EventCostChoice, StaysWithinAThirtyThousandthOfFivePercent) {
  Price(1'660, 500);
  EXPECT_EQ(Choose(), "cycles");
  fs::remove(File());
  Price(1'690, 500);
  EXPECT_EQ(Choose(), "task-clock");
}

TEST_F(EventCostChoice, TakesCyclesWhereTaskClockIsAsDear) {
  Price(11'300, 12'000);
  EXPECT_EQ(Choose(), "cycles");
}

TEST_F(EventCostChoice, SamplesLessOftenWhereAnInterruptIsDear) {
  Price(60'000, 13'000);
  EXPECT_EQ(Choose(), "task-clock");
  EXPECT_EQ(event_.period, 2'000'003u);
  fs::remove(File());
  Price(400'000, 90'000);
  Choose();
  EXPECT_EQ(event_.period, 10'000'019u);
}

TEST_F(EventCostChoice, AsksNothingWithoutAHypervisor) {
  where_.is_virtual = false;
  EXPECT_EQ(Choose(), "cycles");
  EXPECT_STREQ(reason_.c_str(), "hardware PMU");
  EXPECT_EQ(Opens(), 0u);
  EXPECT_FALSE(fs::exists(where_.folder.c_str()));
}

TEST_F(EventCostChoice, StaysWithCyclesWhereNothingCanBeMeasured) {
  kernel_.fake().RefuseOpens(EMFILE, 2);
  EXPECT_EQ(Choose(), "cycles");
  kernel_.fake().RefuseControls(EPERM, 1);
  EXPECT_EQ(Choose(), "cycles");
  EXPECT_STREQ(reason_.c_str(), "hardware PMU");
  EXPECT_FALSE(fs::exists(File()));
}

TEST_F(EventCostMeasurement, IsNoneWhileAnotherProgramHoldsTheCounters) {
  Price(100, 1'800);
  kernel_.HoldCounters(PERF_TYPE_HARDWARE);
  SwitchCost cost;
  EXPECT_FALSE(MeasureSwitchCost(kernel_, PricedKernel::Now, cost));
  EXPECT_EQ(Choose(), "cycles");
  EXPECT_FALSE(fs::exists(File()));
}

TEST_F(EventCostMeasurement, TakesTheSystemCallsOut) {
  Price(5'000, 0);
  SwitchCost cost;
  ASSERT_TRUE(MeasureSwitchCost(kernel_, PricedKernel::Now, cost));
  EXPECT_EQ(cost.cycles_ns, 5'000u);
  EXPECT_EQ(cost.task_clock_ns, 0u);
}

TEST_F(EventCostMeasurement, IsNotMisledByWhoeverElseRuns) {
  kernel_.Disturb(12, 2'000);  // the whole first batch
  SwitchCost cost;
  ASSERT_TRUE(MeasureSwitchCost(kernel_, PricedKernel::Now, cost));
  EXPECT_EQ(cost.task_clock_ns, 1'800u);
  EXPECT_EQ(cost.cycles_ns, 11'300u);
}

TEST_F(EventCostMeasurement, OpensTwoEventsForSomeDozenPairs) {
  SwitchCost cost;
  const std::uint64_t begin = PricedKernel::Now();
  ASSERT_TRUE(MeasureSwitchCost(kernel_, PricedKernel::Now, cost));
  EXPECT_LT(PricedKernel::Now() - begin, 1'000'000u);
  EXPECT_EQ(Opens(), 2u);
  EXPECT_EQ(kernel_.fake().controls().size(), 96u);
  EXPECT_EQ(kernel_.fake().opens()[0].attr.sample_period, kDefaultClockPeriodNs);
}

TEST_F(EventCostMeasurement, EndsEarlyWherePairsAreVeryDear) {
  Price(300'000, 300'000);
  SwitchCost cost;
  ASSERT_TRUE(MeasureSwitchCost(kernel_, PricedKernel::Now, cost));
  EXPECT_EQ(kernel_.fake().controls().size(), 24u);  // a batch each
}

TEST_F(EventCostFile, IsReadInsteadOfMeasuringAgain) {
  Choose();
  const std::size_t opens = Opens();
  EXPECT_GT(opens, 0u);
  EXPECT_EQ(Content(), std::string("csink-event-cost 1 ") + kBoot + " " +
                           std::to_string(geteuid()) + " cycles 11300 task-clock 1800\n");
  EXPECT_EQ(Choose(), "task-clock");
  EXPECT_TRUE(Says("11.3 us"));
  EXPECT_EQ(Opens(), opens);
}

TEST_F(EventCostFile, OfAnotherBootOrUserIsMeasuredAnewAndReplaced) {
  for (const std::string& who : {"another-boot " + std::to_string(geteuid()),
                                 std::string(kBoot) + " " + std::to_string(geteuid() + 1)}) {
    Leave("csink-event-cost 1 " + who + " cycles 1 task-clock 1\n");
    const std::size_t opens = Opens();
    EXPECT_EQ(Choose(), "task-clock") << who;
    EXPECT_EQ(Opens(), opens + 2) << who;
    EXPECT_NE(Content().find("cycles 11300"), std::string::npos) << who;
  }
}

TEST_F(EventCostFile, ThatIsNotOneIsAsGoodAsNone) {
  const std::string begin =
      std::string("csink-event-cost 1 ") + kBoot + " " + std::to_string(geteuid());
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string(5000, 'x'), std::string(3, '\0'),
        begin + " cycles 1 task-clock 1", begin + " cycles 1 task-clock 1 more\n",
        begin + " cycles -1 task-clock 1\n", begin + " cycles 1 task-clock 99999999999999999999\n",
        begin + " cycles 01 task-clock 1\n", "csink-event-cost 12 " + begin.substr(19) + "\n",
        begin + " cycles 1 task-clock 1\n" + std::string(300, 'y')}) {
    Leave(text);
    EXPECT_EQ(Choose(), "task-clock") << text.substr(0, 100);
    EXPECT_NE(Content().find("cycles 11300"), std::string::npos) << text.substr(0, 100);
  }
}

TEST_F(EventCostFile, IsNeverReachedThroughALink) {
  const fs::path target = fs::path(folder_.path()) / "target";
  std::ofstream(target) << "csink-event-cost 1 " << kBoot << " " << geteuid()
                        << " cycles 1 task-clock 1\n";
  Leave("");
  fs::remove(File());
  fs::create_symlink(target, File());
  EXPECT_EQ(Choose(), "task-clock");
  EXPECT_FALSE(fs::is_symlink(File()));  // replaced, not followed
  std::ifstream in(target);
  EXPECT_NE(std::string(std::istreambuf_iterator<char>(in), {}).find("cycles 1 "),
            std::string::npos);
}

TEST_F(EventCostFile, ThatOthersMayWriteIsNotBelieved) {
  Choose();
  Price(900, 900);
  fs::permissions(File(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(Choose(), "cycles");
}

TEST_F(EventCostFile, GivesWayToAFolderOrFifoInItsPlace) {
  fs::create_directories(File());
  EXPECT_EQ(Choose(), "task-clock");
  EXPECT_TRUE(fs::is_directory(File()));
  fs::remove(File());
  ASSERT_EQ(mkfifo(File().c_str(), 0600), 0);
  EXPECT_EQ(Choose(), "task-clock");  // and does not wait for a writer
  EXPECT_TRUE(fs::is_regular_file(File()));
  EXPECT_EQ(std::distance(fs::directory_iterator(File().parent_path()), {}), 1);
}

TEST_F(EventCostFile, IsNotLeftInAFolderOfSomebodyElse) {
  where_.uid += 1;  // as root in somebody's home
  EXPECT_EQ(Choose(), "task-clock");
  EXPECT_FALSE(fs::exists(where_.folder.c_str()));
}

TEST_F(EventCostFile, MakesTwoLevelsOfItsFolderAtMost) {
  where_.folder.Add("/and/more");
  Choose();
  EXPECT_FALSE(fs::exists(fs::path(folder_.path()) / "csink"));
}

TEST_F(EventCostFile, LiesWhereTheVariablesSay) {
  if (!ReadCostSurroundings().is_virtual) GTEST_SKIP() << "this machine has no hypervisor";
  const auto folder = [] { return std::string(ReadCostSurroundings().folder.c_str()); };
  setenv("HOME", "/nowhere", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("CSINK_CACHE");
  EXPECT_EQ(folder(), "/nowhere/.cache/csink");
  setenv("XDG_CACHE_HOME", "/var/x", 1);
  EXPECT_EQ(folder(), "/var/x/csink");
  setenv("CSINK_CACHE", "/my/own", 1);
  EXPECT_EQ(folder(), "/my/own");
  setenv("CSINK_CACHE", "0", 1);
  EXPECT_EQ(folder(), "");
  unsetenv("CSINK_CACHE");
  EXPECT_EQ(ReadCostSurroundings().boot_id.size(), 36u);
}

}  // namespace
}  // namespace csink::agent
