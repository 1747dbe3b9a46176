#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/counting/presets/definition_use.h"
#include "core/counting/presets/preset_columns.h"
#include "tests/core/counting/presets/table_helpers.h"

namespace csink {
namespace {

using testing::HasSubstr;
using Kind = DefineFailure::Kind;

PresetRequest Request(std::string name, std::vector<std::string> bases) {
  PresetRequest request;
  request.name = std::move(name);
  request.derivation = bases.size() > 1 ? Derivation::kAdd : Derivation::kNotDerived;
  request.bases = std::move(bases);
  return request;
}

/// Knows the natives of Skylake, whose names have one letter here, but X.
bool KnowsAllButX(std::string_view name, std::string& why, void*) {
  const std::size_t pmu = name.find("::");
  if (pmu != std::string_view::npos && name.find('X', pmu) == std::string_view::npos) return true;
  why = "no " + std::string(name);
  return false;
}

TEST(DefineAll, DefinesEveryEventAndTellsTheirCodes) {
  const auto table = PresetTable::Load(Skylake());
  const PresetRequest requests[] = {Request("A", {"N"}), Request("B", {"A", "perf::F"}),
                                    Request("PAPI_TOT_CYC", {"M"})};
  DefineFailure failure;
  std::vector<std::uint32_t> codes;
  ASSERT_TRUE(table->DefineAll(requests, true, failure, &codes)) << failure.sentence;
  EXPECT_EQ(codes, (std::vector<std::uint32_t>{0xC0000000, 0xC0000001, 0x8000003B}));
  EXPECT_EQ(Show(*table, "B"), "skx::N perf::F | N0|N1|+|");
  EXPECT_EQ(Show(*table, "PAPI_TOT_CYC"), "skx::M | ");
}

TEST(DefineAll, OfOneBadEventDefinesNone) {
  PresetOptions options = Skylake();
  options.knows_native = KnowsAllButX;
  const auto table = PresetTable::Load(std::move(options));
  const std::string cycles = Show(*table, "PAPI_TOT_CYC");
  struct {
    PresetRequest bad;
    Kind kind;
    PresetColumn column;
    std::size_t native;
  } const cases[] = {
      {Request("", {"N"}), Kind::kInvalid, PresetColumn::kName, 0},
      {Request("B A", {"N"}), Kind::kInvalid, PresetColumn::kName, 0},
      {Request("B", {"N", "M,O"}), Kind::kInvalid, PresetColumn::kNative, 1},
      {Request("B", {}), Kind::kInvalid, PresetColumn::kName, 0},
      {Request("B", {"N", "X"}), Kind::kInvalid, PresetColumn::kNative, 1},
      {Request("B", {"PAPI_TOT_CYX"}), Kind::kInvalid, PresetColumn::kNative, 0},
      {Request("B", {"N", "PAPI_CSR_TOT"}), Kind::kInvalid, PresetColumn::kNative, 1},
      {Request("PAPI_TOT_CYC", {}), Kind::kInvalid, PresetColumn::kName, 0},
  };
  for (const auto& c : cases) {
    const PresetRequest requests[] = {Request("GOOD", {"N"}), Request("PAPI_TOT_CYC", {"N"}), c.bad,
                                      Request("LATER", {"N"})};
    DefineFailure failure;
    std::vector<std::uint32_t> codes;
    EXPECT_FALSE(table->DefineAll(requests, true, failure, &codes)) << c.bad.name;
    EXPECT_EQ(failure.kind, c.kind) << failure.sentence;
    EXPECT_EQ(failure.request, 2u) << failure.sentence;
    EXPECT_EQ(failure.column, static_cast<std::size_t>(c.column) + c.native) << failure.sentence;
    EXPECT_FALSE(failure.sentence.empty());
    EXPECT_TRUE(codes.empty());
    EXPECT_EQ(table->UserEventCount(), 0u);
    EXPECT_EQ(Show(*table, "PAPI_TOT_CYC"), cycles);
  }
}

TEST(DefineAll, RefusesTheNameOfANativeEvent) {
  PresetOptions options = Skylake();
  options.knows_native = KnowsAllButX;
  const auto table = PresetTable::Load(std::move(options));
  for (const bool replace : {false, true}) {
    const PresetRequest requests[] = {Request("GOOD", {"N"}), Request("perf::F", {"N"})};
    DefineFailure failure;
    EXPECT_FALSE(table->DefineAll(requests, replace, failure));
    EXPECT_EQ(failure.kind, Kind::kInvalid);
    EXPECT_EQ(failure.request, 1u);
    EXPECT_EQ(failure.column, static_cast<std::size_t>(PresetColumn::kName));
    EXPECT_THAT(failure.sentence, HasSubstr("\"perf::F\" is a native event"));
    EXPECT_EQ(table->UserEventCount(), 0u);
  }
}

TEST(DefineAll, ReplacesOnlyWhereThatWasAskedFor) {
  const auto table = PresetTable::Load(Skylake());
  DefineFailure failure;
  const PresetRequest fresh[] = {Request("A", {"N"}), Request("PAPI_CSR_TOT", {"N"})};
  EXPECT_TRUE(table->DefineAll(fresh, false, failure)) << "neither had a definition";
  EXPECT_FALSE(table->DefineAll(fresh, false, failure));
  EXPECT_EQ(failure.kind, Kind::kExists);
  EXPECT_TRUE(table->DefineAll(fresh, true, failure));
  const PresetRequest twice[] = {Request("T", {"N"}), Request("T", {"M"})};
  EXPECT_FALSE(table->DefineAll(twice, false, failure));
  EXPECT_EQ(failure.kind, Kind::kExists);
  EXPECT_EQ(failure.request, 1u);
  EXPECT_EQ(table->CodeOf("T"), 0u);
  ASSERT_TRUE(table->DefineAll(twice, true, failure));
  EXPECT_EQ(Show(*table, "T"), "skx::M | ") << "the last one wins";
}

TEST(DefineAll, LetsAPresetThatDoesNotCountHaveNoNatives) {
  PresetOptions options = Skylake();
  bool counts = false;
  options.can_count = [](std::string_view, void* answer) { return *static_cast<bool*>(answer); };
  options.can_count_context = &counts;
  const auto without = PresetTable::Load(options);
  DefineFailure failure;
  const PresetRequest request = Request("PAPI_TOT_CYC", {});
  EXPECT_TRUE(without->DefineAll({&request, 1}, false, failure));
  EXPECT_NE(Show(*without, "PAPI_TOT_CYC"), "-") << "its definition stays";
  counts = true;
  const auto with = PresetTable::Load(options);
  EXPECT_FALSE(with->DefineAll({&request, 1}, true, failure));
}

TEST(DefineAll, LeavesAloneWhatIsInUse) {
  const auto table = PresetTable::Load(Skylake());
  DefineFailure failure;
  const PresetRequest request = Request("A", {"N"});
  ASSERT_TRUE(table->DefineAll({&request, 1}, false, failure));
  {
    const DefinitionUse use(ByName(*table, "A"));
    DefinitionUse copy = use;
    const DefinitionUse moved = std::move(copy);
    EXPECT_FALSE(table->DefineAll({&request, 1}, true, failure));
    EXPECT_EQ(failure.kind, Kind::kInUse);
    EXPECT_TRUE(moved);
  }
  EXPECT_FALSE(ByName(*table, "A")->in_use());
  EXPECT_TRUE(table->DefineAll({&request, 1}, true, failure));
}

TEST(DefinitionUse, ThatRestsLetsTheEventBeDefinedAnew) {
  const auto table = PresetTable::Load(Skylake());
  DefineFailure failure;
  const PresetRequest request = Request("A", {"N"});
  ASSERT_TRUE(table->DefineAll({&request, 1}, false, failure));
  const PresetDefinition* first = ByName(*table, "A");
  {
    DefinitionUse use(first);
    use.Suspend();
    use.Suspend();
    EXPECT_FALSE(first->in_use());
    DefinitionUse copy = use;
    use.Resume();
    use.Resume();
    EXPECT_TRUE(first->in_use());
    copy = use;
    use.Suspend();
    EXPECT_TRUE(first->in_use()) << "the copy does not rest";
    copy = DefinitionUse();
    EXPECT_FALSE(first->in_use());
    EXPECT_TRUE(table->DefineAll({&request, 1}, true, failure)) << failure.sentence;
    EXPECT_EQ(use.get(), first);
    EXPECT_NE(use.get(), ByName(*table, "A"));
  }
  EXPECT_FALSE(first->in_use());
}

TEST(DefineAll, DefinesNoneWhenNotAllHaveRoom) {
  const auto table = PresetTable::Load(Skylake());
  DefineFailure failure;
  std::vector<PresetRequest> requests;
  for (std::size_t i = 0; i + 1 < kMaxUserEvents; ++i) {
    requests.push_back(Request("U" + std::to_string(i), {"N"}));
  }
  ASSERT_TRUE(table->DefineAll(requests, false, failure)) << failure.sentence;
  const PresetRequest two[] = {Request("V", {"N"}), Request("W", {"N"})};
  EXPECT_FALSE(table->DefineAll(two, false, failure));
  EXPECT_EQ(failure.kind, Kind::kFull);
  EXPECT_EQ(table->CodeOf("V"), 0u);
  EXPECT_TRUE(table->DefineAll({two, 1}, false, failure)) << "one has room";
  EXPECT_TRUE(table->DefineAll(requests, true, failure)) << "these have theirs";
}

TEST(DefineAll, FindsNativesOfOtherPmusByTheirOwnName) {
  PresetOptions options = Skylake();
  options.knows_native = [](std::string_view name, std::string&, void*) {
    return name == "CPU-CLOCK" || name == "skx::N";
  };
  const auto table = PresetTable::Load(std::move(options));
  DefineFailure failure;
  const PresetRequest requests[] = {Request("A", {"CPU-CLOCK"}), Request("B", {"N"})};
  ASSERT_TRUE(table->DefineAll(requests, false, failure)) << failure.sentence;
  EXPECT_EQ(Show(*table, "A"), "CPU-CLOCK | ");
  EXPECT_EQ(Show(*table, "B"), "skx::N | ");
}

TEST(LoadUserEvents, OfAMalformedFileUsesNothing) {
  const auto table = PresetTable::Load(Skylake());
  const TemporaryFile file("EVENT,GOOD,NOT_DERIVED,A\nEVENT,BAD,NOT_DRIVED,A\n");
  EXPECT_EQ(table->LoadUserEvents(file.path()).error().code, Errc::kInvalid);
  EXPECT_EQ(table->UserEventCount(), 0u);
  EXPECT_THAT(table->Complaints().front(), HasSubstr(":2:11: \"NOT_DRIVED\" is not a derivation"));
}

TEST(LoadUserEvents, TakesTheFormatOfPapi35Too) {
  const auto table = PresetTable::Load(Skylake());
  const TemporaryFile file(
      "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n"
      "U,DERIVED_ADD,,s,l,n,A,perf::B\n");
  EXPECT_EQ(*table->LoadUserEvents(file.path()), 1u);
  EXPECT_EQ(Show(*table, "U"), "skx::A perf::B | N0|N1|+|");
  const TemporaryFile bad("name,derived\nV,NOT_DERIVED,,,,,A\nW,NOT_DERIVED,,,,,A,B\n");
  EXPECT_EQ(table->LoadUserEvents(bad.path()).error().code, Errc::kInvalid);
  EXPECT_EQ(table->CodeOf("V"), 0u);
  EXPECT_THAT(table->Complaints().front(), HasSubstr(":3:21: W: NOT_DERIVED needs 1 event"));
}

TEST(ReadPresetColumns, LetsAPresetWithoutNativesPass) {
  ComplaintList complaints;
  const auto lines =
      ReadPresetColumns("f.csv", "PAPI_L1_DCM,NOT_DERIVED,,\"a\",\"b\",\n", complaints);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].request.bases.empty());
  EXPECT_EQ(complaints.count(), 0u);
  EXPECT_TRUE(ReadPresetColumns("f.csv", "EVENT,A,NOT_DERIVED,B\n", complaints).empty());
  EXPECT_THAT(complaints.Sentences().back(), HasSubstr("f.csv:1:1: \"EVENT\" begins a line in "));
}

TEST(ReadPresetColumns, SaysAtWhichByteALineIsWrong) {
  struct {
    const char* line;
    const char* where;
  } const cases[] = {
      {"  A,NOT_DERIVED,,s,\"l,n,B", "f.csv:1:20: the quoted text"},
      {"A,NOT_DERIVED,,\"s\"t,l,n,B", "f.csv:1:19: a comma must follow"},
      {" A,DERIVED_AD,,s,l,n,B", "f.csv:1:4: \"DERIVED_AD\""},
      {"A,NOT_DERIVED,,s\x01,l,n,B", "f.csv:1:17: the line contains a control character"},
      {"A", "f.csv:1:1: \"A\" needs seven columns"},
  };
  for (const auto& c : cases) {
    ComplaintList complaints;
    EXPECT_TRUE(ReadPresetColumns("f.csv", c.line, complaints).empty());
    ASSERT_EQ(complaints.count(), 1u) << c.line;
    EXPECT_THAT(complaints.Sentences().front(), HasSubstr(c.where));
  }
}

}  // namespace
}  // namespace csink
