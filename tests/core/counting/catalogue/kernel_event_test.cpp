#include "core/counting/catalogue/kernel_event.h"

#include <gtest/gtest.h>

#include <set>

#include "core/counting/catalogue/pfm_encoding.h"

namespace csink {
namespace {

class KernelEventAgainstLibpfm4 : public testing::Test {
 protected:
  void SetUp() override {
    pfm_ = PfmLibrary::Get();
    if (!pfm_) GTEST_SKIP() << "libpfm.so.4 cannot be loaded";
  }
  const PfmLibrary* pfm_ = nullptr;
};

bool IsInLibpfm4(const PfmLibrary& pfm, std::string_view name) {
  return pfm.find_event(("perf::" + std::string(name)).c_str()) >= 0;
}

void ExpectSame(const PfmLibrary& pfm, const std::string& name) {
  KernelEvent event;
  ASSERT_TRUE(EncodeKernelEvent(name, false, event)) << name;
  const PfmAnswer answer = AskPfm(pfm, name);
  ASSERT_EQ(answer.code, PFM_SUCCESS) << name;
  const perf_event_attr& ours = event.encoding.attr;
  EXPECT_EQ(ours.type, answer.attr.type) << name;
  EXPECT_EQ(ours.config, answer.attr.config) << name;
  EXPECT_EQ(ours.exclude_user, answer.attr.exclude_user) << name;
  EXPECT_EQ(ours.exclude_kernel, answer.attr.exclude_kernel) << name;
  // libpfm4 leaves the hypervisor in on processors of which it knows that they have no such level.
  EXPECT_GE(ours.exclude_hv, answer.attr.exclude_hv) << name;
  EXPECT_EQ(ours.exclude_guest, answer.attr.exclude_guest) << name;
  EXPECT_EQ(ours.exclude_host, answer.attr.exclude_host) << name;
  pfm_event_info_t info{};
  info.size = sizeof(info);
  pfm.get_event_info(answer.event, PFM_OS_PERF_EVENT_EXT, &info);
  EXPECT_EQ(event.alias->kernel_name.view(), OrEmpty(info.desc)) << name;
  EXPECT_EQ(static_cast<int>(info.pmu), event.encoding.pmu) << name;
}

TEST_F(KernelEventAgainstLibpfm4, GivesTheSameForEveryNameAndLevel) {
  int compared = 0;
  for (const EventAlias* alias = AliasesBegin(); alias != AliasesEnd(); ++alias) {
    for (std::string_view name :
         {alias->name.view(), alias->other.view(), alias->kernel_name.view()}) {
      if (name.empty() || !IsInLibpfm4(*pfm_, name)) continue;
      for (const char* levels : {"", ":u", ":k", ":u=1:k=0", ":U=y:K=n", ":u:k"}) {
        ExpectSame(*pfm_, "perf::" + std::string(name) + levels);
        ++compared;
        if (alias->type != PERF_TYPE_SOFTWARE) continue;
        ExpectSame(*pfm_, std::string(name) + levels);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300);
}

TEST_F(KernelEventAgainstLibpfm4, GivesTheTextsOfItsPmuAndLevels) {
  pfm_pmu_info_t pmu;
  ASSERT_TRUE(pfm_->Pmu(kKernelPmuNumber, pmu));
  EXPECT_EQ(kKernelPmuName, pmu.name);
  EXPECT_EQ(kKernelPmuText, pmu.desc);
  pfm_event_info_t info{};
  info.size = sizeof(info);
  const int index = pfm_->find_event("perf::TASK-CLOCK");
  ASSERT_EQ(pfm_->get_event_info(index, PFM_OS_PERF_EVENT_EXT, &info), PFM_SUCCESS);
  std::set<std::string> texts;
  ForEachPfmAttribute(*pfm_, info, [&](const pfm_event_attr_info_t& attribute) {
    texts.insert(std::string(OrEmpty(attribute.desc)));
    return true;
  });
  KernelEvent event;
  for (const char* level : {":u", ":k"}) {
    event = {};
    ASSERT_TRUE(EncodeKernelEvent(std::string("perf::TASK-CLOCK") + level, false, event));
    EXPECT_EQ(texts.count(event.mask_text), 1u) << event.mask_text;
  }
}

// LIBPFM_ENCODE_INACTIVE (CMakeLists.txt): the tables of every PMU can be walked.
TEST_F(KernelEventAgainstLibpfm4, TakesNoNameFromAnyOtherPmu) {
  int events = 0;
  for (int number = PFM_PMU_NONE; number < PFM_PMU_MAX; ++number) {
    pfm_pmu_info_t pmu;
    if (!pfm_->Pmu(number, pmu) || number == kKernelPmuNumber) continue;
    for (int index = pmu.first_event; index != -1; index = pfm_->get_event_next(index)) {
      pfm_event_info_t info{};
      info.size = sizeof(info);
      if (pfm_->get_event_info(index, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS) continue;
      KernelEvent event;
      EXPECT_FALSE(EncodeKernelEvent(info.name, false, event)) << pmu.name << "::" << info.name;
      ++events;
    }
  }
  EXPECT_GT(events, 50);
}

TEST(KernelEvent, LeavesTheRestToLibpfm4) {
  KernelEvent event;
  for (const char* name :
       {"TASK-CLOCK:period=100", "TASK-CLOCK:u=2", "TASK-CLOCK:", "TASK-CLOCK:uk",
        "skx::TASK-CLOCK", "CYCLES", "TASK-CLOCK:u=1:u=0", " TASK-CLOCK", "NOPE"}) {
    event = {};
    EXPECT_FALSE(EncodeKernelEvent(name, false, event)) << name;
  }
  EXPECT_TRUE(EncodeKernelEvent("CYCLES", true, event));
}

TEST(KernelEvent, LeavesLevelsThatAreNotStatedToTheDomain) {
  KernelEvent event;
  ASSERT_TRUE(EncodeKernelEvent("TASK-CLOCK:k=0", false, event));
  EXPECT_TRUE(event.encoding.kernel_given);
  EXPECT_TRUE(event.encoding.attr.exclude_kernel);
  EXPECT_FALSE(event.encoding.user_given);
  event = {};
  ASSERT_TRUE(EncodeKernelEvent("CONTEXT-SWITCHES", false, event));
  EXPECT_TRUE(event.encoding.kernel_only);
  EXPECT_TRUE(event.encoding.software);
}

}  // namespace
}  // namespace csink
