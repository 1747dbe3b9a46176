#include "core/perf/counting_obstacles.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

using testing::FakeKernel;

MachineFacts Bare() {
  MachineFacts facts;
  facts.paranoid = 2;
  return facts;
}

// What is said when hardware events answer `hardware` and software events `software`.
CountingReport Ask(int hardware, int software, const MachineFacts& facts) {
  FakeKernel kernel;
  kernel.SetOpenRule([=](const perf_event_attr& attr) -> long {
    EXPECT_TRUE(attr.exclude_kernel);
    return attr.type == PERF_TYPE_HARDWARE ? -hardware : -software;
  });
  const CountingReport report = FindCountingObstacles(kernel, facts);
  EXPECT_EQ(kernel.open_descriptors(), 0u);
  return report;
}

TEST(CountingObstacles, AreNoneWhereCyclesCount) {
  const CountingReport report = Ask(0, 0, Bare());
  EXPECT_TRUE(report.hardware.works());
  EXPECT_TRUE(report.software.works());
  EXPECT_EQ(report.hardware.why.view(), "");
}

TEST(CountingObstacles, TellAVirtualMachineFromAMachineWithoutPmu) {
  MachineFacts facts = Bare();
  EXPECT_EQ(Ask(ENOENT, 0, facts).hardware.obstacle, CountingObstacle::kNoPmu);
  facts.is_virtual = true;
  for (const int error : {ENOENT, ENODEV, EOPNOTSUPP, EINVAL}) {
    const CountingReport report = Ask(error, 0, facts);
    EXPECT_EQ(report.hardware.obstacle, CountingObstacle::kNoPmuInMachine) << error;
    EXPECT_EQ(report.hardware.why.view(), "this virtual machine has no PMU");
    EXPECT_TRUE(report.software.works());
  }
}

TEST(CountingObstacles, NameTheParanoidSetting) {
  MachineFacts facts = Bare();
  facts.paranoid = 3;
  const CountingReport report = Ask(EACCES, EACCES, facts);
  EXPECT_EQ(report.hardware.obstacle, CountingObstacle::kParanoid);
  EXPECT_EQ(report.hardware.why.view().substr(0, 26), "perf_event_paranoid is 3: ");
  EXPECT_NE(report.hardware.advice.view().find("sysctl"), std::string_view::npos);
  EXPECT_EQ(report.software.obstacle, CountingObstacle::kParanoid);
}

TEST(CountingObstacles, DoNotBlameASettingThatDoesNotApply) {
  MachineFacts facts = Bare();
  facts.paranoid = 3;
  facts.privileged = true;
  EXPECT_EQ(Ask(EACCES, EACCES, facts).hardware.obstacle, CountingObstacle::kSecurityModule);
  EXPECT_EQ(Ask(EACCES, EACCES, Bare()).hardware.obstacle, CountingObstacle::kSecurityModule);
}

TEST(CountingObstacles, NameTheSandbox) {
  MachineFacts facts = Bare();
  facts.seccomp_filter = true;
  for (const int error : {EPERM, EACCES, ENOSYS}) {
    const CountingReport report = Ask(error, error, facts);
    EXPECT_EQ(report.software.obstacle, CountingObstacle::kSeccomp) << error;
    EXPECT_EQ(report.hardware.why.view(), "a seccomp filter refuses perf_event_open (container)");
  }
  facts.paranoid = MachineFacts::kNoParanoid;
  EXPECT_EQ(Ask(ENOSYS, ENOSYS, facts).hardware.obstacle, CountingObstacle::kNoPerfEvents);
}

TEST(CountingObstacles, TellTheFilterFromTheKernelWhereBothMayBe) {
  MachineFacts facts = Bare();
  facts.seccomp_filter = true;
  facts.paranoid = 3;
  EXPECT_EQ(Ask(EPERM, EPERM, facts).hardware.obstacle, CountingObstacle::kSeccomp);
  EXPECT_EQ(Ask(EACCES, EACCES, facts).hardware.obstacle, CountingObstacle::kParanoid);
}

TEST(CountingObstacles, KnowTheOtherRefusals) {
  EXPECT_EQ(Ask(ENOSYS, ENOSYS, Bare()).hardware.obstacle, CountingObstacle::kNoPerfEvents);
  const Capability busy = Ask(EBUSY, 0, Bare()).hardware;
  EXPECT_EQ(busy.obstacle, CountingObstacle::kBusy);
  // The errno does not say which of the two it is.
  EXPECT_NE(busy.why.view().find("another program or the NMI watchdog"), std::string::npos);
  EXPECT_NE(busy.advice.view().find("kernel.nmi_watchdog=0"), std::string::npos);
  EXPECT_EQ(Ask(EMFILE, EMFILE, Bare()).software.obstacle, CountingObstacle::kNoDescriptors);
  const CountingReport strange = Ask(EFAULT, EINVAL, Bare());
  EXPECT_EQ(strange.hardware.why.view(), "perf_event_open fails: an address that cannot be read");
  EXPECT_EQ(strange.software.obstacle, CountingObstacle::kOther);
  EXPECT_EQ(strange.hardware.sys_errno, EFAULT);
}

TEST(CountingObstacles, EverySentenceFits) {
  for (const int error : {ENOENT, EPERM, EACCES, ENOSYS, EBUSY, EMFILE, EFAULT}) {
    for (const bool on : {false, true}) {
      const MachineFacts facts = {on, on ? 4 : 2, false, on};
      const Capability capability = ExplainRefusal(error, true, facts);
      EXPECT_LT(capability.why.size(), 159u);
      EXPECT_LT(capability.advice.size(), 319u);
      EXPECT_GT(capability.why.size(), 0u);
      EXPECT_NE(capability.why.view().back(), '.');
    }
  }
}

TEST(MachineFacts, AgreeWithProc) {
  const MachineFacts facts = ReadMachineFacts();
  char text[32] = {};
  const int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    EXPECT_EQ(facts.paranoid, MachineFacts::kNoParanoid);
  } else {
    ASSERT_GT(read(fd, text, sizeof text - 1), 0);
    close(fd);
    EXPECT_EQ(facts.paranoid, std::stoi(text));
  }
}

TEST(MachineFacts, AndTheRealKernelGiveAReason) {
  const CountingReport report = FindCountingObstacles(RealKernel(), ReadMachineFacts());
  EXPECT_EQ(report.hardware.works(), report.hardware.why.size() == 0);
  EXPECT_EQ(report.software.works(), report.software.why.size() == 0);
  RecordProperty("hardware", std::string(report.hardware.why.view()));
}

}  // namespace
}  // namespace csink
