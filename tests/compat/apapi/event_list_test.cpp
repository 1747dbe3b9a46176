// The file of event names, and the list of components.
#include <apapi.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "text_files.h"

namespace {

using Names = std::vector<std::string>;

struct Sorted {
  explicit Sorted(Names components) : names(std::move(components)) {
    for (std::string& name : names) list.push_back(name.data());
    list.push_back(nullptr);
    code = APAPI_read_env_eventlist(list.data(), &buffer, &sorted, &used);
  }
  ~Sorted() {
    APAPI_free_sorted_eventlist(&used, &sorted);
    if (code == 0) free(buffer);
  }
  Sorted(const Sorted&) = delete;
  Sorted& operator=(const Sorted&) = delete;

  Names Used() const {
    Names found;
    for (char** name = used; name && *name; ++name) found.emplace_back(*name);
    return found;
  }
  Names Of(std::size_t i) const {
    Names found;
    for (char** name = sorted[i]; *name; ++name) found.emplace_back(*name);
    return found;
  }

  Names names;
  std::vector<char*> list;
  char* buffer = nullptr;
  char*** sorted = nullptr;
  char** used = nullptr;
  int code = 7;
};

TEST(EventList, UpstreamsListGoesToItsComponents) {
  std::string text = "# the processor\n";
  for (int i = 0; i < 28; ++i) text += "rapl:::EVENT" + std::to_string(i) + "\n\n";
  text += "junk\n# the card\n";
  for (int i = 0; i < 6; ++i) text += "nvml:::EVENT" + std::to_string(i) + "\n";
  const TextFile file(text, "APAPI_EVENTLIST");
  const Sorted found({"rapl", "nvml"});
  ASSERT_EQ(found.code, 0);
  EXPECT_EQ(found.Used(), (Names{"rapl", "nvml"}));
  ASSERT_EQ(found.Of(0).size(), 28u);
  ASSERT_EQ(found.Of(1).size(), 6u);
  EXPECT_EQ(found.Of(0)[27], "rapl:::EVENT27");
  EXPECT_EQ(found.Of(1)[0], "nvml:::EVENT0");
}

TEST(EventList, OnlyUsedComponentsInTheOrderOfTheirList) {
  const TextFile file("nvml:::A\nrapl:::B\nnvml:::A\n", "APAPI_EVENTLIST");
  const Sorted found({"ipmi", "rapl", "nvml"});
  EXPECT_EQ(found.Used(), (Names{"rapl", "nvml"}));
  EXPECT_EQ(found.Of(1), (Names{"nvml:::A", "nvml:::A"}));  // duplicates stay
}

TEST(EventList, APlainPrefixDecidesAndTheFirstComponentWins) {
  const TextFile file("raplfoo\nperf_event:::X\nrapl:::A # why\n rapl:::B\n", "APAPI_EVENTLIST");
  const Sorted found({"perf", "perf_event", "rapl"});
  EXPECT_EQ(found.Used(), (Names{"perf", "rapl"}));
  EXPECT_EQ(found.Of(0), (Names{"perf_event:::X"}));
  EXPECT_EQ(found.Of(1), (Names{"raplfoo", "rapl:::A # why"}));
}

TEST(EventList, CarriageReturnsAreLineEnds) {
  const TextFile file("rapl:::A\r\n\r\n# why\r\nrapl:::B\r", "APAPI_EVENTLIST");
  EXPECT_EQ(Sorted({"rapl"}).Of(0), (Names{"rapl:::A", "rapl:::B"}));
}

TEST(EventList, SaysEachLineThatNamesNothing) {
  const TextFile file("# mine\nrapid:::A\nrapl:::B\njunk\n# nvml:::C\n", "APAPI_EVENTLIST");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Sorted({"rapl", "nvml"}).Used(), Names{"rapl"});
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* line : {"'rapid:::A' is ignored", "'junk' is ignored"}) {
    EXPECT_NE(said.find(line), std::string::npos) << said;
  }
  EXPECT_NE(said.find("no measured component (rapl, nvml)"), std::string::npos) << said;
  EXPECT_EQ(said.find('#'), std::string::npos) << said;
  EXPECT_EQ(said.find("rapl:::B"), std::string::npos) << said;
}

TEST(EventList, ManyLinesThatNameNothingAreSummedUp) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "junk" + std::to_string(i) + "\n";
  const TextFile file(text, "APAPI_EVENTLIST");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Sorted({"rapl"}).code, 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("'junk9' is ignored"), std::string::npos) << said;
  EXPECT_EQ(said.find("'junk10' is ignored"), std::string::npos) << said;
  EXPECT_NE(said.find("15 more lines are ignored"), std::string::npos) << said;
}

TEST(EventList, TheFirstLineIsAnEntryWhateverItBeginsWith) {
  const TextFile file("#rapl:::A\nrapl:::B\n", "APAPI_EVENTLIST");
  EXPECT_EQ(Sorted({"#rapl", "rapl"}).Used(), (Names{"#rapl", "rapl"}));
}

TEST(EventList, NothingFitsIsNoError) {
  const TextFile file("rapl:::A\n", "APAPI_EVENTLIST");
  const Sorted found({"nvml"});
  EXPECT_EQ(found.code, 0);
  EXPECT_TRUE(found.Used().empty());
}

TEST(EventList, AbsentShortAndUnreadableFiles) {
  unsetenv("APAPI_EVENTLIST");
  EXPECT_EQ(Sorted({"rapl"}).code, -1);
  {
    const TextFile file("rap\n", "APAPI_EVENTLIST");
    EXPECT_EQ(Sorted({"rap"}).code, -1);
  }
  {
    const TextFile five("rapl\n", "APAPI_EVENTLIST");
    EXPECT_EQ(Sorted({"rapl"}).code, 0);
  }
  {
    const TextFile empty("", "APAPI_EVENTLIST");
    EXPECT_EQ(Sorted({"rapl"}).code, 1);
  }
  const Variable nowhere("APAPI_EVENTLIST", "/nowhere/list.txt");
  EXPECT_EQ(Sorted({"rapl"}).code, 1);
}

TEST(EventList, FreeingNothingIsAllowed) {
  char** used = nullptr;
  char*** sorted = nullptr;
  APAPI_free_sorted_eventlist(&used, &sorted);
  APAPI_free_sorted_eventlist(nullptr, nullptr);
}

Names ComponentList(const char* value) {
  const Variable variable("APAPI_CMPLIST", value);
  char* buffer = nullptr;
  char** list = nullptr;
  EXPECT_EQ(APAPI_read_env_cmplist(&buffer, &list), 0);
  Names found;
  for (char** name = list; *name; ++name) found.emplace_back(*name);
  free(list);
  free(buffer);
  return found;
}

TEST(ComponentList, IsSplitAtColonsAndNotTrimmed) {
  EXPECT_EQ(ComponentList("nvml:rapl"), (Names{"nvml", "rapl"}));
  EXPECT_EQ(ComponentList("::nvml:: rapl:"), (Names{"nvml", " rapl"}));
  EXPECT_EQ(ComponentList("a:b:c:d:e"), (Names{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(ComponentList("nvml:nvml"), (Names{"nvml", "nvml"}));
  EXPECT_EQ(ComponentList(""), Names{});
}

TEST(ComponentList, UnsetLeavesItsOutputsAlone) {
  unsetenv("APAPI_CMPLIST");
  char mark = 0;
  char* buffer = &mark;
  char* first = &mark;
  char** list = &first;
  EXPECT_EQ(APAPI_read_env_cmplist(&buffer, &list), -1);
  EXPECT_EQ(buffer, &mark);
  EXPECT_EQ(list, &first);
}

TEST(ComponentList, FindsWholeNames) {
  EXPECT_EQ(APAPI_cmp_cmplist_index("ipmi", APAPI_default_components), 3);
  EXPECT_EQ(APAPI_cmp_cmplist_index("ipm", APAPI_default_components), -1);
  EXPECT_EQ(APAPI_cmp_cmplist_index(nullptr, APAPI_default_components), -1);
  EXPECT_EQ(APAPI_cmp_cmplist_index("ipmi", nullptr), -1);
}

}  // namespace
