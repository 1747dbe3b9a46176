#include "core/events/sysfs_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/events/event_spec.h"

namespace csink {
namespace {

using testing::HasSubstr;

/// The PMUs of three machines as their kernels show them: a Zen 5 server, an Intel hybrid's P
/// cores, and an Arm server's interconnect.
class SysfsEvents : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / "csink-devices-XXXXXX").string();
    ASSERT_NE(mkdtemp(path_.data()), nullptr);
    File("cpu/type", "4");
    File("cpu/format/event", "config:0-7,32-35");
    File("cpu/format/umask", "config:8-15");
    File("cpu/format/edge", "config:18");
    File("cpu/format/inv", "config:23");
    File("cpu/format/cmask", "config:24-31");
    File("cpu/format/ldlat", "config1:0-15");
    File("cpu/format/low_event", "config:0-7");
    File("cpu/events/cpu-cycles", "event=0x76");
    File("cpu/events/cache-misses", "event=0x64,umask=0x09");
    File("cpu/events/needs", "event=0x1,umask=?");
    File("cpu/events/odd", "event=0x1,nothing=0x2");
    File("power/type", "11");
    File("power/cpumask", "3,64");
    File("power/format/event", "config:0-7");
    File("power/events/energy-pkg", "event=0x02");
    File("power/events/energy-pkg.scale", "2.3283064365386962890625e-10");
    File("power/events/energy-pkg.unit", "Joules");
    File("arm_cmn_0/type", "20");
    File("arm_cmn_0/cpumask", "0");
    File("arm_cmn_0/format/type", "config:0-15");
    File("arm_cmn_0/format/eventid", "config:16-26");
    File("arm_cmn_0/format/occupid", "config:27-30");
    File("arm_cmn_0/format/bynodeid", "config:31-31");
    File("arm_cmn_0/format/nodeid", "config:32-47");
    File("arm_cmn_0/events/hnf_cache_miss", "type=0x5,eventid=0x1");
    File("bad/type", "30");
    File("bad/format/backwards", "config:7-0");
    File("bad/format/nowhere", "config7:0-3");
    File("bad/format/twice", "config:0-3,2-5");
    File("bad/format/wide", "config:0-64");
    File("bad/format/empty", "");
    File("bad/format/good", "config:0-3");
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void File(const std::string& name, const std::string& text) {
    const std::filesystem::path file = path_ + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  SysfsEvent Good(std::string_view name) {
    const Result<SysfsEvent> event = EncodeSysfsEvent(name, complaint_, path_.c_str());
    EXPECT_TRUE(event) << name << ": " << complaint_.c_str();
    return event ? *event : SysfsEvent{};
  }
  Errc Refused(std::string_view name) {
    const Result<SysfsEvent> event = EncodeSysfsEvent(name, complaint_, path_.c_str());
    EXPECT_FALSE(event) << name;
    EXPECT_THAT(complaint_.c_str(),
                testing::AllOf(HasSubstr("event \""), testing::Not(HasSubstr("\n"))));
    return event ? Errc::kOk : event.error().code;
  }

  std::string path_;
  EventComplaint complaint_;
};

TEST_F(SysfsEvents, FillTheBitsOfTheirTerms) {
  const SysfsEvent event = Good("cpu/event=0x76,umask=1/");
  EXPECT_EQ(event.type, 4u);
  EXPECT_EQ(event.config, 0x176u);
  EXPECT_FALSE(event.socket_wide);
  EXPECT_EQ(Good("cpu/event=0x1a0,umask=0x60/").config, 0x1000060a0u) << "a field in two parts";
  EXPECT_EQ(Good("cpu/event=0x76,edge,inv=1,cmask=255/").config, 0xff840076u);
  EXPECT_EQ(Good("cpu/event=5,ldlat=30/").config1, 30u);
  EXPECT_EQ(Good("cpu/config=0x123,config1=7,config2=8/").config2, 8u);
  EXPECT_EQ(Good("cpu/event=5,period=1000/").period, 1000u);
  EXPECT_EQ(Good("arm_cmn_0/type=5,eventid=1,bynodeid=1,nodeid=4/").config, 0x480010005u);
}

TEST_F(SysfsEvents, TakeTheKernelsNames) {
  EXPECT_EQ(Good("cpu/cpu-cycles/").config, 0x76u);
  EXPECT_EQ(Good("cpu/cache-misses/").config, 0x964u);
  EXPECT_EQ(Good("cpu/cache-misses,umask=1/").config, 0x164u) << "the user's term stands";
  EXPECT_EQ(Good("cpu/umask=1,cache-misses/").config, 0x164u);
  EXPECT_EQ(Good("cpu/needs,umask=4/").config, 0x401u);
  EXPECT_EQ(Good("cpu/cpu-cycles/u").modifiers, "u");
}

TEST_F(SysfsEvents, TellUnitScaleAndProcessors) {
  const SysfsEvent energy = Good("power/energy-pkg/");
  EXPECT_EQ(energy.config, 2u);
  EXPECT_TRUE(energy.socket_wide);
  EXPECT_EQ(energy.cpu, 3);
  EXPECT_STREQ(energy.unit.c_str(), "Joules");
  EXPECT_STREQ(energy.scale.c_str(), "2.3283064365386962890625e-10");
}

TEST_F(SysfsEvents, AreRefusedInOneLineThatNamesTheMistake) {
  EXPECT_EQ(Refused("gpu/event=1/"), Errc::kNoEvent);
  EXPECT_THAT(complaint_.c_str(), HasSubstr("\"gpu\""));
  EXPECT_EQ(Refused("cpu/no-such-event/"), Errc::kNoEvent);
  EXPECT_THAT(complaint_.c_str(), HasSubstr("\"no-such-event\""));
  EXPECT_EQ(Refused("cpu/colour=3/"), Errc::kNoEvent);
  EXPECT_EQ(Refused("cpu/umask=256/"), Errc::kInvalid);
  EXPECT_THAT(complaint_.c_str(), HasSubstr("too large"));
  EXPECT_EQ(Refused("cpu/event=1,event=2/"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu/event=1,low_event=2/"), Errc::kInvalid) << "formats that overlap";
  EXPECT_THAT(complaint_.c_str(), HasSubstr("same bits"));
  EXPECT_EQ(Refused("cpu/event=x/"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu/event=/"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu//"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu/event=1"), Errc::kInvalid);
  EXPECT_EQ(Refused("/event=1/"), Errc::kInvalid);
  EXPECT_EQ(Refused("../event=1/"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu/../"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu/,/"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu/cpu-cycles,cache-misses/"), Errc::kInvalid);
  EXPECT_EQ(Refused("cpu/odd/"), Errc::kNoEvent)
      << "the kernel's own file names a term that is not";
}

TEST_F(SysfsEvents, DoNotMindAFormatThatTheyDoNotUse) {
  for (const char* term : {"backwards", "nowhere", "twice", "wide", "empty"}) {
    EXPECT_EQ(Refused(std::string("bad/") + term + "=1/"), Errc::kUnsupported) << term;
  }
  EXPECT_EQ(Good("bad/good=9/").config, 9u);
}

std::vector<std::string> Listed(std::string_view list) {
  std::vector<std::string> events;
  while (!list.empty()) events.emplace_back(NextListedEvent(list));
  return events;
}

TEST(EventsOfAList, KeepTheCommasBetweenTwoSlashes) {
  EXPECT_THAT(Listed("cycles,cpu/event=0x76,umask=1/u,faults"),
              testing::ElementsAre("cycles", "cpu/event=0x76,umask=1/u", "faults"));
  EXPECT_THAT(Listed("a/b,c"), testing::ElementsAre("a/b", "c")) << "a single one closes nothing";
}

TEST(EventList, TakesPerfsSpelling) {
  EventComplaint complaint;
  const Result<EventList> list =
      ParseEventList("task-clock,software/config=1/k@1000,page-faults", complaint);
  if (!std::filesystem::exists("/sys/bus/event_source/devices/software/type")) {
    GTEST_SKIP() << "the kernel does not show its PMUs";
  }
  ASSERT_TRUE(list) << complaint.c_str();
  ASSERT_EQ(list->count, 3u);
  EXPECT_STREQ(list->events[1].name, "software/config=1/");
  EXPECT_EQ(list->events[1].type, static_cast<unsigned>(PERF_TYPE_SOFTWARE));
  EXPECT_EQ(list->events[1].config, 1u);
  EXPECT_EQ(list->events[1].period, 1000u);
  EXPECT_TRUE(list->events[1].exclude_user);
  EXPECT_FALSE(list->events[1].exclude_kernel);
  EXPECT_FALSE(ParseEventList("software/config=1/:x", complaint));
  EXPECT_FALSE(ParseEventList("software/config=1/:c=1", complaint));
  EXPECT_NE(complaint.size(), 0u);
  EXPECT_FALSE(ParseEventList("cycles,,faults", complaint));
}

}  // namespace
}  // namespace csink
