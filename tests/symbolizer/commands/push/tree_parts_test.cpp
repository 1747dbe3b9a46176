#include "symbolizer/commands/push/tree_parts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "profil/inside/spool/small_writer.h"
#include "profil/reading/model/difference.h"
#include "symbolizer/commands/load/spool_files.h"
#include "tests/fakes/spool_builder.h"

namespace csink::tool {
namespace {

using csink::testing::SetText;
using csink::testing::SpoolBuilder;

/// A tree's folder. Processes whose number is this process's run; others do not.
class TreePartsTest : public ::testing::Test {
 protected:
  TreePartsTest() {
    char folder[] = "/tmp/csink-parts-XXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~TreePartsTest() override { std::filesystem::remove_all(folder_); }

  static constexpr std::uint32_t kEnded = 0x7ffffff0;  ///< A number that no process has

  SpoolBuilder Program(std::uint32_t pid, std::uint64_t samples, std::uint32_t generation = 0) {
    SpoolBuilder b;
    const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
    b.AddHits(app, 1, 0x401000, samples);
    b.header().pid = pid;
    b.header().exec_generation = generation;
    b.header().start_monotonic_ns = 1000 + generation;
    b.header().end = spool::End::kExit;
    b.header().process_start_ticks = StartTicks(static_cast<std::uint32_t>(getpid())).value_or(0);
    char host[64] = {};
    gethostname(host, sizeof host - 1);
    SetText(b.header().host, host);
    return b;
  }
  SpoolBuilder Running(std::uint64_t samples, std::uint32_t generation = 0) {
    SpoolBuilder b = Program(static_cast<std::uint32_t>(getpid()), samples, generation);
    b.header().state = spool::State::kLive;
    b.header().end = spool::End::kUnknown;
    return b;
  }
  void Record(std::uint32_t pid, std::uint64_t start_ns, std::uint32_t hits,
              spool::End end = spool::End::kExit) {
    alignas(8) static unsigned char buffer[spool::kMaxSmallBytes];
    SmallRecordWriter writer(buffer, sizeof buffer);
    writer.Begin(spool::SmallKind::kProcess);
    spool::SmallProcess p = {};
    p.pid = pid;
    p.start_monotonic_ns = start_ns;
    p.end = end;
    p.event_count = 1;
    p.region_count = 1;
    p.hit_count = hits;
    writer.Put(&p, sizeof p);
    spool::EventColumn column = {};
    std::memcpy(column.name, "task-clock:u", 13);
    column.kind = EventClass::kClock;
    column.period = 1'000'003;
    writer.Put(&column, sizeof column);
    spool::SmallRegion region = {};
    region.start = 0x400000;
    region.end = 0x500000;
    region.path_bytes = 8;
    writer.Put(&region, sizeof region);
    for (std::uint32_t i = 0; i < hits; ++i) {
      const spool::SmallHit hit = {0x401000, 1'000'003, 0, 0};
      writer.Put(&hit, sizeof hit);
    }
    for (const char* text : {"host", "app", "/bin/app", "app", "/", "ring", ""}) {
      writer.Put(text, std::strlen(text) + 1);
    }
    writer.PutText("/bin/app");
    ASSERT_TRUE(writer.Append((folder_ + "/" + spool::kSmallFileName).c_str()));
  }

  /// Samples and processes of the part since the last one.
  struct Part {
    std::uint64_t samples = 0;
    std::size_t processes = 0;
    std::size_t read = 0;  ///< Processes that were read for it
    bool operator==(const Part&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Part& part) {
      return out << part.samples << " samples, " << part.processes << " processes, " << part.read
                 << " read";
    }
  };
  Part Next(bool is_taken = true) {
    Growth growth = parts_.Read(MergeOptions{});
    const std::size_t read = growth.now.processes.size();
    Profile part = Since(std::move(growth.now), open_);
    DropUnsampled(part);
    if (is_taken) {
      open_ = std::move(growth.open);
      parts_.Taken();
    }
    return {part.events.empty() ? 0 : part.events[0].samples, part.processes.size(), read};
  }

  std::string folder_;
  TreeParts parts_{""};
  Profile open_;

  void SetUp() override { parts_ = TreeParts(folder_); }
};

TEST_F(TreePartsTest, AnEndedProcessIsReadUntilItWasSent) {
  Program(kEnded, 30).Write(folder_);
  EXPECT_EQ(Next(false), (Part{30, 1, 1}));
  Program(kEnded + 1, 5).Write(folder_);
  EXPECT_EQ(Next(false), (Part{35, 2, 2}));
  EXPECT_EQ(Next(), (Part{35, 2, 2}));
  EXPECT_EQ(Next(), (Part{0, 0, 0}));
  Program(kEnded + 2, 7).Write(folder_);
  EXPECT_EQ(Next(), (Part{7, 1, 1}));
}

TEST_F(TreePartsTest, ARunningProcessSendsItsGrowth) {
  Running(30).Write(folder_);
  EXPECT_EQ(Next(), (Part{30, 1, 1}));
  EXPECT_EQ(Next(), (Part{0, 0, 1}));
  Running(42).Write(folder_);
  EXPECT_EQ(Next(false), (Part{12, 1, 1}));
  SpoolBuilder last = Running(50);
  last.header().state = spool::State::kComplete;
  last.header().end = spool::End::kExit;
  last.Write(folder_);
  EXPECT_EQ(Next(), (Part{20, 1, 1}));
  EXPECT_EQ(Next(), (Part{0, 0, 0}));
}

TEST_F(TreePartsTest, AKilledProcessIsFinal) {
  SpoolBuilder killed = Program(kEnded, 30);
  killed.header().state = spool::State::kLive;
  killed.Write(folder_);
  EXPECT_EQ(Next(), (Part{30, 1, 1}));
  EXPECT_EQ(Next(), (Part{0, 0, 0}));
}

TEST_F(TreePartsTest, AProcessOfAnotherMachineMayGrow) {
  SpoolBuilder other = Program(kEnded, 30);
  other.header().state = spool::State::kLive;
  SetText(other.header().host, "elsewhere");
  other.Write(folder_);
  EXPECT_EQ(Next(), (Part{30, 1, 1}));
  other.AddHits(0, 1, 0x401000, 3);
  other.Write(folder_);
  EXPECT_EQ(Next(), (Part{3, 1, 1}));
}

TEST_F(TreePartsTest, AnExecIsFinalWhenTheNextImageIsThere) {
  SpoolBuilder first = Running(30);
  first.header().state = spool::State::kComplete;
  first.header().end = spool::End::kExec;
  first.Write(folder_);
  EXPECT_EQ(Next(), (Part{30, 1, 1}));
  // The exec has failed.
  SpoolBuilder again = Running(33);
  again.header().state = spool::State::kComplete;
  again.header().end = spool::End::kExec;
  again.Write(folder_);
  EXPECT_EQ(Next(), (Part{3, 1, 1}));
  Running(4, 1).Write(folder_);
  EXPECT_EQ(Next(), (Part{4, 1, 2}));
  EXPECT_EQ(Next(), (Part{0, 0, 1}));
}

TEST_F(TreePartsTest, ARecordIsReadOnce) {
  // The figure: 10,000 ended processes.
  for (std::uint32_t i = 0; i < 10'000; ++i) Record(kEnded - 1 - i, 5, 2);
  EXPECT_EQ(Next(false), (Part{20'000, 10'000, 10'000}));
  EXPECT_EQ(Next(), (Part{20'000, 10'000, 10'000}));
  EXPECT_EQ(Next(), (Part{0, 0, 0}));
  Record(kEnded, 5, 3);
  EXPECT_EQ(Next(), (Part{3, 1, 1}));
}

TEST_F(TreePartsTest, ALaterRecordOfAnImageCountsInsteadOfTheEarlierOne) {
  const auto own = static_cast<std::uint32_t>(getpid());
  Record(own, 1000, 2, spool::End::kExec);
  EXPECT_EQ(Next(), (Part{2, 1, 1}));
  EXPECT_EQ(Next(), (Part{0, 0, 1}));
  Record(own, 1000, 5, spool::End::kExec);
  EXPECT_EQ(Next(), (Part{3, 1, 1}));
  // A record of the next image: the exec has succeeded.
  Record(own, 2000, 4);
  EXPECT_EQ(Next(), (Part{4, 1, 2}));
  EXPECT_EQ(Next(), (Part{0, 0, 0}));
}

TEST_F(TreePartsTest, ASpoolCountsInsteadOfARecordOfItsImage) {
  const auto own = static_cast<std::uint32_t>(getpid());
  SpoolBuilder spool = Running(30);
  SetText(spool.header().host, "host");  // As in the record
  Record(own, 1000, 2, spool::End::kExec);
  EXPECT_EQ(Next(), (Part{2, 1, 1}));
  spool.Write(folder_);
  const Part part = Next();
  EXPECT_EQ(part.samples, 28u);
  EXPECT_EQ(part.read, 1u);
}

TEST_F(TreePartsTest, LeavesOutWhatIsNotReadable) {
  std::ofstream(folder_ + "/app.host.1.2.0.csink") << "garbage";
  std::ofstream(folder_ + "/app.host.2.2.0.csink");
  std::ofstream(folder_ + "/" + spool::kSmallFileName) << "garbage";
  std::filesystem::create_symlink("/dev/zero", folder_ + "/app.host.3.2.0.csink");
  EXPECT_EQ(Next(), (Part{0, 0, 0}));
  Program(kEnded, 30).Write(folder_);
  EXPECT_EQ(Next(), (Part{30, 1, 1}));
  std::filesystem::remove_all(folder_);
  EXPECT_EQ(Next(), (Part{0, 0, 0}));
}

}  // namespace
}  // namespace csink::tool
