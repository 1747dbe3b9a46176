// Run with LIBPFM_FORCE_PMU=skx (CMakeLists.txt): macros of a file, through the catalogue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/counting/catalogue/event_attributes.h"
#include "core/counting/catalogue/native_catalogue.h"
#include "core/events/pfm_library.h"

namespace csink {
namespace {

using testing::HasSubstr;

constexpr char kFile[] =
    "event skx::UOPS_ISSUED\n"
    "group threads\n"
    "  default THIS_THREAD = t=0\n"
    "  BOTH_THREADS = t=1\n"
    "group what\n"
    "  CYCLES_WITH = c=1\n"
    "  CYCLES_WITH_MORE = c=?\n"
    "event INST_RETIRED\n"
    "group level\n"
    "  fixed USER_ONLY = u=1:k=0\n"
    "event perf::*-CLOCK\n"
    "group level\n"
    "  default USER = u=1:k=0\n"
    "  ALL = u=1:k=1\n";

std::string Write(std::string_view text) {
  std::string path = testing::TempDir() + "csink_macros_XXXXXX";
  const int fd = mkstemp(path.data());
  EXPECT_GE(fd, 0);
  if (fd >= 0) close(fd);
  std::ofstream(path) << text;
  return path;
}

class CatalogueMacros : public testing::Test {
 protected:
  void SetUp() override {
    const char* forced = std::getenv("LIBPFM_FORCE_PMU");
    if (!forced || std::string(forced) != "skx") GTEST_SKIP() << "LIBPFM_FORCE_PMU is not skx";
  }
  void TearDown() override { unlink(file_.c_str()); }

  /// The event's configuration, or the complaint.
  std::string Config(std::string_view name) {
    const Result<std::uint32_t> id = catalogue_.Find(CatalogueSide::kCore, name, complaint_);
    if (!id) return complaint_.c_str();
    char text[32];
    std::snprintf(text, sizeof(text), "%llx",
                  static_cast<unsigned long long>(catalogue_.Encoding(*id).attr.config));
    return text;
  }

  std::string file_ = Write(kFile);
  NativeCatalogue catalogue_{&PfmLibrary::Get, file_};
  EventComplaint complaint_;
};

TEST_F(CatalogueMacros, BecomeAttributes) {
  EXPECT_EQ(Config("UOPS_ISSUED:CYCLES_WITH"), "100010e");
  EXPECT_EQ(Config("skx::UOPS_ISSUED:CYCLES_WITH:BOTH_THREADS"), "120010e");
  EXPECT_EQ(Config("uops_issued.cycles_with_more:c=3:SLOW_LEA"), "300200e");
  EXPECT_EQ(Config("UOPS_ISSUED:c=1"), "100010e");
}

TEST_F(CatalogueMacros, NameTheGroupThatHasNoChoice) {
  EXPECT_THAT(Config("UOPS_ISSUED"),
              HasSubstr("needs a choice of macro group what: CYCLES_WITH, "));
  EXPECT_THAT(Config("UOPS_ISSUED:CYCLES_WIT"),
              HasSubstr("nearest to \"CYCLES_WIT\": CYCLES_WITH"));
}

TEST_F(CatalogueMacros, FixLevels) {
  const Result<std::uint32_t> id =
      catalogue_.Find(CatalogueSide::kCore, "INST_RETIRED", complaint_);
  ASSERT_TRUE(id);
  EXPECT_TRUE(catalogue_.Encoding(*id).kernel_given);
  EXPECT_TRUE(catalogue_.Encoding(*id).attr.exclude_kernel);
  EXPECT_THAT(Config("INST_RETIRED:k=1"), HasSubstr("fixes k to 0"));
}

TEST_F(CatalogueMacros, SpeakOfTheKernelsOwnEventsToo) {
  const Result<std::uint32_t> id = catalogue_.Find(CatalogueSide::kCore, "TASK-CLOCK", complaint_);
  ASSERT_TRUE(id) << complaint_.c_str();
  EXPECT_TRUE(catalogue_.Encoding(*id).attr.exclude_kernel);
  const Result<std::uint32_t> all =
      catalogue_.Find(CatalogueSide::kCore, "perf::TASK-CLOCK:ALL", complaint_);
  ASSERT_TRUE(all) << complaint_.c_str();
  EXPECT_FALSE(catalogue_.Encoding(*all).attr.exclude_kernel);
}

TEST_F(CatalogueMacros, AreListedBehindTheUnitMasks) {
  const Result<std::uint32_t> event =
      catalogue_.Find(CatalogueSide::kCore, "UOPS_ISSUED:CYCLES_WITH", complaint_);
  ASSERT_TRUE(event);
  std::vector<std::string> names;
  for (auto id = catalogue_.NextUnitMask(*event); id; id = catalogue_.NextUnitMask(*id)) {
    names.emplace_back(catalogue_.Describe(*id).name);
  }
  const std::vector<std::string> all = {"UOPS_ISSUED:CORE_STALL_CYCLES", "UOPS_ISSUED:THIS_THREAD",
                                        "UOPS_ISSUED:BOTH_THREADS",      "UOPS_ISSUED:CYCLES_WITH",
                                        "UOPS_ISSUED:CYCLES_WITH_MORE",  "UOPS_ISSUED:e=0"};
  // The event that was asked for is one of the list: it goes on behind it.
  EXPECT_EQ(names.front(), all[4]);
  const auto base = catalogue_.First(CatalogueSide::kCore);
  ASSERT_TRUE(base);
  names.clear();
  for (auto id = base; id; id = catalogue_.Next(*id)) {
    if (catalogue_.Describe(*id).name != "UOPS_ISSUED") continue;
    for (auto mask = catalogue_.NextUnitMask(*id); mask; mask = catalogue_.NextUnitMask(*mask)) {
      names.emplace_back(catalogue_.Describe(*mask).name);
    }
  }
  EXPECT_NE(std::search(names.begin(), names.end(), all.begin(), all.end()), names.end());
}

TEST_F(CatalogueMacros, AreAGroupAmongTheAttributes) {
  const Result<const EventAttributes*> found = catalogue_.Attributes("UOPS_ISSUED", complaint_);
  ASSERT_TRUE(found);
  const EventAttributes& event = **found;
  ASSERT_EQ(event.groups.size(), 3u);
  EXPECT_EQ(event.groups[1].name, "threads");
  EXPECT_EQ(event.groups[1].default_name, "THIS_THREAD");
  EXPECT_EQ(event.groups[2].name, "what");
  EXPECT_EQ(event.groups[2].default_name, "");
}

TEST(CatalogueWithABadMacroFile, SaysFileAndLineAndUsesNone) {
  const std::string file = Write("event UOPS_ISSUED\nA = e=1\n");
  NativeCatalogue catalogue(&PfmLibrary::Get, file);
  EXPECT_EQ(catalogue.MacroProblem(), file + ":2: an entry must follow a \"group\" line");
  EventComplaint complaint;
  EXPECT_TRUE(catalogue.Find(CatalogueSide::kCore, "perf::TASK-CLOCK", complaint));
  ASSERT_FALSE(catalogue.Find(CatalogueSide::kCore, "UOPS_ISSUED:A", complaint));
  EXPECT_THAT(complaint.c_str(), HasSubstr("CSINK_EVENT_MACROS is ignored: " + file + ":2:"));
  unlink(file.c_str());
}

}  // namespace
}  // namespace csink
