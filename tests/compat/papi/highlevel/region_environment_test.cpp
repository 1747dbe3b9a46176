#include <dlfcn.h>
#include <unistd.h>
#include <utime.h>

#include <thread>

#include "compat/papi/include/csink_papi.h"
#include "tests/compat/papi/highlevel/region_child.h"

namespace papi_test {
namespace {

void Region(const char* name, int pages = 1) {
  EXPECT_EQ(PAPI_hl_region_begin(name), PAPI_OK);
  Touch(pages);
  EXPECT_EQ(PAPI_hl_region_end(name), PAPI_OK);
}

std::vector<std::string> EventsOf(const nlohmann::ordered_json& report) {
  std::vector<std::string> names;
  for (const auto& item : report["event_definitions"].items()) names.push_back(item.key());
  return names;
}

TEST(RegionEvents, ByDefaultAreCycles) {
  for (const Environment& environment : {Environment{}, Environment{{"PAPI_EVENTS", " , "}}}) {
    RegionChild child;
    ASSERT_EQ(child.Run(environment, [] { Region("r"); }), 0);
    EXPECT_EQ(EventsOf(child.Report()), std::vector<std::string>{"PAPI_TOT_CYC"});
    EXPECT_EQ(child.Text("stderr.txt"), "");
  }
}

TEST(RegionEvents, WithoutCyclesAreCpuTime) {
  RegionChild child;
  std::ofstream(child.folder() + "/none.csv") << "CPU,perf\n";
  ASSERT_EQ(child.Run({{"PAPI_CSV_EVENT_FILE", "none.csv"}}, [] { Region("r"); }), 0);
  EXPECT_EQ(EventsOf(child.Report()), std::vector<std::string>{"perf::TASK-CLOCK"});
}

TEST(RegionEvents, ThatAreUnknownAreLeftOutWithALine) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_EVENTS", " nonsense,perf::PAGE-FAULTS , perf::PAGE-FAULTS"}},
                      [] { Region("r"); }),
            0);
  EXPECT_EQ(EventsOf(child.Report()), std::vector<std::string>{"perf::PAGE-FAULTS"});
  const std::string said = child.Text("stderr.txt");
  EXPECT_NE(said.find("PAPI_EVENTS: nonsense is not counted: "), std::string::npos) << said;
  EXPECT_NE(said.find("PAPI_EVENTS: perf::PAGE-FAULTS is not counted: "), std::string::npos)
      << said;
  EXPECT_EQ(said.find("PAPI_MULTIPLEX"), std::string::npos) << "turns help neither: " << said;
}

TEST(RegionEvents, AllUnknownMeanTheDefault) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_EVENTS", "nonsense"}}, [] { Region("r"); }), 0);
  EXPECT_EQ(EventsOf(child.Report()), std::vector<std::string>{"PAPI_TOT_CYC"});
  EXPECT_NE(child.Text("stderr.txt").find("the default event is counted"), std::string::npos);
}

std::string LastMessage() {
  char text[512] = "";
  EXPECT_EQ(csink_papi_last_message(text, sizeof text), PAPI_OK);
  return text;
}

TEST(RegionEvents, OfWhichNoneCountsSayWhy) {
  RegionChild child;
  ASSERT_EQ(child.Run({},
                      [] {
                        EXPECT_EQ(PAPI_disable_component_by_name("perf_event"), PAPI_OK);
                        EXPECT_EQ(PAPI_hl_region_begin("r"), PAPI_EINVAL);
                        const std::string why = "no event can be counted: ";
                        EXPECT_EQ(LastMessage().substr(0, why.size()), why);
                        EXPECT_GT(LastMessage().size(), why.size());
                        EXPECT_EQ(PAPI_hl_region_begin("r"), PAPI_EMISC);
                        EXPECT_NE(LastMessage().find("first PAPI_hl_region_begin"),
                                  std::string::npos);
                        EXPECT_EQ(PAPI_hl_region_end("r"), PAPI_EMISC);
                        EXPECT_NE(LastMessage(), "");
                      }),
            0)
      << child.Text("stdout.txt");
}

TEST(RegionEvents, MayBeToldAsTheyAre) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_EVENTS", "perf::PAGE-FAULTS=instant,perf::MINOR-FAULTS=delta"}},
                      [] {
                        Region("first", 500);
                        Region("second", 1);
                      }),
            0);
  const auto report = child.Report();
  EXPECT_EQ(report["event_definitions"]["perf::PAGE-FAULTS"]["type"], "instant");
  EXPECT_EQ(report["event_definitions"]["perf::MINOR-FAULTS"]["type"], "delta");
  const auto& second = report["threads"]["0"]["regions"]["1"];
  EXPECT_GE(Number(second["perf::PAGE-FAULTS"]), 500) << "the counter's value";
  EXPECT_LT(Number(second["perf::MINOR-FAULTS"]), 1 + kOtherFaults) << "what the region took";
}

// The fake GPU's power grows by 50,000 mW a second: a region's mean lies half its growth below its
// end, which a region without a length shows.
TEST(RegionEvents, OfPowersAreTheMeanOfBothEnds) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_EVENTS", "nvml:::G:power,nvml:::G:temperature"},
                       {"FAKE_NVML",
                        "devices = 1; 0.name = G; 0.power = 1000~50000; 0.temperature = 40"}},
                      [] {
                        ASSERT_NE(dlopen(FAKE_NVML_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr);
                        EXPECT_EQ(PAPI_hl_region_begin("long"), PAPI_OK);
                        usleep(200'000);
                        EXPECT_EQ(PAPI_hl_region_end("long"), PAPI_OK);
                        Region("short");
                      }),
            0)
      << child.Text("stderr.txt");
  const auto report = child.Report();
  EXPECT_EQ(report["event_definitions"]["nvml:::G:power"]["type"], "region-average");
  EXPECT_EQ(report["event_definitions"]["nvml:::G:temperature"]["type"], "instant");
  const auto& regions = report["threads"]["0"]["regions"];
  const double seconds = static_cast<double>(Number(regions["0"]["real_time_nsec"])) / 1e9;
  const auto end = static_cast<double>(Number(regions["1"]["nvml:::G:power"]));
  const auto mean = static_cast<double>(Number(regions["0"]["nvml:::G:power"]));
  EXPECT_NEAR(end - mean, 25000 * seconds, 25000 * seconds / 4);
  EXPECT_EQ(Number(regions["0"]["nvml:::G:temperature"]), 40);
}

bool Counts(const char* name) {
  int set = PAPI_NULL;
  long long value = 0;
  EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  const bool counts = PAPI_add_named_event(set, name) == PAPI_OK && PAPI_start(set) == PAPI_OK &&
                      PAPI_stop(set, &value) == PAPI_OK;
  PAPI_cleanup_eventset(set);
  PAPI_destroy_eventset(&set);
  return counts;
}

/// The first event of a component beside perf_event; empty: none counts on this machine.
std::string EventOfAnotherComponent() {
  EXPECT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  std::string found;
  for (int i = 1; i < PAPI_num_components() && found.empty(); ++i) {
    int code = PAPI_NATIVE_MASK;
    char name[PAPI_MAX_STR_LEN] = "";
    const bool named = PAPI_get_component_info(i)->disabled == 0 &&
                       PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, i) == PAPI_OK &&
                       PAPI_event_code_to_name(code, name) == PAPI_OK;
    if (named && Counts(name)) found = name;
  }
  PAPI_shutdown();
  return found;
}

TEST(RegionEvents, OfSeveralComponentsCountTogether) {
  const std::string name = EventOfAnotherComponent();
  if (name.empty()) GTEST_SKIP() << "skipped: no second component counts on this machine";
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_EVENTS", name + ",perf::PAGE-FAULTS"}}, [] { Region("r"); }), 0);
  EXPECT_EQ(EventsOf(child.Report()), (std::vector<std::string>{name, "perf::PAGE-FAULTS"}));
}

TEST(RegionEvents, AreMultiplexedIfWanted) {
  RegionChild child;
  ASSERT_EQ(
      child.Run({{"PAPI_EVENTS", "perf::PAGE-FAULTS,perf::TASK-CLOCK"}, {"PAPI_MULTIPLEX", ""}},
                [] {
                  EXPECT_EQ(PAPI_hl_region_begin("r"), PAPI_OK);
                  EXPECT_EQ(PAPI_get_multiplex(0), 1);
                  Touch(100);
                  EXPECT_EQ(PAPI_hl_region_end("r"), PAPI_OK);
                }),
      0);
  const auto report = child.Report();
  EXPECT_GE(Number(report["threads"]["0"]["regions"]["0"]["perf::PAGE-FAULTS"]), 100);
}

TEST(RegionThreads, MayShareTheFirstOnesCounters) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_EVENTS", "perf::PAGE-FAULTS"}, {"PAPI_HL_THREAD_MULTIPLE", "0"}},
                      [] {
                        EXPECT_EQ(PAPI_hl_region_begin("main"), PAPI_OK);
                        std::vector<std::thread> threads;
                        for (int i = 0; i < 4; ++i) {
                          threads.emplace_back([] {
                            for (int k = 0; k < 50; ++k) Region("thread");
                          });
                        }
                        for (std::thread& thread : threads) thread.join();
                        EXPECT_EQ(PAPI_hl_region_end("main"), PAPI_OK);
                      }),
            0);
  const auto report = child.Report();
  ASSERT_EQ(report["threads"].size(), 1U);
  const auto& regions = report["threads"]["0"]["regions"];
  EXPECT_EQ(regions.size(), 201U);
  for (const auto& region : regions) EXPECT_EQ(region["parent_region_id"], "-1");
}

TEST(RegionReportFile, IsNamedByTheRankOfMpi) {
  const std::vector<std::pair<Environment, std::string>> cases = {
      {{{"OMPI_COMM_WORLD_RANK", "3"}}, "rank_000003.json"},
      {{{"PMI_RANK", "12"}, {"SLURM_PROCID", "5"}}, "rank_000012.json"},
      {{{"SLURM_PROCID", "5"}}, "rank_000005.json"},
      {{{"OMPI_COMM_WORLD_RANK", ""}, {"PMI_RANK", "7 of 8"}, {"SLURM_PROCID", "5"}},
       "rank_000005.json"},
      {{{"PMI_RANK", "99999999999"}, {"ALPS_APP_PE", "-1"}, {"SLURM_PROCID", "0"}},
       "rank_000000.json"},
      {{{"ALPS_APP_PE", "1234567"}}, "rank_1234567.json"},
  };
  for (const auto& [environment, name] : cases) {
    RegionChild child;
    ASSERT_EQ(child.Run(environment, [] { Region("r"); }), 0);
    EXPECT_EQ(child.Files(), std::vector<std::string>{name});
  }
}

TEST(RegionReportFile, IsMadeBelowTheWantedFolder) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_OUTPUT_DIRECTORY", "a/b"}},
                      [] {
                        Region("r");
                        EXPECT_EQ(chdir("/"), 0);  // the program is elsewhere when it ends
                      }),
            0);
  EXPECT_EQ(child.Files("a/b/papi_hl_output").size(), 1U);
}

TEST(RegionReportFile, PutsAnEarlierRunsFolderAside) {
  RegionChild child;
  ASSERT_EQ(child.Run({}, [] { Region("r"); }), 0);
  const std::vector<std::string> first = child.Files();
  const utimbuf an_hour_ago = {time(nullptr) - 3600, time(nullptr) - 3600};
  ASSERT_EQ(utime((child.folder() + "/papi_hl_output").c_str(), &an_hour_ago), 0);
  ASSERT_EQ(child.Run({}, [] { Region("r"); }), 0);
  EXPECT_EQ(child.Files().size(), 1U);
  EXPECT_NE(child.Files(), first);
  std::vector<std::string> aside;
  for (const std::string& name : child.Files(".")) {
    if (name.starts_with("papi_hl_output-")) aside.push_back(name);
  }
  ASSERT_EQ(aside.size(), 1U);
  EXPECT_EQ(aside[0].size(), std::string("papi_hl_output-20260102-030405").size()) << aside[0];
  EXPECT_EQ(child.Files(aside[0]), first);
}

TEST(RegionReportFile, OfProcessesThatEndTogetherLieTogether) {
  RegionChild child;
  ASSERT_EQ(child.Run({},
                      [] {
                        for (int i = 0; i < 5; ++i) {
                          if (fork() != 0) continue;
                          Region("r");
                          exit(0);
                        }
                        while (wait(nullptr) > 0) {
                        }
                      }),
            0);
  EXPECT_EQ(child.Files().size(), 5U);
}

TEST(RegionReportFile, ThatCannotBeWrittenIsALine) {
  RegionChild child;
  std::ofstream(child.folder() + "/papi_hl_output") << "a file\n";
  ASSERT_EQ(child.Run({}, [] { Region("r"); }), 0);
  const std::string said = child.Text("stderr.txt");
  EXPECT_NE(said.find("the regions are lost: "), std::string::npos) << said;
  EXPECT_NE(said.find("set PAPI_OUTPUT_DIRECTORY to another folder"), std::string::npos) << said;
  EXPECT_EQ(child.Text("papi_hl_output"), "a file\n");
}

TEST(RegionReport, IsPrintedIfWanted) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_REPORT", "1"}}, [] { Region("r"); }), 0);
  const std::string text = child.Text("papi_hl_output/" + child.Files().at(0));
  EXPECT_EQ(child.Text("stdout.txt"), "\n\nPAPI-HL Output:\n" + text + "\n");
}

TEST(RegionReport, SaysWhatItDoesIfWanted) {
  RegionChild child;
  ASSERT_EQ(child.Run({{"PAPI_HL_VERBOSE", "1"}}, [] { Region("r"); }), 0);
  const std::string said = child.Text("stderr.txt");
  EXPECT_NE(said.find("PAPI_TOT_CYC"), std::string::npos) << said;
  EXPECT_NE(said.find(child.folder() + "/papi_hl_output"), std::string::npos) << said;
  EXPECT_EQ(child.Text("stdout.txt"), "");
}

}  // namespace
}  // namespace papi_test
