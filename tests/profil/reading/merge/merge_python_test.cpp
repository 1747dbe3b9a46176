#include "profil/reading/merge/merge_python.h"

#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/model/difference.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using testing::SpoolBuilder;

spool::Spool Parse(std::vector<std::byte> bytes) {
  auto spool = spool::ParseSpool(std::move(bytes));
  EXPECT_TRUE(spool);
  return std::move(*spool);
}

/// A process whose samples are in `run`: `loop` in the interpreter's loop, `in_c` in C below it,
/// and 3 outside of Python. `before`: functions of the spool before `run`.
SpoolBuilder Process(std::uint32_t pid, std::uint64_t loop, std::uint64_t in_c, int before = 0) {
  SpoolBuilder b;
  b.header().pid = pid;
  b.header().start_realtime_ns += pid;
  const auto app = b.AddRegion({.path = "/bin/python", .start = 0x1000, .end = 0x9000});
  for (int i = 0; i < before; ++i) b.AddPythonCode("other" + std::to_string(i), "/a/x.py");
  const auto run = b.AddPythonCode("run", "/a/run.py", "table", 3);
  // main called the loop, which called f.
  const auto main = b.AddChain(0, app, 0x1100);
  const auto eval = b.AddChain(main, app, 0x2000);
  const auto leaf = b.AddChain(main, spool::kNone, spool::PythonPc(run, 8), spool::kChainPython);
  const auto below =
      b.AddChain(eval, spool::kNone, spool::PythonPc(run, 12),
                 spool::kChainPython | spool::kChainInC | (1u << spool::kChainCallersShift));
  b.AddHitsAt(app, 1, 0x2100, loop, leaf);
  b.AddHitsAt(app, 1, 0x3000, in_c, below);
  b.AddHits(app, 1, 0x4000, 3);
  spool::PythonStateRecord state{};
  state.version = 0x030b02f0;
  state.named = loop + in_c;
  state.cut = 3;
  b.AddPythonState(state);
  return b;
}

Profile Merge(const std::vector<SpoolBuilder>& processes, MergeOptions options) {
  ProfileMerger merger(options);
  for (const SpoolBuilder& process : processes) {
    merger.Add(Parse(process.Build()), ProcessState::kComplete, "x");
  }
  return merger.Finish();
}

/// The samples of a Python function, by instruction.
std::uint64_t SamplesOf(const Profile& profile, const std::string& name,
                        std::uint32_t instruction) {
  std::uint64_t samples = 0;
  for (const Place& place : profile.places) {
    if (!profile.modules[place.address.module].is_python) continue;
    const auto& function = profile.python_functions[spool::PythonCodeOf(place.address.offset)];
    if (function.name == name && static_cast<std::uint32_t>(place.address.offset) == instruction) {
      samples += place.counts[0].samples;
    }
  }
  return samples;
}

TEST(MergePython, PutsSamplesIntoTheirFunctions) {
  const Profile profile = Merge({Process(1, 5, 7), Process(2, 50, 70, 4)}, {});
  EXPECT_EQ(SamplesOf(profile, "run", 8), 55u);
  EXPECT_EQ(SamplesOf(profile, "run", 12), 77u);
  std::uint64_t native = 0;
  for (const Place& place : profile.places) {
    if (place.native.module != kNoModule) {
      EXPECT_EQ(place.native.offset, 0x2000u);  // 0x3000 of the file mapped at 0x1000
      native += place.counts[0].samples;
    }
  }
  EXPECT_EQ(native, 77u);
  EXPECT_EQ(profile.events[0].samples, 138u);
  // No stacks were recorded for a report without callers.
  EXPECT_TRUE(profile.callers.empty());
  EXPECT_EQ(profile.python.versions, std::vector<std::uint32_t>{0x030b02f0});
  EXPECT_EQ(profile.python.named, 132u);
  EXPECT_EQ(profile.python.cut, 6u);
}

TEST(MergePython, LeavesTheInterpretersOwnCallersOut) {
  const Profile profile = Merge({Process(1, 5, 7)}, {.keep_callers = true});
  for (const Place& place : profile.places) {
    if (!profile.modules[place.address.module].is_python) continue;
    // Both begin at the loop's caller, with the functions between it and this one not known.
    ASSERT_NE(place.caller, 0u);
    const Caller& unknown = profile.callers[place.caller];
    EXPECT_EQ(spool::PythonCodeOf(unknown.address.offset), kUnknownPythonCallers);
    ASSERT_NE(unknown.parent, 0u);
    EXPECT_EQ(profile.callers[unknown.parent].address.offset, 0x100u);
    EXPECT_EQ(profile.callers[unknown.parent].parent, 0u);
  }
}

TEST(MergePython, ShowsMachineCodeWhereAsked) {
  const Profile profile =
      Merge({Process(1, 5, 7)}, {.keep_callers = true, .python = PythonView::kNative});
  ASSERT_EQ(profile.modules.size(), 1u);
  ASSERT_EQ(profile.places.size(), 3u);
  EXPECT_EQ(profile.places[0].address.offset, 0x1100u);
  EXPECT_EQ(profile.places[1].address.offset, 0x2000u);
  EXPECT_EQ(profile.callers[profile.places[1].caller].address.offset, 0x1000u);
}

TEST(MergePython, AMergedFileHasBothPlaces) {
  const Profile sum = Merge({Process(1, 5, 7), Process(2, 50, 70, 2)},
                            {.keep_callers = true, .python = PythonView::kAsStored});
  const auto file = BuildMergedFile(sum);
  ASSERT_TRUE(file);
  ProfileMerger functions;
  functions.Add(Parse(*file), ProcessState::kComplete, "m");
  const Profile again = functions.Finish();
  EXPECT_EQ(SamplesOf(again, "run", 8), 55u);
  EXPECT_EQ(SamplesOf(again, "run", 12), 77u);
  EXPECT_EQ(again.python.named, 132u);
  EXPECT_EQ(again.python_functions[0].lines, "table");
  ProfileMerger native({.python = PythonView::kNative});
  native.Add(Parse(*file), ProcessState::kComplete, "m");
  EXPECT_EQ(native.Finish().places.size(), 3u);
}

TEST(MergePython, AFileOfTheFunctionsAloneIsReadAgain) {
  const auto file = BuildMergedFile(Merge({Process(1, 5, 7, 3)}, {}));
  ASSERT_TRUE(file);
  ProfileMerger merger;
  merger.Add(Parse(Process(9, 1, 0, 1).Build()), ProcessState::kComplete, "x");
  merger.Add(Parse(*file), ProcessState::kComplete, "m");
  const Profile profile = merger.Finish();
  EXPECT_EQ(SamplesOf(profile, "run", 8), 6u);
  EXPECT_EQ(SamplesOf(profile, "run", 12), 7u);
}

TEST(MergePython, ADifferenceMatchesFunctionsByName) {
  const Profile before = Merge({Process(1, 5, 7, 2)}, {});
  const Profile now = Since(Merge({Process(1, 15, 27, 0)}, {}), before);
  EXPECT_EQ(SamplesOf(now, "run", 8), 10u);
  EXPECT_EQ(SamplesOf(now, "run", 12), 20u);
}

TEST(MergePython, AFunctionThatIsMissingLeavesTheMachineCode) {
  SpoolBuilder b = Process(1, 5, 7);
  const auto wrong = b.AddChain(0, spool::kNone, spool::PythonPc(99, 8), spool::kChainPython);
  b.AddHitsAt(0, 1, 0x5000, 11, wrong);
  const spool::Spool spool = Parse(b.Build());
  EXPECT_FALSE(spool.problems.empty());
  for (const PythonView view :
       {PythonView::kFunctions, PythonView::kNative, PythonView::kAsStored}) {
    ProfileMerger merger({.keep_callers = true, .python = view});
    merger.Add(spool, ProcessState::kComplete, "x");
    const Profile profile = merger.Finish();
    std::uint64_t there = 0;
    for (const Place& place : profile.places) {
      if (place.address.offset == 0x4000 && place.address.module == 0) {
        there += place.counts[0].samples;
      }
    }
    EXPECT_EQ(there, 11u);
  }
}

}  // namespace
}  // namespace csink
