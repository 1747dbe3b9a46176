#include "agent/attach/process_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "profil/reading/reader/reader.h"
#include "tests/agent/attach/made_proc.h"

namespace csink::attach {
namespace {

using ::testing::IsEmpty;
using testing::MadeProc;

constexpr pid_t kPid = 700;
constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kBegin = 5'000 * kMs;
const char kMaps[] =
    "400000-401000 r--p 00000000 08:01 11                   /usr/bin/app\n"
    "401000-405000 r-xp 00001000 08:01 11                   /usr/bin/app\n"
    "7f0000000000-7f0000010000 r-xp 00002000 08:01 12       /usr/lib/libwork.so (deleted)\n";

/// An image of a process in a made /proc, whose CPU time passes as the test says.
class ProcessImageTest : public ::testing::Test {
 protected:
  ProcessImageTest() {
    surroundings_.proc = proc_.root();
    surroundings_.folder = proc_.root() + "/spools";
    std::filesystem::create_directory(surroundings_.folder);
    chmod(surroundings_.folder.c_str(), 0700);
    spool::Header& header = surroundings_.header;
    header.source = spool::Source::kRing;
    header.event_count = 1;
    std::strcpy(header.events[0].name, "task-clock:u");
    header.events[0].kind = EventClass::kClock;
    header.events[0].period = kMs;
    header.start_realtime_ns = 1'000'000 * kMs;
    header.start_monotonic_ns = kBegin;
    proc_.Write(kPid, "maps", kMaps);
    proc_.Write(kPid, "cmdline", std::string("./app\0-x\0", 9));
    proc_.Write(kPid, "status", "Uid:\t1000\t1000\t1000\t1000\n");
    proc_.Link(kPid, "exe", "/usr/bin/app");
    proc_.Link(kPid, "cwd", "/home/user");
    Pass(100, 10);
    Run(kPid, 0);
  }
  /// The process has used so much; in clock ticks of 10 ms.
  void Pass(unsigned user_ticks, unsigned system_ticks) {
    proc_.Write(kPid, "stat", MadeProc::Stat(kPid, "app", 'S', 0, user_ticks, system_ticks));
  }
  /// The thread has run so much.
  void Run(pid_t tid, std::uint64_t run_ns) {
    proc_.Write(kPid, "task/" + std::to_string(tid) + "/schedstat",
                std::to_string(run_ns) + " 3000 4\n");
  }
  TaskTimes TimesOf(pid_t tid) { return *ReadTaskTimes(proc_.FolderOf(kPid), tid); }
  ProcessStat StatNow() { return *ReadProcessStat(proc_.FolderOf(kPid)); }
  /// As Session::AttachTo begins.
  void Begin(ProcessImage& image) {
    image.ReadFacts();
    EXPECT_TRUE(image.ReadMaps());
    const ProcessStat stat = StatNow();
    image.SetStart(stat.user_ns, stat.system_ns, kBegin);
    const TaskTimes times = TimesOf(kPid);
    image.AddThread(kPid, true, "main", &times, kBegin);
  }
  static void Take(ProcessImage& image, std::uint64_t pc, int times = 1, pid_t tid = kPid) {
    ProcessImage::Sample sample;
    sample.tid = tid;
    sample.pc = pc;
    sample.weight = kMs;
    for (int i = 0; i < times; ++i) image.OnSample(sample);
  }
  /// The process has ended, or is left.
  void End(ProcessImage& image, spool::End end = spool::End::kExit, unsigned detail = 0) {
    const ProcessStat stat = StatNow();
    Finish(image, end, detail, &stat);
  }
  static void Finish(ProcessImage& image, spool::End end, unsigned detail,
                     const ProcessStat* stat) {
    image.ReadThreadTimes(kBegin + 1'000 * kMs);
    image.Finish(end, detail, stat, /*times_are_known=*/stat != nullptr, kBegin + 1'000 * kMs,
                 2 * kMs);
  }
  static spool::Spool ReadBack(const ProcessImage& image) {
    auto spool = spool::ReadSpoolFile(image.spool_path());
    EXPECT_TRUE(spool) << image.spool_path();
    if (!spool) return {};
    EXPECT_THAT(spool->problems, IsEmpty());
    return std::move(*spool);
  }
  std::size_t Files() const {
    const std::filesystem::directory_iterator files(surroundings_.folder);
    return static_cast<std::size_t>(std::distance(files, {}));
  }
  /// Samples with this PC.
  static std::uint64_t At(const spool::Spool& spool, std::uint64_t pc) {
    std::uint64_t samples = 0;
    for (const spool::Hit& hit : spool.hits) {
      if (hit.pc == pc) samples += spool.CountsOf(hit)[0].samples;
    }
    return samples;
  }
  static std::uint64_t WeightOf(const spool::Spool& spool) {
    std::uint64_t weight = 0;
    for (const spool::Hit& hit : spool.hits) weight += spool.CountsOf(hit)[0].weight;
    return weight;
  }

  MadeProc proc_;
  Surroundings surroundings_;
};

TEST_F(ProcessImageTest, WithoutASampleThereIsNoFile) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  End(image);
  EXPECT_FALSE(image.has_spool());
  EXPECT_EQ(Files(), 0u);
}

TEST_F(ProcessImageTest, SamplesHaveTheirPlaces) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x401100, 3);
  Take(image, 0x7f0000000040, 2);
  Take(image, 0x999000);
  Run(kPid, 6 * kMs);
  End(image, spool::End::kExit, 3);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(spool.header.state, spool::State::kComplete);
  EXPECT_EQ(spool.header.end, spool::End::kExit);
  EXPECT_EQ(spool.header.end_detail, 3u);
  EXPECT_EQ(At(spool, 0x401100), 3u);
  EXPECT_EQ(At(spool, 0x7f0000000040), 2u);
  for (const spool::Hit& hit : spool.hits) {
    if (hit.pc != 0x401100 && hit.pc != 0x7f0000000040) continue;
    ASSERT_LT(hit.region, spool.regions.size());
    const spool::Region& region = spool.regions[hit.region];
    const bool program = hit.pc == 0x401100;
    EXPECT_EQ(region.path, program ? "/usr/bin/app" : "/usr/lib/libwork.so");
    EXPECT_EQ(region.file_offset, program ? 0x1000u : 0x2000u);
    EXPECT_EQ(region.inode, program ? 11u : 12u);
  }
  EXPECT_EQ(spool.header.events[0].samples, 6u);
  EXPECT_EQ(spool.header.events[0].weight, 6 * kMs);
  EXPECT_EQ(spool.header.events[0].unplaced, 0u);
}

TEST_F(ProcessImageTest, NamesOfTheProcess) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x401100);
  End(image);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(spool.header.pid, 700u);
  EXPECT_EQ(spool.header.parent_pid, 42u);
  EXPECT_EQ(spool.header.process_start_ticks, 9876u);
  EXPECT_EQ(spool.header.uid, 1000u);
  EXPECT_STREQ(spool.header.program, "app");
  EXPECT_STREQ(spool.header.executable, "/usr/bin/app");
  EXPECT_STREQ(spool.header.command, "./app -x");
  EXPECT_STREQ(spool.header.working_directory, "/home/user");
  ASSERT_EQ(spool.threads.size(), 2u);  // and the merged one
  EXPECT_EQ(spool.threads[1].tid, 700u);
  EXPECT_EQ(spool.threads[1].name, "main");
}

TEST_F(ProcessImageTest, ItsIdentityIsTheStartOfTheProcess) {
  proc_.Write(kPid, "status", "Uid:\t1000\t1000\t1000\t1000\nNSpid:\t700\t3\n");
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x401100);
  const std::uint64_t start = StartRealtimeNs(StatNow());
  End(image);
  const spool::Spool spool = ReadBack(image);
  // And not the attaching: a JIT may have written its map long before.
  EXPECT_NEAR(static_cast<double>(spool.header.image_realtime_ns), static_cast<double>(start), 1e9);
  EXPECT_EQ(spool.header.namespace_pid, 3u);
  // An image whose exec was seen begins then: maps of the image before are not its own.
  ProcessImage next(surroundings_, kPid, 1);
  next.Continue(image, kBegin + 300 * kMs);
  next.ReadFacts();
  Take(next, 0x401100);
  Finish(next, spool::End::kExit, 0, nullptr);
  EXPECT_EQ(ReadBack(next).header.image_realtime_ns,
            surroundings_.header.start_realtime_ns + 300 * kMs);
}

TEST_F(ProcessImageTest, TextThatWasMovedToMemoryIsTheFiles) {
  proc_.Write(kPid, "maps",
              "400000-401000 r--p 00000000 08:01 11                   /usr/bin/app\n"
              "401000-402000 r-xp 00001000 08:01 11                   /usr/bin/app\n"
              "402000-403000 r-xp 00000000 00:00 0 \n"
              "403000-404000 r-xp 00003000 08:01 11                   /usr/bin/app\n");
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x402100, 2);
  // Moved while it is attached: the kernel's record is of memory without a file.
  proc_.Write(kPid, "maps",
              "400000-401000 r--p 00000000 08:01 11                   /usr/bin/app\n"
              "401000-403000 r-xp 00000000 00:00 0 \n"
              "403000-404000 r-xp 00003000 08:01 11                   /usr/bin/app\n");
  RegionIndex::Mapping moved;
  moved.start = 0x401000;
  moved.end = 0x403000;
  image.AddMapping(moved);
  Take(image, 0x401100, 3);
  // Other memory stays memory.
  moved.start = 0x501000;
  moved.end = 0x502000;
  image.AddMapping(moved);
  Take(image, 0x501000);
  End(image);
  const spool::Spool spool = ReadBack(image);
  for (const spool::Hit& hit : spool.hits) {
    ASSERT_LT(hit.region, spool.regions.size());
    const spool::Region& region = spool.regions[hit.region];
    EXPECT_EQ(region.path, hit.pc < 0x500000 ? "/usr/bin/app" : "");
    if (hit.pc >= 0x500000) continue;
    EXPECT_EQ(hit.pc - region.start + region.file_offset, hit.pc - 0x400000);
  }
  EXPECT_EQ(At(spool, 0x402100), 2u);
  EXPECT_EQ(At(spool, 0x401100), 3u);
}

TEST_F(ProcessImageTest, TimeBeforeTheAttachingIsNotInTheReport) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);  // 1 s of user time, 0.1 s of system time
  Take(image, 0x401100, 50);
  Pass(105, 12);
  Run(kPid, 50 * kMs);
  End(image);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(spool.header.user_ns - spool.header.start_user_ns, 50 * kMs);
  EXPECT_EQ(spool.header.system_ns - spool.header.start_system_ns, 20 * kMs);
  EXPECT_EQ(spool.header.start_monotonic_ns, kBegin);
  EXPECT_EQ(spool.header.agent_ns, 2 * kMs);
}

TEST_F(ProcessImageTest, TheRemainderOfALastPeriodIsAdded) {
  surroundings_.system_is_sampled = true;  // all of the thread's time is sampled
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x401100, 4);
  Run(kPid, 4 * kMs + 700'000);
  End(image);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(WeightOf(spool), 4 * kMs + 700'000);
  EXPECT_EQ(spool.header.events[0].weight, 4 * kMs + 700'000);
  EXPECT_EQ(spool.threads[1].cpu_ns, 4 * kMs + 700'000);
}

TEST_F(ProcessImageTest, TheRemainderIsLessThanAPeriod) {
  surroundings_.system_is_sampled = true;
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x401100, 4);
  Pass(109, 10);
  Run(kPid, 90 * kMs);  // 86 ms without a sample: lost, not a remainder
  End(image);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(WeightOf(spool), 5 * kMs);
  const auto unexplained = static_cast<std::size_t>(spool::Loss::kUnexplained);
  EXPECT_EQ(spool.header.lost_ns[unexplained], 85 * kMs);
}

TEST_F(ProcessImageTest, AThreadWithoutEventsIsALossAndNoSample) {
  surroundings_.system_is_sampled = true;
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Run(701, 0);
  const TaskTimes times = TimesOf(701);
  image.AddThread(701, false, "refused", &times, kBegin);
  Take(image, 0x401100, 10);
  Pass(103, 10);
  Run(kPid, 10 * kMs);
  Run(701, 20 * kMs);
  End(image);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(spool.header.threads_seen, 2u);
  EXPECT_EQ(spool.header.threads_sampled, 1u);
  EXPECT_EQ(spool.header.lost_ns[static_cast<std::size_t>(spool::Loss::kNoRing)], 20 * kMs);
  EXPECT_EQ(spool.header.lost_ns[static_cast<std::size_t>(spool::Loss::kUnexplained)], 0u);
}

TEST_F(ProcessImageTest, AThreadThatEndsAndItsNumberGivenAgain) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  const TaskTimes none;
  image.AddThread(701, true, "first", &none, kBegin);
  EXPECT_EQ(image.live_threads(), 2u);
  Take(image, 0x401100, 2, 701);
  image.EndThread(701);
  EXPECT_FALSE(image.HasThread(701));
  image.AddThread(701, true, "second", &none, kBegin);
  image.NameThread(701, "renamed");
  Take(image, 0x401200, 1, 701);
  image.NameThread(701, "renamed again");
  End(image);
  const spool::Spool spool = ReadBack(image);
  ASSERT_EQ(spool.threads.size(), 3u);
  EXPECT_EQ(spool.threads[1].name, "first");
  EXPECT_TRUE(spool.threads[1].ended);
  EXPECT_EQ(spool.threads[2].name, "renamed again");
  EXPECT_EQ(spool.header.threads_seen, 3u);
}

TEST_F(ProcessImageTest, ANewMappingCoversAnOldOne) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x7f0000000040);
  RegionIndex::Mapping mapping;
  mapping.start = 0x7f0000000000;
  mapping.end = 0x7f0000010000;
  mapping.inode = 13;
  mapping.path = "/usr/lib/libnext.so";
  image.AddMapping(mapping);
  Take(image, 0x7f0000000080);
  End(image);
  const spool::Spool spool = ReadBack(image);
  for (const spool::Hit& hit : spool.hits) {
    ASSERT_LT(hit.region, spool.regions.size());
    EXPECT_EQ(spool.regions[hit.region].path,
              hit.pc == 0x7f0000000040 ? "/usr/lib/libwork.so" : "/usr/lib/libnext.so");
  }
  EXPECT_EQ(At(spool, 0x7f0000000080), 1u);
}

TEST_F(ProcessImageTest, AMappingWhoseRecordWasLostIsFoundInProc) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  proc_.Write(kPid, "maps",
              std::string(kMaps) +
                  "7f1000000000-7f1000001000 r-xp 00000000 08:01 14 /usr/lib/liblate.so\n");
  Take(image, 0x7f1000000010);
  End(image);
  const spool::Spool spool = ReadBack(image);
  ASSERT_EQ(spool.hits.size(), 1u);
  ASSERT_LT(spool.hits[0].region, spool.regions.size());
  EXPECT_EQ(spool.regions[spool.hits[0].region].path, "/usr/lib/liblate.so");
}

TEST_F(ProcessImageTest, AForkedChildHasItsParentsMappings) {
  ProcessImage parent(surroundings_, kPid, 0);
  Begin(parent);
  ProcessImage child(surroundings_, 702, 0);
  child.InheritFrom(parent);
  child.SetParent(kPid, parent.depth() + 1);
  child.SetStart(0, 0, kBegin);
  const TaskTimes none;
  child.AddThread(702, true, "child", &none, kBegin);
  Take(child, 0x401100, 2, 702);
  Finish(child, spool::End::kUnknown, 0, nullptr);
  const spool::Spool spool = ReadBack(child);
  EXPECT_EQ(spool.header.parent_pid, 700u);
  EXPECT_EQ(spool.header.depth, 1u);
  EXPECT_STREQ(spool.header.executable, "/usr/bin/app");
  // The thread's own time is not known: the remainder is half a period.
  EXPECT_EQ(WeightOf(spool), 2 * kMs + kMs / 2);
  EXPECT_GE(At(spool, 0x401100), 2u);
  // The process is gone: the samples say what it has used at least.
  EXPECT_GE(spool.header.user_ns - spool.header.start_user_ns, 2 * kMs);
}

TEST_F(ProcessImageTest, EarlierImagesCountForTheProcessAlone) {
  ProcessImage held(surroundings_, 702, 0);
  held.SetStart(0, 0, kBegin);
  held.SetEarlierImages(20 * kMs, 10 * kMs);
  ProcessImage image(surroundings_, 702, 0);
  image.Continue(held, kBegin);
  const TaskTimes none;
  image.AddThread(702, true, "app", &none, kBegin);
  Take(image, 0x401100, 2, 702);
  Finish(image, spool::End::kUnknown, 0, nullptr);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(spool.header.start_user_ns, 20 * kMs);
  EXPECT_EQ(spool.header.start_system_ns, 10 * kMs);
  EXPECT_GE(spool.header.user_ns, 22 * kMs);
  EXPECT_LT(spool.header.user_ns, 24 * kMs);
}

TEST_F(ProcessImageTest, CallersAreAChain) {
  surroundings_.stacks = true;
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  const std::uint64_t callers[] = {0x401200, 0x401300};
  ProcessImage::Sample sample;
  sample.tid = kPid;
  sample.pc = 0x401100;
  sample.weight = kMs;
  sample.callers = callers;
  sample.caller_count = 2;
  image.OnSample(sample);
  End(image);
  const spool::Spool spool = ReadBack(image);
  ASSERT_EQ(spool.hits.size(), 1u);
  const std::uint32_t inner = spool.hits[0].chain;
  ASSERT_GE(inner, 1u);
  ASSERT_LE(inner, spool.chains.size());
  EXPECT_EQ(spool.chains[inner - 1].pc, 0x401200u);
  const std::uint32_t outer = spool.chains[inner - 1].parent;
  ASSERT_GE(outer, 1u);
  EXPECT_EQ(spool.chains[outer - 1].pc, 0x401300u);
  EXPECT_EQ(spool.chains[outer - 1].parent, 0u);
}

TEST_F(ProcessImageTest, LostRecordsAndThrottling) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  Take(image, 0x401100);
  image.OnLost(0, 12);
  image.OnThrottled(0);
  End(image);
  const spool::Spool spool = ReadBack(image);
  EXPECT_EQ(spool.header.events[0].lost_records, 12u);
  EXPECT_EQ(spool.header.events[0].throttled, 1u);
  EXPECT_EQ(spool.header.lost_ns[static_cast<std::size_t>(spool::Loss::kBlockedDrain)], 12 * kMs);
}

TEST_F(ProcessImageTest, AProcessThatLoadsTheAgentIsNotSampledHere) {
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  RegionIndex::Mapping mapping;
  mapping.start = 0x7f2000000000;
  mapping.end = 0x7f2000001000;
  mapping.path = "/opt/lib/libagent.so";
  image.AddMapping(mapping);
  EXPECT_TRUE(image.has_agent());
  Take(image, 0x401100);
  EXPECT_FALSE(image.has_spool());
}

TEST_F(ProcessImageTest, AFolderWithoutPlaceIsSaidOnce) {
  surroundings_.folder = proc_.root() + "/none";
  ProcessImage image(surroundings_, kPid, 0);
  Begin(image);
  ::testing::internal::CaptureStderr();
  Take(image, 0x401100, 5);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_FALSE(image.has_spool());
  EXPECT_NE(said.find("the spool of process 700 cannot be created"), std::string::npos) << said;
  EXPECT_EQ(said.find("csink: warn"), said.rfind("csink: warn")) << said;
}

}  // namespace
}  // namespace csink::attach
