#include "symbolizer/report/tables/topdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/json/json.h"
#include "symbolizer/report/tables/derived.h"
#include "symbolizer/report/tables/select_events.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::HasSubstr;
using Part = TopdownPart;
using Role = TopdownRole;

constexpr std::size_t kF = 0;  // two functions
constexpr std::size_t kG = 1;

/// Zen's events, in the order of the agent, each with its period.
struct ZenEvent {
  const char* name;
  std::uint64_t period;
};
constexpr ZenEvent kZen[] = {
    {"topdown.zen.slots-x8:u", 1'000'003}, {"topdown.zen.retired:u", 1'500'007},
    {"topdown.zen.backend:u", 800'011},    {"topdown.zen.frontend:u", 700'001},
    {"topdown.zen.issued:u", 1'600'033},   {"topdown.zen.smt-contention:u", 500'009}};

/// Samples[event][function].
using Samples = std::array<std::array<std::uint64_t, 2>, 6>;

struct Running {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

Report ZenReport(const Samples& samples, const std::array<Running, 6>& running = {}) {
  SpoolBuilder b;
  SetText(b.event(0).name, kZen[0].name);
  b.event(0).kind = EventClass::kCycles;
  b.event(0).period = kZen[0].period;
  for (std::size_t i = 1; i < 6; ++i) b.AddEvent(kZen[i].name, EventClass::kOther, kZen[i].period);
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  for (std::size_t i = 0; i < 6; ++i) {
    b.event(i).enabled_ns = running[i].enabled_ns;
    b.event(i).running_ns = running[i].running_ns;
    for (std::size_t f = 0; f < 2; ++f) {
      if (samples[i][f] > 0) b.AddHits(app, 1, 0x401000 + 0x1000 * f, samples[i][f], i);
    }
  }
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "f"});
  names.Add("/bin/app", 0x2000, {.end = 0x3000, .name = "g"});
  return Make(b, names);
}

const FunctionRow& RowOf(const Report& report, std::string_view function) {
  return *std::find_if(report.functions.begin(), report.functions.end(),
                       [&](const FunctionRow& row) { return row.function == function; });
}

std::vector<std::string> KeysOf(const Report& report) {
  std::vector<std::string> keys;
  for (const DerivedColumn& column : report.derived) keys.push_back(column.key);
  return keys;
}

/// What two functions really do: shares of their slots by part, and slots.
struct Truth {
  double slots;
  double retiring, bad, front, back, smt;
};
constexpr Truth kTruth[2] = {{8 * 4e8, 0.20, 0.05, 0.10, 0.60, 0.03},
                             {8 * 6e8, 0.55, 0.00, 0.25, 0.15, 0.00}};

double EventsOf(const Truth& truth, std::size_t event) {
  const double shares[] = {
      1.0 / 8, truth.retiring, truth.back, truth.front, truth.retiring + truth.bad, truth.smt};
  return truth.slots * shares[event];
}

constexpr Part kParts[] = {Part::kRetiring, Part::kBadSpeculation, Part::kFrontend,
                           Part::kBackend,  Part::kSmtContention,  Part::kUnattributed};
double TrueShare(const Truth& truth, Part part) {
  switch (part) {
    case Part::kRetiring:
      return truth.retiring;
    case Part::kBadSpeculation:
      return truth.bad;
    case Part::kFrontend:
      return truth.front;
    case Part::kBackend:
      return truth.back;
    case Part::kSmtContention:
      return truth.smt;
    default:
      return 1 - truth.retiring - truth.bad - truth.front - truth.back - truth.smt;
  }
}

TEST(TopdownColumns, AreThereWhenEachEventOfLevel1Is) {
  const Report report = ZenReport({{{9, 1}, {9, 1}, {9, 1}, {9, 1}, {9, 1}, {9, 1}}});
  EXPECT_EQ(KeysOf(report),
            (std::vector<std::string>{"topdown_retiring", "topdown_bad_speculation",
                                      "topdown_frontend", "topdown_backend",
                                      "topdown_smt_contention", "topdown_unattributed"}));
  Profile five = report.profile;
  five.events.pop_back();
  EXPECT_TRUE(TopdownColumns(five).empty());
  EXPECT_TRUE(TopdownColumns({}).empty());
}

TEST(TopdownColumns, OfOtherProcessorsAreTheirs) {
  Profile profile;
  for (const char* name :
       {"topdown.icelake.slots:u", "topdown.icelake.retired:u", "topdown.icelake.backend:u",
        "topdown.icelake.frontend:u", "topdown.icelake.memory:u"}) {
    profile.events.emplace_back();
    profile.events.back().name = name;
  }
  std::vector<std::string> keys;
  for (const DerivedColumn& column : TopdownColumns(profile)) keys.push_back(column.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"topdown_retiring", "topdown_bad_speculation",
                                            "topdown_frontend", "topdown_backend",
                                            "topdown_backend_memory", "topdown_backend_core"}));
}

TEST(TopdownOf, AFunctionsSharesAreItsSlotsAndAddToOne) {
  // 300 M cycles; each event's samples stand for its period.
  const Report report = ZenReport({{{300, 100}, {480, 10}, {1500, 5}, {0, 5}, {525, 10}, {0, 0}}});
  const FunctionRow& f = RowOf(report, "f");
  const double slots = 8 * 300 * 1'000'003.0;
  EXPECT_NEAR(*f.derived[0], 480 * 1'500'007.0 / slots, 1e-9);
  EXPECT_NEAR(*f.derived[1], (525 * 1'600'033.0 - 480 * 1'500'007.0) / slots, 1e-9);
  EXPECT_NEAR(*f.derived[2], 0, 1e-9);
  EXPECT_NEAR(*f.derived[3], 1500 * 800'011.0 / slots, 1e-9);
  double sum = 0;
  for (const Ratio& part : f.derived) sum += *part;
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(f.derived_intervals[2].low, 0);
  // None of 5 samples in the whole program: as if there were up to z^2 = 3.84 of them.
  EXPECT_NEAR(f.derived_intervals[2].high, 3.8415 * 700'001 / slots, 1e-5);
}

// Both functions sampled 1,000 times: in the draws of `function` each part of its shares is held.
void ExpectCoverage(std::size_t function, double samples_per_event) {
  std::mt19937_64 random(20);
  constexpr int kTrials = 1000;
  std::array<int, 6> covered{};
  for (int trial = 0; trial < kTrials; ++trial) {
    SampledCounts counts;
    constexpr Role kRoles[] = {Role::kSlots,    Role::kRetired, Role::kBackend,
                               Role::kFrontend, Role::kIssued,  Role::kSmtContention};
    for (std::size_t e = 0; e < 6; ++e) {
      const double total = EventsOf(kTruth[kF], e) + EventsOf(kTruth[kG], e);
      const double share = EventsOf(kTruth[function], e) / total;
      const auto n = static_cast<std::uint64_t>(samples_per_event);
      std::binomial_distribution<std::uint64_t> draw(n, share);
      const double hits = static_cast<double>(draw(random));
      const double per_sample = total / samples_per_event * (e == 0 ? 8 : 1);
      counts[kRoles[e]] = {hits * per_sample,
                           EquivalentCount(hits / samples_per_event, samples_per_event),
                           per_sample};
    }
    const auto shares = SampledSharesOf(TopdownFormula::kZen, counts);
    for (std::size_t p = 0; p < 6; ++p) {
      const Interval& interval = shares[static_cast<std::size_t>(kParts[p])]->interval;
      const double truth = TrueShare(kTruth[function], kParts[p]);
      covered[p] += interval.low <= truth + 1e-12 && truth <= interval.high + 1e-12;
    }
  }
  for (std::size_t p = 0; p < 6; ++p) {
    SCOPED_TRACE(NameOf(kParts[p]));
    const double coverage = covered[p] / double{kTrials};
    EXPECT_GE(coverage, 0.93);
    // A share of nothing is always held: its interval begins at 0.
    if (TrueShare(kTruth[function], kParts[p]) > 0.001) {
      EXPECT_LE(coverage, 0.99);
    }
  }
}

TEST(SampledSharesOf, HoldTheTrueSharesInAbout95PercentOfRuns) { ExpectCoverage(kF, 1000); }
TEST(SampledSharesOf, HoldThemWithFewSamplesToo) { ExpectCoverage(kF, 60); }
TEST(SampledSharesOf, HoldThemWhereAPartIsNothing) { ExpectCoverage(kG, 1000); }

/// Time in slices of `kSliceNs`, in a phase of f and then one of g, with a choice of slices for
/// each event in turn: counts of whole slices, and Poisson samples of them.
TEST(MultiplexedCount, MakesIntervalsThatHoldTheTruthOfPhases) {
  std::mt19937_64 random(21);
  constexpr int kTrials = 1000;
  constexpr int kSlices = 250;     // a second
  constexpr int kSlicesOfF = 100;  // whole ones
  constexpr double kRunning = 0.4;
  constexpr double kPerSlice = 1.6;  // samples
  int covered = 0;
  int covered_without = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto sample = [&](double rate, double factor, bool multiplexed, bool told) {
      int seen_of_f = 0;
      int seen = 0;
      for (int slice = 0; slice < kSlices; ++slice) {
        if (multiplexed && !std::bernoulli_distribution(kRunning)(random)) continue;
        ++seen;
        seen_of_f += slice < kSlicesOfF;
      }
      const double running = multiplexed ? double(seen) / kSlices : 1;
      const double hits =
          std::poisson_distribution<int>(std::max(1e-9, seen_of_f * kPerSlice))(random);
      const double unit = rate / kPerSlice / running * factor;
      return std::pair{
          SampledCount{hits * unit, hits, unit},
          SampledCount{hits * unit, told ? MultiplexedCount(hits, running, seen_of_f) : hits,
                       unit}};
    };
    SampledCounts without;
    SampledCounts with;
    const auto set = [&](Role role, double rate, double factor, bool multiplexed) {
      const auto [plain, told] = sample(rate, factor, multiplexed, true);
      without[role] = plain;
      with[role] = told;
    };
    set(Role::kSlots, 1000, 6, false);
    set(Role::kRetired, 2400, 1, false);
    set(Role::kBackend, 2100, 1, true);
    set(Role::kFrontend, 300, 1, true);
    const double truth = 2100.0 / 6000;
    const auto holds = [&](const SampledCounts& counts) {
      const Interval i = SampledSharesOf(TopdownFormula::kIcelake,
                                         counts)[static_cast<std::size_t>(Part::kBackend)]
                             ->interval;
      return i.low <= truth && truth <= i.high;
    };
    covered += holds(with);
    covered_without += holds(without);
  }
  EXPECT_GE(covered / double{kTrials}, 0.93);
  EXPECT_LE(covered / double{kTrials}, 0.985);
  EXPECT_LT(covered_without / double{kTrials}, covered / double{kTrials} - 0.01)
      << "the test would not see the error of multiplexing";
}

TEST(TopdownOf, ScalesAMultiplexedEventAndWidensItsInterval) {
  const Samples samples = {{{300, 100}, {480, 10}, {700, 5}, {10, 5}, {525, 10}, {0, 0}}};
  const FunctionRow whole = RowOf(ZenReport(samples), "f");
  std::array<Running, 6> running{};
  running[2] = {400'000'000, 200'000'000};
  const FunctionRow half = RowOf(ZenReport(samples, running), "f");
  EXPECT_NEAR(*half.derived[3], 2 * *whole.derived[3], 1e-9);
  const double relative_whole = whole.derived_intervals[3].HalfWidth() / *whole.derived[3];
  EXPECT_GT(half.derived_intervals[3].HalfWidth() / *half.derived[3], 1.2 * relative_whole);
  EXPECT_EQ(*half.derived[0], *whole.derived[0]);
}

TEST(TopdownNotes, TellTheWholeProgramAndSlotsInNoPart) {
  const Report report = ZenReport({{{300, 100}, {480, 10}, {400, 5}, {10, 5}, {525, 10}, {0, 0}}});
  const std::string notes = ::testing::PrintToString(report.verdict.notes);
  EXPECT_THAT(notes, HasSubstr("top-down of the whole program: retiring 23.0% +-"));
  EXPECT_THAT(
      notes, HasSubstr("top-down: the parts add up to 37.2% of the slots; the rest belongs to no"));
}

TEST(TopdownNotes, TellOfAnEventThatNeverCounted) {
  const Report report = ZenReport({{{300, 100}, {0, 0}, {400, 5}, {10, 5}, {525, 10}, {0, 0}}});
  EXPECT_THAT(::testing::PrintToString(report.verdict.notes),
              HasSubstr("topdown.zen.retired:u counted nothing"));
  for (const Ratio& part : RowOf(report, "f").derived) EXPECT_FALSE(part);
}

TEST(TopdownText, HasAColumnForEachShareAndNoneForItsEvents) {
  const Report report = ZenReport({{{300, 100}, {480, 10}, {700, 5}, {10, 5}, {525, 10}, {0, 0}}});
  TextStyle style;
  style.width = 160;
  const std::string text = WriteText(report, style);
  for (const char* title : {"retire%", "badspec%", "front%", "back%", "smt%", "other%", "+-95%"}) {
    EXPECT_THAT(text, HasSubstr(title));
  }
  EXPECT_THAT(text, HasSubstr("topdown.zen"));
  const std::string behind_head = text.substr(text.find("\n\n"));
  EXPECT_THAT(behind_head, HasSubstr(" slots\n")) << "the head of the column";
  EXPECT_THAT(behind_head, ::testing::Not(HasSubstr("topdown.zen.retired")));
  style.width = 80;
  EXPECT_THAT(WriteText(report, style), HasSubstr("retire%"));
}

TEST(TopdownJson, HasSharesByKeyWithIntervals) {
  const Report report = ZenReport({{{300, 100}, {480, 10}, {700, 5}, {10, 5}, {525, 10}, {0, 0}}});
  const Json json = ReportJson(report);
  EXPECT_EQ(json["derived"][3]["key"], "topdown_backend");
  EXPECT_EQ(json["derived"][3]["numerator"], "topdown.zen.backend:u");
  EXPECT_EQ(json["derived"][3]["denominator"], "topdown.zen.slots-x8:u");
  EXPECT_EQ(json["derived"][3]["of_slots"], true);
  const Json& f = json["functions"][0];
  EXPECT_EQ(f["function"], "f");
  EXPECT_EQ(f["derived"]["topdown_backend"], *RowOf(report, "f").derived[3]);
  EXPECT_LT(f["derived_intervals"][3]["low"], f["derived_intervals"][3]["value"]);
  EXPECT_GT(f["derived_intervals"][3]["high"], f["derived_intervals"][3]["value"]);
}

/// f runs on the main thread before the mark, g on another thread after it. So each thread and each
/// mark has the shares of one function.
Report GroupsReport() {
  constexpr Samples kSamples = {{{300, 100}, {480, 10}, {700, 5}, {10, 5}, {525, 10}, {0, 0}}};
  SpoolBuilder b;
  SetText(b.event(0).name, kZen[0].name);
  b.event(0).kind = EventClass::kCycles;
  b.event(0).period = kZen[0].period;
  for (std::size_t i = 1; i < 6; ++i) b.AddEvent(kZen[i].name, EventClass::kOther, kZen[i].period);
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  const std::uint32_t worker = b.AddThread(5001, "worker");
  const std::uint32_t mark = b.AddPhase("solve", 100'000'000, 1);
  for (std::size_t i = 0; i < 6; ++i) {
    if (kSamples[i][kF] > 0) b.AddHitsAt(app, 1, 0x401000, kSamples[i][kF], 0, 0, i);
    if (kSamples[i][kG] > 0) b.AddHitsAt(app, worker, 0x402000, kSamples[i][kG], 0, mark, i);
  }
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "f"});
  names.Add("/bin/app", 0x2000, {.end = 0x3000, .name = "g"});
  ProfileMerger merger({.keep_phases = true, .keep_threads = true});
  AddTo(merger, b);
  return BuildReport(merger.Finish(), std::cref(names));
}

TEST(TopdownJson, HasTheSharesOfThreadsProcessesAndMarks) {
  const Report report = GroupsReport();
  const Json json = ReportJson(report);
  const Json& functions = json["functions"];
  ASSERT_EQ(json["threads"].size(), 2u);
  ASSERT_EQ(json["phases"].size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(functions[i]["function"], i == 0 ? "f" : "g");
    EXPECT_EQ(json["threads"][i]["derived_intervals"], functions[i]["derived_intervals"]);
    EXPECT_EQ(json["phases"][i]["derived_intervals"], functions[i]["derived_intervals"]);
  }
  for (std::size_t i = 0; i < json["derived"].size(); ++i) {
    EXPECT_EQ(json["processes"][0]["derived_intervals"][i], json["derived"][i]["total"]) << i;
  }
}

std::string MarksOf(const std::string& text) {
  const std::size_t title = text.find("after mark");
  return title == text.npos ? "" : text.substr(text.rfind('\n', title) + 1);
}

TEST(TopdownText, HasTheSharesOfMarksWithTheirErrors) {
  const Report report = GroupsReport();
  TextStyle style;
  style.width = 160;
  const std::string wide = MarksOf(WriteText(report, style));
  for (const char* title : {"retire%", "badspec%", "front%", "back%", "+-95%", "hottest"}) {
    EXPECT_THAT(wide, HasSubstr(title));
  }
  const Ratio backend = RowOf(report, "f").derived[3];
  EXPECT_THAT(wide.substr(0, wide.find("solve")), HasSubstr(FixedText(*backend * 100, 1)));
  // On a narrow screen the errors go first, then the functions.
  style.width = 110;
  const std::string narrow = MarksOf(WriteText(report, style));
  EXPECT_THAT(narrow, HasSubstr("back%"));
  EXPECT_THAT(narrow.substr(0, narrow.find("solve")), ::testing::Not(HasSubstr("+-95%")));
  style.width = 80;
  EXPECT_THAT(MarksOf(WriteText(report, style)), HasSubstr("hottest functions"));
}

TEST(TopdownText, HasTheSharesOfThreadsAndProcesses) {
  const Report report = GroupsReport();
  TextStyle style;
  style.width = 160;
  for (const By by : {By::kThreads, By::kProcesses}) {
    style.by = by;
    const std::string text = WriteText(report, style);
    for (const char* title : {"retire%", "badspec%", "front%", "back%", "+-95%"}) {
      EXPECT_THAT(text, HasSubstr(title));
    }
  }
}

TEST(TopdownCsv, HasThreeColumnsAShare) {
  const Report report = ZenReport({{{300, 100}, {480, 10}, {700, 5}, {10, 5}, {525, 10}, {0, 0}}});
  std::string text;
  Sink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  ASSERT_TRUE(WriteCsv(report, {}, sink));
  ASSERT_TRUE(sink.Finish());
  EXPECT_THAT(text, HasSubstr("topdown_backend,topdown_backend low,topdown_backend high"));
}

TEST(TopdownSort, IsByTheShareItself) {
  Report report = ZenReport({{{300, 100}, {480, 10}, {700, 5}, {10, 200}, {525, 10}, {0, 0}}});
  SortReport(report, "topdown_frontend");
  EXPECT_EQ(report.functions[0].function, "g");
  SortReport(report, "back%");
  EXPECT_EQ(report.functions[0].function, "f");
}

TEST(TopdownSort, WithoutAllEventsThereIsNoShare) {
  Report report = ZenReport({{{300, 100}, {480, 10}, {700, 5}, {10, 5}, {525, 10}, {0, 0}}});
  SelectEvents(report, {"topdown.zen.slots-x8", "topdown.zen.backend"});
  EXPECT_TRUE(report.derived.empty());
  EXPECT_TRUE(report.functions[0].derived.empty());
}

}  // namespace
}  // namespace csink::report
