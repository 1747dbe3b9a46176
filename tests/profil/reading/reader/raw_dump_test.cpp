#include "profil/reading/reader/raw_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "profil/format/records.h"
#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

namespace csink::spool {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using testing::SpoolBuilder;
using ::testing::StartsWith;

SpoolBuilder KnownSpool() {
  SpoolBuilder builder;
  const auto app = builder.AddRegion({.path = "/usr/bin/app",
                                      .start = 0x401000,
                                      .end = 0x405000,
                                      .file_offset = 0x1000,
                                      .build_id = "\x01\x02\x03\x04"});
  const auto outer = builder.AddChain(0, app, 0x401100, kChainCut);
  const auto inner = builder.AddChain(outer, app, 0x401200);
  const auto mark = builder.AddPhase("lo\"ad\n", 5, 2, 7, 6);
  builder.AddHitsAt(app, 1, 0x401234, 3, inner, mark);
  builder.AddRoutine(0x401230, app, 12, 3'000'000);
  return builder;
}

std::vector<std::string> LinesOf(const std::vector<std::byte>& bytes) {
  std::vector<std::string> lines;
  const auto dumped = DumpSpool(bytes, [&](std::string_view line) {
    EXPECT_THAT(std::string(line), EndsWith("\n"));
    lines.emplace_back(line.substr(0, line.size() - 1));
    return true;
  });
  EXPECT_TRUE(dumped) << dumped.error().what;
  return lines;
}

/// The lines behind whose offset `begin` stands.
std::vector<std::string> LinesAt(const std::vector<std::string>& lines, const std::string& begin) {
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    const std::size_t at = line.find(' ');
    if (line.compare(at + 1, begin.size(), begin) == 0) found.push_back(line.substr(at + 1));
  }
  return found;
}

TEST(RawDump, PrintsTheFieldsOfEachRecordInTheOrderOfTheFile) {
  const auto bytes = KnownSpool().Build();
  const auto lines = LinesOf(bytes);

  // The first segment is that of the texts: 12 of a path, 6 of a mark, and one spare byte.
  EXPECT_EQ(lines[1],
            "0x2000 segment Strings 56 bytes: magic=0x47455343 kind=1 bytes=56 record_bytes=1 "
            "capacity=19 used=18");
  EXPECT_EQ(lines[2],
            "0x2038 segment Regions 224 bytes: magic=0x47455343 kind=2 bytes=224 record_bytes=96 "
            "capacity=2 used=1");
  EXPECT_EQ(lines[3],
            "0x2058 Regions[0] 96 bytes: start=0x401000 end=0x405000 file_offset=0x1000 inode=" +
                std::to_string(ParseSpool(bytes)->regions[0].inode) +
                " device_major=0x0 device_minor=0x0 path=0x2020+12 \"/usr/bin/app\" path_bytes=12 "
                "flags=0x0 load_sequence=1 build_id_bytes=4 build_id=[0x1 0x2 0x3 0x4] "
                "process_plus_one=0");
  EXPECT_THAT(
      lines,
      Contains(HasSubstr("Threads[1] 144 bytes: tid=4711 ended=0 name=\"app\" start_routine=0x0")));
  EXPECT_THAT(lines, Contains(EndsWith("Buckets[0] 40 bytes: owner=0x100000002 pc=0x401234 "
                                       "tag=0x8000000100000002 (region=0 thread=1 phase=1 chain=2) "
                                       "counts=[{samples=3 weight=3000009}]")));
  EXPECT_THAT(lines, Contains(EndsWith("Routines[0] 48 bytes: start_routine=0x401230 "
                                       "start_region=0 threads=12 cpu_ns=3000000")));
  // Ids as records have them: 0 is no phase and no chain.
  EXPECT_THAT(lines, Contains(EndsWith("Phases[1] 48 bytes: text=0x202c+6 \"lo\\\"ad\\x0a\" "
                                       "text_bytes=6 start_monotonic_ns=6 start_cpu_ns=5 marks=2 "
                                       "cpu_ns=7")));
  EXPECT_THAT(lines, Contains(EndsWith("Chains[1] 32 bytes: pc=0x401100 region=0 parent=0 "
                                       "flags=0x1")));
  EXPECT_THAT(lines, Contains(EndsWith("Chains[2] 32 bytes: pc=0x401200 region=0 parent=1 "
                                       "flags=0x0")));
  // The spare records of the segments are not records yet.
  EXPECT_THAT(LinesAt(lines, "Chains["), SizeIs(2));
  EXPECT_THAT(LinesAt(lines, "Buckets["), SizeIs(1));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("problem"))));
}

TEST(RawDump, PrintsEveryFieldOfTheHeaderOnALineOfItsOwn) {
  const auto header = LinesOf(KnownSpool().Build())[0];
  EXPECT_THAT(header, StartsWith("0x0 Header 8192 bytes\n  magic=\"CSINKSPL\"\n  version=1\n"));
  for (const FieldPlace& field : PlacesOf<Header>::kPlaces) {
    if (std::strncmp(field.name, "reserved", 8) == 0) continue;
    EXPECT_THAT(header, HasSubstr(std::string("\n  ") + field.name + "="));
  }
  EXPECT_THAT(header, HasSubstr("\n  pid=4711\n  parent_pid=4700\n"));
  EXPECT_THAT(header, HasSubstr("\n  wall={}\n"));
  EXPECT_THAT(header, HasSubstr("\n  events=[{name=\"task-clock:u\" kind="));
}

TEST(RawDump, PrintsTheCountsAndWhatIsBehindThemInAMergedFile) {
  ProfileMerger merger;
  for (const char* path : {"one", "two"}) {
    merger.Add(*ParseSpool(KnownSpool().Build()), ProcessState::kComplete, path);
  }
  const auto lines = LinesOf(*BuildMergedFile(merger.Finish()));
  const auto processes = LinesAt(lines, "Processes[");
  ASSERT_THAT(processes, SizeIs(2));
  EXPECT_THAT(processes[1], StartsWith("Processes[1] 560 bytes: spool_path=0x"));
  EXPECT_THAT(processes[1], HasSubstr("+3 \"two\" host=0x"));
  EXPECT_THAT(processes[1], HasSubstr(" pid=4711 "));
  EXPECT_THAT(processes[1],
              EndsWith("counts=[{samples=3 weight=3000009}] WallTotals={} Evidence={} "
                       "ProcessIdentity={image_realtime_ns=1700000000000000000 namespace_pid=4711} "
                       "ProcessFurther={}"));
  EXPECT_THAT(LinesAt(lines, "Buckets["), SizeIs(1));
}

TEST(RawDump, SaysWhereATornFileEndsAndWhatItCannotRead) {
  const auto whole = KnownSpool().Build();
  const auto complete = LinesOf(whole);
  // Cut in the middle of the last segment's last record.
  auto torn = whole;
  torn.resize(torn.size() - 40);
  auto lines = LinesOf(torn);
  EXPECT_EQ(lines[1], "0x0 problem: truncated: " + std::to_string(torn.size()) + " of " +
                          std::to_string(whole.size()) + " bytes exist");
  EXPECT_THAT(lines.back(), HasSubstr("problem: truncated: the last segment is incomplete"));
  EXPECT_THAT(LinesAt(lines, "Chains["), SizeIs(1));

  // A segment's magic that is damaged ends the file.
  auto damaged = whole;
  damaged[0x2038] = std::byte{0};
  lines = LinesOf(damaged);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[2], "0x2038 problem: a segment is damaged; the data after this segment is lost");

  // A kind that this version does not know is skipped.
  auto later = whole;
  later[0x2038 + offsetof(SegmentHeader, kind)] = std::byte{77};
  lines = LinesOf(later);
  EXPECT_THAT(lines[2], StartsWith("0x2038 segment of an unknown kind 224 bytes: magic="));
  EXPECT_THAT(lines[2], HasSubstr(" kind=77 "));
  EXPECT_THAT(lines, SizeIs(complete.size() - 1));
  EXPECT_THAT(LinesAt(lines, "Chains["), SizeIs(2));
}

TEST(RawDump, TextsOutsideOfTheFileAreNotRead) {
  auto bytes = KnownSpool().Build();
  const std::uint64_t far = ~std::uint64_t{0} - 4;
  std::memcpy(bytes.data() + 0x2058 + offsetof(RegionRecord, path), &far, sizeof far);
  EXPECT_THAT(LinesOf(bytes)[3], HasSubstr("path=0xfffffffffffffffb+12 (outside the file) "));
}

TEST(RawDump, RefusesWhatIsNoSpoolAndStopsWhenNoLineIsWanted) {
  const auto none = [](std::string_view) { return true; };
  EXPECT_EQ(DumpSpool({}, none).error().code, Errc::kNotFound);
  EXPECT_EQ(DumpSpool(std::vector<std::byte>(9000, std::byte{'x'}), none).error().code,
            Errc::kCorrupt);
  int lines = 0;
  EXPECT_TRUE(DumpSpool(KnownSpool().Build(), [&](std::string_view) { return ++lines < 3; }));
  EXPECT_EQ(lines, 3);
}

}  // namespace
}  // namespace csink::spool
