#include "symbolizer/report/causes/find_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "symbolizer/report/causes/instruction.h"
#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/text/causes_text.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;

/// A run of a program with four functions that never change, and Hot(), which takes `hot` seconds.
class Pair {
 public:
  Pair() {
    for (int i = 0; i < 5; ++i) {
      then.push_back(Run(0.2, i, 0));
      now.push_back(Run(0.4, i, 1));
    }
    for (const char* name : {"One()", "Two()", "Three()", "Four()"}) {
      for (CodeSide* side : {&then_code, &now_code}) {
        CodeFacts& code = side->functions[{name, "app"}];
        code.function = name;
        code.module = "app";
        code.texts = {"ret"};
      }
    }
    for (CodeSide* side : {&then_code, &now_code}) {
      const double seconds = side == &now_code ? 0.4 : 0.2;
      CodeFacts& code = side->functions[{"Hot()", "app"}];
      code.function = "Hot()";
      code.module = "app";
      code.seconds = seconds;
      code.instructions = 10;
      code.sampled_instructions = 5;
      code.source = "/src/hot.cpp";
      code.texts = {side == &now_code ? "mov %eax, %ebx" : "mov %ebx, %eax"};
    }
  }

  /// `i` scatters by a percent; `side` tells the start times apart, in turns.
  static Baseline Run(double hot, int i, int side, double machine = 1) {
    Baseline run;
    run.command = "app 1";
    run.programs = {"app"};
    run.start_time = 1000 + 2 * i + (i % 2 == 0 ? side : 1 - side);
    run.builds = {{"app", side == 0 ? "aa" : "bb"}, {"libc.so.6", "cc"}};
    const double scatter = (1 + 0.01 * (i - 2)) * machine;
    const double total = (0.4 + hot) * scatter;
    run.cpu_seconds = total + 0.01;
    run.events = {{"task-clock:u", total * 1000, total * 1e9, true}};
    for (const char* name : {"One()", "Two()", "Three()", "Four()"}) {
      run.functions.push_back({name, "app", {0.1 * scatter / total}});
    }
    run.functions.push_back({"Hot()", "app", {hot * scatter / total}});
    run.details.user_seconds = total;
    run.details.system_seconds = 0.01;
    run.details.has_waits = true;
    run.details.facts.known = run.details.facts.calls_known = true;
    run.details.facts.surroundings = {{"key", "1"}, {"env:HOME", "#1"}};
    return run;
  }

  CodeFacts& Hot(CodeSide& side) { return side.functions[{"Hot()", "app"}]; }
  static void Put(CodeFacts& code, InstructionClasses one, double seconds, std::size_t count) {
    code.class_seconds[static_cast<std::size_t>(std::countr_zero(one))] = seconds;
    code.class_count[static_cast<std::size_t>(std::countr_zero(one))] = count;
  }
  ChangeCauses Find(bool with_code = true) const {
    return FindCauses(CompareRuns(now, then), now, then, with_code ? &now_code : nullptr,
                      with_code ? &then_code : nullptr);
  }
  /// The grade of the first cause of a kind; "none".
  std::string GradeOfKind(const char* key, bool with_code = true) const {
    for (const ChangeCause& cause : Find(with_code).causes) {
      if (std::string(KeyOf(cause.kind)) == key) return WordFor(cause.grade);
    }
    return "none";
  }
  /// "proved division" of the first cause.
  std::string First(bool with_code = true) const {
    const ChangeCauses causes = Find(with_code);
    if (causes.causes.empty()) return "none";
    return std::string(WordFor(causes.causes[0].grade)) + " " + KeyOf(causes.causes[0].kind);
  }

  std::vector<Baseline> then, now;
  CodeSide then_code, now_code;
};

void ForAll(std::vector<Baseline>& runs, const std::function<void(RunDetails&)>& change) {
  for (Baseline& run : runs) change(run.details);
}

TEST(FindCauses, NeedsThreeRunsAndAClock) {
  Pair pair;
  pair.then.resize(2);
  EXPECT_THAT(pair.Find().refusal, HasSubstr("3 runs a side"));
  Pair counted;
  for (auto* runs : {&counted.then, &counted.now}) {
    for (Baseline& run : *runs) run.events[0].is_clock = false;
  }
  EXPECT_THAT(counted.Find().refusal, HasSubstr("clock event"));
}

TEST(FindCauses, GateIsClosedWithoutAChange) {
  Pair pair;
  pair.now.clear();
  for (int i = 0; i < 5; ++i) pair.now.push_back(Pair::Run(0.2, i, 1));
  pair.Put(pair.Hot(pair.now_code), kDivides, 0.2, 1);
  const ChangeCauses causes = pair.Find();
  EXPECT_FALSE(causes.is_slower);
  for (const ChangeCause& cause : causes.causes) EXPECT_EQ(cause.grade, CauseGrade::kSeen);
  EXPECT_TRUE(CodeWanted(CompareRuns(pair.now, pair.then), pair.now, pair.then).now.empty());
}

TEST(FindCauses, TheMachinesSpeedIsNoCause) {
  Pair pair;
  pair.now.clear();
  for (int i = 0; i < 5; ++i) pair.now.push_back(Pair::Run(0.2, i, 1, 1.2));
  pair.Hot(pair.now_code).texts = pair.Hot(pair.then_code).texts;
  const ChangeCauses causes = pair.Find();
  ASSERT_TRUE(causes.drift);
  EXPECT_NEAR(*causes.drift, 1.2, 0.01);
  EXPECT_FALSE(causes.is_slower);
  EXPECT_EQ(pair.First(), "seen machine");
}

TEST(FindCauses, NewSlowInstructionsAreProved) {
  const struct {
    InstructionClasses one;
    const char* key;
  } kCases[] = {{kDivides, "division"},
                {kLocked, "atomic"},
                {kRepeats, "block-copy"},
                {kIndirect, "indirect-call"}};
  for (const auto& [one, key] : kCases) {
    Pair pair;
    Pair::Put(pair.Hot(pair.now_code), one, 0.18, 1);
    EXPECT_EQ(pair.GradeOfKind(key), "proved") << key;
    // The time stands elsewhere.
    Pair::Put(pair.Hot(pair.now_code), one, 0.07, 1);
    EXPECT_EQ(pair.GradeOfKind(key), "likely") << key;
    Pair::Put(pair.Hot(pair.now_code), one, 0.02, 1);
    EXPECT_EQ(pair.GradeOfKind(key), "none") << key;
    // They were there before.
    Pair::Put(pair.Hot(pair.now_code), one, 0.38, 1);
    Pair::Put(pair.Hot(pair.then_code), one, 0.19, 1);
    EXPECT_EQ(pair.GradeOfKind(key), "none") << key;
  }
}

TEST(FindCauses, LostVectorCode) {
  Pair pair;
  CodeFacts& was = pair.Hot(pair.then_code);
  Pair::Put(was, kPacked, 0.15, 4);
  was.vector_bytes = 32;
  was.lane_bytes = 4;
  EXPECT_EQ(pair.First(), "proved vector");
  // Slower than its lanes explain: something else.
  was.seconds = 0.015;
  Pair::Put(was, kPacked, 0.014, 4);
  EXPECT_EQ(pair.GradeOfKind("vector"), "seen");
}

TEST(FindCauses, ChecksAreProvedByTheirLinesAlone) {
  Pair pair;
  pair.Hot(pair.now_code).targets = {"std::__glibcxx_assert_fail(char const*, int)"};
  EXPECT_EQ(pair.GradeOfKind("assertion"), "likely");
  pair.Hot(pair.now_code).lines = {{"  __glibcxx_assert(n < size());", 0.19}};
  EXPECT_EQ(pair.GradeOfKind("assertion"), "proved");
  pair.Hot(pair.then_code).targets = pair.Hot(pair.now_code).targets;
  EXPECT_EQ(pair.GradeOfKind("assertion"), "none");
}

TEST(FindCauses, OptionsAreNoProofAndYield) {
  Pair pair;
  pair.then_code.producers = {{{"app", "hot.cpp"}, "GNU C++17 12.2.0 -mtune=generic -g -O2"}};
  pair.now_code.producers = {{{"app", "hot.cpp"}, "GNU C++17 12.2.0 -mtune=generic -g -O1"}};
  // Nothing in the code says so.
  EXPECT_EQ(pair.GradeOfKind("optimisation-level"), "seen");
  pair.Hot(pair.now_code).sampled_instructions = 20;
  EXPECT_EQ(pair.GradeOfKind("optimisation-level"), "likely");
  Pair::Put(pair.Hot(pair.now_code), kDivides, 0.18, 1);
  EXPECT_EQ(pair.First(), "proved division");
  EXPECT_EQ(pair.GradeOfKind("optimisation-level"), "seen");
}

TEST(FindCauses, UnchangedCodeIsMoreWorkUnlessNothingDiffers) {
  Pair pair;
  pair.Hot(pair.now_code).texts = pair.Hot(pair.then_code).texts;
  EXPECT_EQ(pair.First(), "likely more-work");
  Pair::Put(pair.Hot(pair.now_code), kOnMemory, 0.35, 3);
  EXPECT_EQ(pair.First(), "likely memory");
  for (Baseline& run : pair.now) run.builds = pair.then[0].builds;
  EXPECT_EQ(pair.First(), "seen memory");
}

TEST(FindCauses, UnchangedCodeMustStandOut) {
  Pair pair;
  pair.Hot(pair.now_code).texts = pair.Hot(pair.then_code).texts;
  // Two of the others took 25 % more and less; the program's own change is 30 %.
  pair.now.clear();
  for (int i = 0; i < 5; ++i) {
    Baseline& run = pair.now.emplace_back(Pair::Run(0.26, i, 1));
    run.functions[0].shares[0] *= 1.25;
    run.functions[1].shares[0] *= 0.8;
  }
  EXPECT_EQ(pair.GradeOfKind("more-work"), "seen");
  for (Baseline& run : pair.now) {
    run.functions[0].shares[0] /= 1.25;
    run.functions[1].shares[0] /= 0.8;
  }
  EXPECT_EQ(pair.GradeOfKind("more-work"), "likely");
}

TEST(FindCauses, ANewFunctionThatWasInlined) {
  Pair pair;
  for (Baseline& run : pair.now) {
    run.functions[4].function = "Step(int)";
    run.functions.push_back({"Hot()", "app", {0.01}});
  }
  pair.now_code.functions[{"Step(int)", "app"}] = pair.Hot(pair.now_code);
  pair.now_code.functions[{"Step(int)", "app"}].function = "Step(int)";
  pair.Hot(pair.now_code).targets = {"Step(int)"};
  // Hot() lost less than half of what Step() takes: it may be new work.
  EXPECT_EQ(pair.GradeOfKind("not-inlined"), "seen");
  pair.Hot(pair.then_code).inlined = {"Step"};
  EXPECT_EQ(pair.GradeOfKind("not-inlined"), "proved");
}

TEST(FindCauses, ARenamedFunctionIsOne) {
  Pair pair;
  std::vector<std::string> code;
  for (int i = 0; i < 12; ++i) code.push_back("add $" + std::to_string(i) + ", %eax");
  pair.Hot(pair.then_code).texts = code;
  code[3] = "lock add %eax, (%rdx)";
  CodeFacts renamed = pair.Hot(pair.now_code);
  renamed.function = "Warm()";
  renamed.texts = code;
  Pair::Put(renamed, kLocked, 0.2, 1);
  pair.now_code.functions.erase({"Hot()", "app"});
  pair.now_code.functions[{"Warm()", "app"}] = renamed;
  for (Baseline& run : pair.now) run.functions[4].function = "Warm()";
  EXPECT_EQ(pair.First(), "proved atomic");
  // Of another file it is another function.
  pair.now_code.functions[{"Warm()", "app"}].source = "/src/warm.cpp";
  EXPECT_EQ(pair.GradeOfKind("atomic"), "none");
}

TEST(FindCauses, ThreadsThatWaitAsLongAsTheRunAreNoCause) {
  Pair pair;
  ForAll(pair.then, [](RunDetails& details) {
    details.wall_seconds = 0.6;
    details.waits = {{"condition", "futex", "Idle()", "app", "", 0, 0.6}};
  });
  ForAll(pair.now, [](RunDetails& details) {
    details.wall_seconds = 1.2;
    details.waits = {{"condition", "futex", "Idle()", "app", "", 0, 1.2}};
  });
  EXPECT_EQ(pair.GradeOfKind("wait"), "none");
  // A futex of a runtime's own is not known to be a wait for something.
  ForAll(pair.now, [](RunDetails& details) {
    details.waits.push_back({"futex", "futex", "park()", "app", "", 0, 3});
  });
  EXPECT_EQ(pair.GradeOfKind("wait"), "seen");
}

TEST(FindCauses, ThreadsThatHandOverAtEachStep) {
  Pair pair;
  for (Baseline& run : pair.now) {
    run = Pair::Run(0.2, static_cast<int>(&run - pair.now.data()), 1);
    run.details.system_seconds = 0.4;
    run.details.waits = {{"condition", "futex", "Next()", "app", "/s/a.cpp", 7, 0.02}};
    run.details.facts.voluntary_switches = 30'000;
  }
  EXPECT_EQ(pair.First(), "likely wait");
  ForAll(pair.now, [](RunDetails& details) { details.facts.voluntary_switches = 100; });
  EXPECT_EQ(pair.GradeOfKind("wait"), "none");
}

TEST(FindCauses, LibraryCodeByClosedLists) {
  Pair pair;
  ForAll(pair.then, [](RunDetails& details) { details.sources = {{"Hot()", "app", 0.33, 0}}; });
  ForAll(pair.now, [](RunDetails& details) {
    details.sources = {{"Hot()", "app", 0.25, 0}, {"_int_malloc", "libc.so.6", 0.25, 0}};
  });
  EXPECT_EQ(pair.First(), "proved allocation");
  // It was there before and grew.
  ForAll(pair.then, [](RunDetails& details) {
    details.sources.push_back({"_int_malloc", "libc.so.6", 0.12, 0});
  });
  EXPECT_EQ(pair.GradeOfKind("allocation"), "likely");
}

TEST(FindCauses, WaitsNeedNoCode) {
  Pair pair;
  for (Baseline& run : pair.now) {
    run = Pair::Run(0.2, static_cast<int>(&run - pair.now.data()), 1);
    run.details.waits = {{"other-call", "fsync", "Save()", "app", "/src/save.cpp", 24, 0.5}};
  }
  EXPECT_EQ(pair.First(false), "proved fsync");
  EXPECT_THAT(CauseSentence(pair.Find(false).causes[0]),
              HasSubstr("blocked in fsync, most in Save() save.cpp:24: 0 s in A, 500 ms in B"));
  ForAll(pair.now, [](RunDetails& details) {
    details.waits[0].call = "futex";
    details.waits[0].kind = "mutex";
  });
  EXPECT_EQ(pair.First(false), "proved lock");
}

TEST(FindCauses, KernelTimeIsAtMostLikely) {
  Pair pair;
  for (Baseline& run : pair.now) {
    run = Pair::Run(0.2, static_cast<int>(&run - pair.now.data()), 1);
    run.details.system_seconds = 0.2;
    run.details.facts.write_calls = 100'000;
    run.details.facts.written_bytes = 1e6;
  }
  ForAll(pair.then, [](RunDetails& details) {
    details.facts.write_calls = 250;
    details.facts.written_bytes = 1e6;
  });
  EXPECT_EQ(pair.First(), "likely write-calls");
  // Ten times the bytes in small calls that A did not have, and in large ones.
  ForAll(pair.now, [](RunDetails& details) { details.facts.written_bytes = 1e7; });
  EXPECT_THAT(pair.Find().causes[0].fact, HasSubstr("of 100 bytes each"));
  ForAll(pair.now, [](RunDetails& details) { details.facts.written_bytes = 1e9; });
  EXPECT_EQ(pair.GradeOfKind("write-calls"), "none");
}

TEST(FindCauses, PageFaultsAndHugePages) {
  Pair pair;
  ForAll(pair.then, [](RunDetails& details) {
    details.facts.max_resident_bytes = 256e6;
    details.facts.minor_faults = 600;
  });
  ForAll(pair.now, [](RunDetails& details) {
    details.facts.max_resident_bytes = 256e6;
    details.facts.minor_faults = 62'000;
  });
  EXPECT_EQ(pair.GradeOfKind("huge-pages"), "likely");
  // Twice the memory with the same pages.
  ForAll(pair.then, [](RunDetails& details) {
    details.facts.minor_faults = 30'000;
    details.facts.max_resident_bytes = 128e6;
  });
  EXPECT_EQ(pair.GradeOfKind("huge-pages"), "none");
  EXPECT_EQ(pair.GradeOfKind("page-faults"), "seen");
}

TEST(FindCauses, LibrariesAndVariants) {
  Pair pair;
  for (Baseline& run : pair.then)
    run.functions[4] = {"Pack()", "libpack.so", run.functions[4].shares};
  for (Baseline& run : pair.now)
    run.functions[4] = {"Pack()", "libpack.so", run.functions[4].shares};
  for (Baseline& run : pair.then) run.builds.push_back({"libpack.so", "1111111111"});
  for (Baseline& run : pair.now) run.builds.push_back({"libpack.so", "2222222222"});
  EXPECT_EQ(pair.First(), "proved library");
  Pair variant;
  for (Baseline& run : variant.then)
    run.functions[4] = {"__memmove_avx_unaligned_erms", "libc.so.6", run.functions[4].shares};
  for (Baseline& run : variant.now)
    run.functions[4] = {"__memmove_ssse3", "libc.so.6", run.functions[4].shares};
  EXPECT_EQ(variant.First(), "proved libc-variant");
}

TEST(FindCauses, InputMustGrowWithTheFunctions) {
  Pair pair;
  pair.Hot(pair.now_code).texts = pair.Hot(pair.then_code).texts;
  ForAll(pair.then, [](RunDetails& details) { details.facts.surroundings["input:/a"] = "1000"; });
  ForAll(pair.now, [](RunDetails& details) { details.facts.surroundings["input:/b"] = "2000"; });
  EXPECT_EQ(pair.First(), "likely input");
  ForAll(pair.now, [](RunDetails& details) { details.facts.surroundings["input:/b"] = "9000"; });
  EXPECT_EQ(pair.GradeOfKind("input"), "seen");
}

TEST(FindCauses, ValuesOfVariablesAreNotTold) {
  Pair pair;
  ForAll(pair.now, [](RunDetails& details) { details.facts.surroundings["env:HOME"] = "#2"; });
  const ChangeCauses causes = pair.Find();
  const auto it = std::find_if(causes.causes.begin(), causes.causes.end(), [](const auto& cause) {
    return cause.kind == ChangeCauseKind::kSurroundings;
  });
  ASSERT_NE(it, causes.causes.end());
  EXPECT_EQ(it->fact, "environment: other values of HOME");
  // Hashes of another machine say nothing.
  ForAll(pair.now, [](RunDetails& details) { details.facts.surroundings["key"] = "2"; });
  for (const ChangeCause& cause : pair.Find().causes) {
    EXPECT_NE(cause.fact, "environment: other values of HOME");
  }
}

TEST(FindCauses, WithoutCodeNoCauseOfTheCodeIsNamed) {
  Pair pair;
  Pair::Put(pair.Hot(pair.now_code), kDivides, 0.18, 1);
  const ChangeCauses causes = pair.Find(false);
  EXPECT_TRUE(causes.is_slower);
  for (const ChangeCause& cause : causes.causes) EXPECT_EQ(cause.grade, CauseGrade::kSeen);
  EXPECT_THAT(NoCauseWords(causes), HasSubstr("no cause found"));
  EXPECT_THAT(NoCauseWords(causes), HasSubstr("code of A"));
}

TEST(FindCauses, NoGradeIsAboveItsKind) {
  EXPECT_EQ(HighestOf(ChangeCauseKind::kOptimisation), CauseGrade::kLikely);
  EXPECT_EQ(HighestOf(ChangeCauseKind::kSurroundings), CauseGrade::kSeen);
}

TEST(FindCauses, SidesHaveTheNamesOfTheCommand) {
  Pair pair;
  Pair::Put(pair.Hot(pair.now_code), kDivides, 0.18, 1);
  const ChangeCauses causes = FindCauses(CompareRuns(pair.now, pair.then), pair.now, pair.then,
                                         &pair.now_code, &pair.then_code, {"B", "A"});
  EXPECT_EQ(causes.causes[0].fact, "divisions: 0 in its code in B, 1 in A");
}

}  // namespace
}  // namespace csink::report
