#include "symbolizer/report/text/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "symbolizer/report/verdict/wall_time.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

EventTotals Event(spool::Skid skid, std::uint32_t precise = 0,
                  spool::PreciseBy by = spool::PreciseBy::kNothing, std::uint32_t refusal = 0) {
  EventTotals event;
  event.name = "cycles:u";
  event.skid = skid;
  event.precise_ip = precise;
  event.precise_asked = 3;
  event.precise_errno = refusal;
  event.precise_by = by;
  return event;
}

TEST(Precision, SaysWhatWasGotAndWhyNotMore) {
  using spool::PreciseBy;
  using spool::Skid;
  EXPECT_EQ(PrecisionNote(Event(Skid::kExact, 3, PreciseBy::kPebs)),
            ", exact (PEBS, precise_ip 3)");
  EXPECT_EQ(
      PrecisionNote(Event(Skid::kNextInstruction, 1, PreciseBy::kPebs, EOPNOTSUPP)),
      ", at the next instruction (PEBS, precise_ip 1; precise_ip 2 was refused: Operation not "
      "supported)");
  EXPECT_EQ(PrecisionNote(Event(Skid::kInterrupt, 0, PreciseBy::kNothing, EINVAL)),
            ", with skid (precise_ip 1 was refused: Invalid argument)");
  EXPECT_EQ(PrecisionNote(Event(Skid::kInterrupt)), ", with skid");
  EXPECT_EQ(PrecisionNote(Event(Skid::kTimer)), "");
  EXPECT_THAT(PrecisionText(Event(Skid::kExact, 2, PreciseBy::kIbs)),
              StartsWith("exact (IBS, precise_ip 2): "));
  EXPECT_THAT(PrecisionText(Event(Skid::kExact, 0, PreciseBy::kSpe)), StartsWith("exact: "));
  EXPECT_THAT(PrecisionText(Event(Skid::kTimer)), StartsWith("clock: "));
  EXPECT_THAT(PrecisionText(Event(Skid::kTick)), StartsWith("tick: "));
}

TEST(Precision, SpeaksOnceOfEventsThatAreAlike) {
  Profile profile;
  profile.events = {Event(spool::Skid::kInterrupt), Event(spool::Skid::kInterrupt),
                    Event(spool::Skid::kTimer), Event(spool::Skid::kUnknown)};
  profile.events[1].name = "instructions:u";
  profile.events[2].name = "task-clock:u";
  const std::string text = WritePrecision(profile, {}, "precision  ");
  EXPECT_THAT(text, StartsWith("precision  cycles:u, instructions:u skid: "));
  EXPECT_THAT(text, HasSubstr("\n           task-clock:u clock: "));
  EXPECT_THAT(text, Not(HasSubstr("not known")));
}

TEST(SkidNote, IsOfEventsThatSlip) {
  Profile profile;
  profile.events = {Event(spool::Skid::kExact, 3)};
  EXPECT_EQ(SkidNote(profile), "");
  profile.events.push_back(Event(spool::Skid::kTimer));
  EXPECT_THAT(SkidNote(profile), HasSubstr("the instruction after the one that took the time"));
  EXPECT_THAT(SkidNote(profile), Not(HasSubstr("or later")));
  profile.events.push_back(Event(spool::Skid::kInterrupt));
  EXPECT_THAT(SkidNote(profile), HasSubstr("or later"));
}

TEST(Precision, TheLeastPreciseProcessSpeaksForAll) {
  ProfileMerger merger;
  for (const std::uint32_t precise : {3u, 0u}) {
    SpoolBuilder builder;
    builder.event(0).precise_ip = precise;
    builder.event(0).precise_asked = 3;
    builder.event(0).precise_errno = precise == 3 ? 0 : EOPNOTSUPP;
    builder.event(0).precise_by =
        precise == 3 ? spool::PreciseBy::kPebs : spool::PreciseBy::kNothing;
    builder.event(0).skid = precise == 3 ? spool::Skid::kExact : spool::Skid::kInterrupt;
    AddTo(merger, builder);
  }
  const Profile profile = merger.Finish();
  ASSERT_THAT(profile.events, SizeIs(1));
  EXPECT_EQ(PrecisionNote(profile.events[0]),
            ", with skid (precise_ip 1 was refused: Operation not supported)");
}

/// A process of so many threads; times in seconds.
Profile WallProfile(double wall, double cpu, double start_cpu, std::uint32_t threads) {
  const auto ns = [](double s) { return static_cast<std::uint64_t>(s * 1e9); };
  Profile profile;
  ProcessRow process;
  process.pid = 10;
  process.program = "app";
  process.start_monotonic_ns = 1000;
  process.update_monotonic_ns = 1000 + ns(wall);
  process.user_ns = ns(cpu);
  process.start_user_ns = ns(start_cpu);
  process.threads_seen = threads;
  profile.processes.push_back(process);
  return profile;
}

TEST(WallOffCpu, IsWallLessTheMainThreadsCpuTime) {
  const auto rows = WallOffCpu(WallProfile(3.4, 3.2, 0.1, 1));
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_NEAR(rows[0].on_cpu_seconds, 3.1, 1e-6);
  EXPECT_NEAR(rows[0].off_cpu_seconds, 0.3, 1e-6);
  // Clocks that were read at different times do not make it negative.
  EXPECT_EQ(WallOffCpu(WallProfile(1.0, 1.2, 0, 1)).at(0).off_cpu_seconds, 0);
}

TEST(WallOffCpu, WithThreadsNeedsTheMainThreadsOwnClock) {
  Profile profile = WallProfile(2, 6, 0, 4);
  EXPECT_THAT(WallOffCpu(profile), IsEmpty());
  ThreadRow worker;
  worker.tid = 11;
  worker.cpu_ns = 1'900'000'000;
  profile.threads.push_back(worker);
  EXPECT_THAT(WallOffCpu(profile), IsEmpty());
  ThreadRow main;
  main.tid = 10;
  main.cpu_ns = 500'000'000;
  profile.threads.push_back(main);
  const auto rows = WallOffCpu(profile);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_NEAR(rows[0].off_cpu_seconds, 1.5, 1e-6);
}

TEST(WallLine, IsSilentAboutLittle) {
  EXPECT_EQ(WallLine(WallOffCpu(WallProfile(3.4, 3.2, 0, 1))), "");
  EXPECT_EQ(WallLine(WallOffCpu(WallProfile(0.05, 0.01, 0, 1))), "");
  EXPECT_EQ(
      WallLine(WallOffCpu(WallProfile(4, 1, 0, 1))),
      "the main thread was not on a CPU for 3 s (75.0%) of 4 s of wall time: the thread waited, or "
      "no core was free");
  Profile two = WallProfile(4, 1, 0, 1);
  two.processes.push_back(two.processes[0]);
  two.processes[1].pid = 20;
  two.processes[1].user_ns = 0;
  EXPECT_EQ(WallLine(WallOffCpu(two)),
            "the main thread of app (pid 20) was not on a CPU for 4 s (100.0%) of 4 s of wall "
            "time: the thread waited, or no core was free; the same for 1 more process");
}

}  // namespace
}  // namespace csink::report
