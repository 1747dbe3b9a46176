#include "core/events/event_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/events/event_rate.h"

namespace csink {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Parsed {
  bool ok;
  Errc code;
  std::string complaint;
  EventList list;
};

Parsed Parse(std::string_view text) {
  EventComplaint complaint;
  const Result<EventList> list = ParseEventList(text, complaint);
  return {list.has_value(), list ? Errc::kOk : list.error().code, complaint.c_str(),
          list ? *list : EventList{}};
}

EventSpec One(std::string_view text) {
  const Parsed parsed = Parse(text);
  EXPECT_TRUE(parsed.ok) << text << ": " << parsed.complaint;
  EXPECT_EQ(parsed.list.count, 1u) << text;
  return parsed.list.events[0];
}

TEST(ParseEventList, TakesSeveralEventsWithSpacesAround) {
  const Parsed parsed = Parse(" cycles:u@4kHz ,\tinstructions@1M,page-faults ");
  ASSERT_TRUE(parsed.ok) << parsed.complaint;
  ASSERT_EQ(parsed.list.count, 3u);
  EXPECT_EQ(parsed.list.events[0].frequency_hz, 4000u);
  EXPECT_EQ(parsed.list.events[0].period, 0u);
  EXPECT_EQ(parsed.list.events[1].period, 1'000'000u);
  EXPECT_STREQ(parsed.list.events[2].name, "page-faults");
}

TEST(ParseEventList, TurnsModifiersIntoExcludeBitsAndPrecision) {
  struct {
    const char* text;
    bool no_user, no_kernel;
    int precise;
    const char* shown;
  } const cases[] = {
      {"cycles", false, true, 0, "cycles:u"},
      {"cycles:u", false, true, 0, "cycles:u"},
      {"cycles:k", true, false, 0, "cycles:k"},
      {"cycles:u:k", false, false, 0, "cycles:uk"},
      {"cycles:ku", false, false, 0, "cycles:uk"},
      {"cycles:p", false, true, 1, "cycles:u:p"},
      {"cycles:upp", false, true, 2, "cycles:u:pp"},
      {"cycles:pp:p", false, true, 3, "cycles:u:ppp"},
  };
  for (const auto& c : cases) {
    const EventSpec spec = One(c.text);
    EXPECT_EQ(spec.exclude_user, c.no_user) << c.text;
    EXPECT_EQ(spec.exclude_kernel, c.no_kernel) << c.text;
    EXPECT_EQ(spec.precise, c.precise) << c.text;
    EXPECT_EQ(spec.precise_given, c.precise != 0) << c.text;
    EXPECT_STREQ(spec.name, "cycles");
    EXPECT_EQ(EventDisplayName(spec).view(), c.shown);
  }
}

TEST(ParseEventList, RefusesUnknownModifiersByName) {
  for (const char* text : {"cycles:x", "cycles:pppp", "cycles:pp:pp", "cycles:U"}) {
    const Parsed parsed = Parse(text);
    EXPECT_EQ(parsed.code, Errc::kInvalid) << text;
    EXPECT_THAT(parsed.complaint, HasSubstr("is not known; modifiers are u (user)")) << text;
  }
  EXPECT_THAT(Parse("cycles:x").complaint, HasSubstr("modifier \"x\""));
  EXPECT_EQ(Parse("cycles:").code, Errc::kInvalid);
  EXPECT_EQ(Parse("cycles:u:").code, Errc::kInvalid);
}

TEST(ParseEventList, TurnsAClocksFrequencyIntoAPrimePeriodThatIsNotFaster) {
  struct {
    const char* text;
    std::uint64_t hz;
  } const cases[] = {{"task-clock@1Hz", 1},       {"task-clock@97hz", 97},
                     {"cpu-clock@1kHz", 1000},    {"task-clock@4KHZ", 4000},
                     {"task-clock@9999Hz", 9999}, {"task-clock@10kHz", 10'000}};
  for (const auto& c : cases) {
    const EventSpec spec = One(c.text);
    EXPECT_EQ(spec.frequency_hz, 0u);
    EXPECT_EQ(PrimeFrom(spec.period), spec.period) << c.text;
    EXPECT_LE(c.hz * 1'000'000'000 / spec.period, 1'000'000'000u) << c.text;
    EXPECT_GE(spec.period * c.hz, 1'000'000'000u) << c.text;
    EXPECT_LT(spec.period * c.hz, 1'010'000'000u) << "not much slower: " << c.text;
    EXPECT_EQ(Parse(c.text).complaint, "");
  }
}

TEST(ParseEventList, ClampsRatesAboveTenKilohertzAndSaysSo) {
  for (const char* text : {"task-clock@20kHz", "task-clock@99999", "cpu-clock@1",
                           "task-clock@9223372036854775807Hz"}) {
    const Parsed parsed = Parse(text);
    ASSERT_TRUE(parsed.ok) << text << parsed.complaint;
    EXPECT_EQ(parsed.list.events[0].period, 100'003u) << text;
    EXPECT_THAT(parsed.complaint, HasSubstr("clamped to 10 kHz: 100003 ns")) << text;
  }
  const Parsed hardware = Parse("instructions@1MHz");
  ASSERT_TRUE(hardware.ok);
  EXPECT_EQ(hardware.list.events[0].frequency_hz, 10'000u);
  EXPECT_THAT(hardware.complaint, HasSubstr("instructions: the frequency is clamped to 10 kHz"));
}

TEST(ParseEventList, TakesPeriodsAsTheyAre) {
  EXPECT_EQ(One("cycles@100").period, 100u);
  EXPECT_EQ(One("cycles@2k").period, 2000u);
  EXPECT_EQ(One("cycles@3G").period, 3'000'000'000u);
  EXPECT_EQ(One("task-clock@100k").period, 100'000u);
  EXPECT_EQ(One("page-faults@1").period, 1u);
  EXPECT_EQ(One("branch-misses@1").period, 1u);
  EXPECT_EQ(One("cycles@9223372036854775807").period, (std::uint64_t{1} << 63) - 1);
}

TEST(ParseEventList, RefusesImpossiblePeriods) {
  struct {
    const char* text;
    const char* why;
  } const cases[] = {
      {"cycles@0", "it must not be 0"},
      {"task-clock@0Hz", "it must not be 0"},
      {"cycles@1", "use a period of 100 or more"},
      {"instructions@99", "use a period of 100 or more"},
      {"ref-cycles@2", "use a period of 100 or more"},
      {"cycles@9223372036854775808", "too large"},
      {"page-faults@18446744073709551616", "too large"},
      {"cycles@10000000000G", "too large"},
      {"cycles@", "is not a rate; give a period (N"},
      {"cycles@Hz", "is not a rate"},
      {"cycles@4k Hz", "is not a rate"},
      {"cycles@-5", "is not a rate"},
      {"cycles@0x10", "is not a rate"},
      {"cycles@1@2", "is not a rate"},
      {"cycles@4kHz:u", "is not a rate"},
  };
  for (const auto& c : cases) {
    const Parsed parsed = Parse(c.text);
    EXPECT_EQ(parsed.code, Errc::kInvalid) << c.text;
    EXPECT_THAT(parsed.complaint, HasSubstr(c.why)) << c.text;
  }
}

TEST(ParseEventList, RefusesMissingNames) {
  for (const char* text : {"", " ", ",", "cycles,", ",cycles", "cycles,,cs", "@4kHz"}) {
    const Parsed parsed = Parse(text);
    EXPECT_EQ(parsed.code, Errc::kInvalid) << text;
    EXPECT_THAT(parsed.complaint, HasSubstr("the name of an event is missing")) << text;
  }
}

TEST(ParseEventList, TakesEightEventsAndNotNine) {
  const std::string eight = "cs,cs,cs,cs,cs,cs,cs,cs";
  EXPECT_EQ(Parse(eight).list.count, 8u);
  const Parsed nine = Parse(eight + ",cs");
  EXPECT_EQ(nine.code, Errc::kLimit);
  EXPECT_EQ(nine.complaint, "too many events; at most 8 can be sampled in one run");
}

TEST(ParseEventList, WarnsOfEventsThatNeverCountInUserMode) {
  const Parsed parsed = Parse("cs:u");
  ASSERT_TRUE(parsed.ok);
  EXPECT_TRUE(parsed.list.events[0].exclude_kernel);
  EXPECT_THAT(parsed.complaint, HasSubstr("context-switches:u never counts"));
  EXPECT_EQ(Parse("cs").complaint, "");
  EXPECT_EQ(Parse("cs:k").complaint, "");
}

TEST(ParseEventList, CountsWhereTheEventOccursAlsoByLibpfm4sName) {
  if (!Parse("perf::PAGE-FAULTS").ok) GTEST_SKIP() << "libpfm4 is not here";
  for (const char* text : {"cs", "context-switches:period=100", "perf::CONTEXT-SWITCHES"}) {
    const Parsed parsed = Parse(text);
    ASSERT_TRUE(parsed.ok) << text << ": " << parsed.complaint;
    EXPECT_EQ(parsed.complaint, "") << text;
    EXPECT_TRUE(parsed.list.events[0].kernel_only) << text;
    EXPECT_FALSE(parsed.list.events[0].exclude_kernel) << text;
  }
  EXPECT_THAT(Parse("perf::CONTEXT-SWITCHES:u").complaint, HasSubstr("never counts"));
}

TEST(ParseEventList, NamesTheNearestEvents) {
  const Parsed parsed = Parse("cylces");
  EXPECT_EQ(parsed.code, Errc::kNoEvent);
  EXPECT_THAT(parsed.complaint, HasSubstr("event \"cylces\" is not known; nearest: cycles"));
  EXPECT_THAT(parsed.complaint, HasSubstr("\"csink doctor --events\" lists all"));
  EXPECT_THAT(Parse("INSTRUCTION:u").complaint, HasSubstr("nearest: instructions"));
  EXPECT_THAT(Parse("context").complaint, HasSubstr("nearest: context-switches"));
  EXPECT_THAT(Parse("L1-DCACHE-LOAD-MISES").complaint, HasSubstr("L1-DCACHE-LOAD-MISSES"));
  EXPECT_THAT(Parse("quite-another-thing").complaint, Not(HasSubstr("nearest")));
  EXPECT_THAT(Parse("nowhere/event=0xc0/").complaint, HasSubstr("does not have: \"nowhere\""));
}

TEST(ParseEventList, RefusesBytesThatEndANameForC) {
  using namespace std::string_view_literals;
  for (std::string_view text : {"r0\0::"sv, "r0 x"sv, "cycles\0"sv, "faults\xff"sv}) {
    const Parsed parsed = Parse(text);
    EXPECT_EQ(parsed.code, Errc::kInvalid) << text;
    EXPECT_THAT(parsed.complaint, HasSubstr("the name contains characters that are not allowed"))
        << text;
  }
}

TEST(ParseEventList, TakesPerfsCacheEventsThroughLibpfm) {
  struct {
    const char* text;
    const char* name;
    std::uint64_t config;
  } const cases[] = {
      {"L1-dcache-load-misses", "L1-dcache-load-misses", 0x10000},
      {"PERF_COUNT_HW_CACHE_L1D:READ:MISS:k", "PERF_COUNT_HW_CACHE_L1D:READ:MISS", 0x10000},
      {"perf::DTLB-STORES", "DTLB-STORES", 0x103},
  };
  for (const auto& c : cases) {
    const EventSpec spec = One(c.text);
    EXPECT_STREQ(spec.name, c.name);
    EXPECT_EQ(spec.type, PERF_TYPE_HW_CACHE + 0u);
    EXPECT_EQ(spec.config, c.config) << c.text;
  }
  EXPECT_STREQ(One("cycles:period=1009").name, "cycles");
  EXPECT_EQ(One("cycles:period=1009").period, 1009u);
}

TEST(ParseEventList, KeepsControlBytesOutOfItsComplaints) {
  const Parsed parsed = Parse("cyc\x1b[31m\nles" + std::string(300, 'x'));
  EXPECT_EQ(parsed.code, Errc::kInvalid);
  for (char c : parsed.complaint) EXPECT_TRUE(c >= ' ' && c <= '~') << int{c};
  EXPECT_THAT(parsed.complaint, HasSubstr("cyc?[31m?les"));
}

TEST(ParseEventList, SurvivesAnyText) {
  const std::string pieces[] = {"cycles",
                                "task-clock",
                                "perf::",
                                ":",
                                "::",
                                "@",
                                "k",
                                "Hz",
                                "4",
                                "0",
                                ",",
                                "r1",
                                "u",
                                "p",
                                "=",
                                ".",
                                "L1-DCACHE-LOADS",
                                "period",
                                "\xff",
                                " ",
                                "\n",
                                "99999999999"};
  std::mt19937 random(3);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 2 ? "cycles" : "";
    for (unsigned n = random() % 8; n > 0; --n) text += pieces[random() % std::size(pieces)];
    const Parsed parsed = Parse(text);
    accepted += parsed.ok;
    EXPECT_EQ(parsed.ok, parsed.code == Errc::kOk);
    EXPECT_TRUE(parsed.ok || !parsed.complaint.empty()) << text;
    for (std::size_t i = 0; i < parsed.list.count; ++i) {
      const EventSpec& spec = parsed.list.events[i];
      EXPECT_NE((spec.period != 0), (spec.frequency_hz != 0)) << text;
      EXPECT_FALSE(spec.exclude_user && spec.exclude_kernel) << text;
    }
  }
  EXPECT_GT(accepted, 100) << "the pieces should make valid events too";
}

TEST(PrimeFrom, FindsTheNextPrime) {
  EXPECT_EQ(PrimeFrom(0), 2u);
  EXPECT_EQ(PrimeFrom(14), 17u);
  EXPECT_EQ(PrimeFrom(25), 29u);
  EXPECT_EQ(PrimeFrom(100'000), 100'003u);
  EXPECT_EQ(PrimeFrom(1'000'000'000), 1'000'000'007u);
}

}  // namespace
}  // namespace csink
