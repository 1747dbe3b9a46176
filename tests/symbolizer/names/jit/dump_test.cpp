#include "symbolizer/names/jit/dump.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "symbolizer/names/resolve/resolver.h"

namespace csink::symbolizer {
namespace {

/// Writes a dump as jitdump-specification.txt says, field by field.
class DumpWriter {
 public:
  explicit DumpWriter(std::uint32_t pid = 77) {
    Put<std::uint32_t>(0x4a695444);
    Put<std::uint32_t>(1);
    Put<std::uint32_t>(40);
    Put<std::uint32_t>(62);  // EM_X86_64
    Put<std::uint32_t>(0);
    Put<std::uint32_t>(pid);
    Put<std::uint64_t>(0);
    Put<std::uint64_t>(0);
  }
  void Load(std::uint64_t at, const std::string& code, std::uint64_t index,
            const std::string& name) {
    Prefix(0, static_cast<std::uint32_t>(40 + name.size() + 1 + code.size()));
    Put<std::uint32_t>(77);
    Put<std::uint32_t>(78);
    for (const std::uint64_t field : {at, at, std::uint64_t{code.size()}, index}) Put(field);
    bytes += name + '\0' + code;
  }
  void Move(std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint64_t index) {
    Prefix(1, 48);
    Put<std::uint32_t>(77);
    Put<std::uint32_t>(78);
    for (const std::uint64_t field : {to, from, to, size, index}) Put(field);
  }
  struct Row {
    std::uint64_t at;
    std::uint32_t line;
    std::string file;
  };
  void Lines(std::uint64_t at, const std::vector<Row>& rows) {
    std::uint32_t size = 16;
    for (const Row& row : rows) size += 16 + static_cast<std::uint32_t>(row.file.size()) + 1;
    Prefix(2, size);
    Put(at);
    Put<std::uint64_t>(rows.size());
    for (const Row& row : rows) {
      Put(row.at);
      Put(row.line);
      Put<std::uint32_t>(0);
      bytes += row.file + '\0';
    }
  }
  void Close() { Prefix(3, 0); }
  Result<JitDump> Read() const {
    Buffer copy(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return JitDump::Read(ObjectBytes::FromMemory(std::move(copy)));
  }

  std::string bytes;

 private:
  template <class T>
  void Put(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Prefix(std::uint32_t id, std::uint32_t body) {
    Put(id);
    Put<std::uint32_t>(16 + body);
    Put<std::uint64_t>(5);
  }
};

TEST(JitDump, NamesFirstAndLastByteOfAFunction) {
  DumpWriter writer;
  writer.Load(0x1000, std::string(16, 'x'), 1, "first");
  writer.Load(0x1010, std::string(16, 'y'), 2, "second");
  const auto dump = writer.Read();
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->pid(), 77u);
  const auto matches = dump->Find({0xfff, 0x1000, 0x100f, 0x1010, 0x101f, 0x1020});
  const char* const names[] = {"", "first", "first", "second", "second", ""};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(matches[i].name, names[i]) << i;
  EXPECT_EQ(matches[4].start, 0x1010u);
}

TEST(JitDump, TheNewestFunctionOfAnAddressWins) {
  DumpWriter writer;
  writer.Load(0x1000, std::string(64, 'x'), 1, "old");
  writer.Load(0x1010, std::string(16, 'y'), 2, "new");
  const auto matches = writer.Read()->Find({0x1000, 0x1010, 0x1020});
  EXPECT_EQ(matches[0].name, "old");
  EXPECT_EQ(matches[1].name, "new");
  EXPECT_EQ(matches[2].name, "old");
}

TEST(JitDump, FollowsCodeThatMoved) {
  DumpWriter writer;
  writer.Lines(0x1000, {{0x1000, 5, "a.js"}, {0x1008, 6, "a.js"}});
  writer.Load(0x1000, std::string(16, 'x'), 7, "moved");
  writer.Move(0x1000, 0x9000, 16, 7);
  const auto matches = writer.Read()->Find({0x1000, 0x9008});
  EXPECT_EQ(matches[1].name, "moved");
  EXPECT_EQ(matches[1].start, 0x9000u);
  EXPECT_EQ(matches[1].line, 6u);
}

TEST(JitDump, KnowsLinesAndFilesThatStandForTheOneBefore) {
  DumpWriter writer;
  writer.Lines(0x1000, {{0x1000, 10, "a.js"}, {0x1004, 11, "\xff"}, {0x1008, 3, "b.js"}});
  writer.Load(0x1000, std::string(16, 'x'), 1, "f");
  writer.Load(0x2000, std::string(16, 'x'), 2, "without lines");
  const auto matches = writer.Read()->Find({0x1003, 0x1007, 0x100f, 0x2000});
  EXPECT_EQ(matches[0].line, 10u);
  EXPECT_EQ(matches[1].line, 11u);
  EXPECT_EQ(matches[1].file, "a.js");
  EXPECT_EQ(matches[2].file, "b.js");
  EXPECT_EQ(matches[3].line, 0u);
  EXPECT_EQ(matches[3].file, "");
}

TEST(JitDump, TakesBackTheHeaderThatV8AddsToAddresses) {
  DumpWriter writer;
  writer.Lines(0x1000, {{0x1040, 10, "a.js"}, {0x1048, 11, "a.js"}});
  writer.Load(0x1000, std::string(16, 'x'), 1, "f");
  const auto matches = writer.Read()->Find({0x1000, 0x1009});
  EXPECT_EQ(matches[0].line, 10u);
  EXPECT_EQ(matches[1].line, 11u);
}

TEST(JitDump, EndsAtARecordThatIsCutOff) {
  DumpWriter writer;
  writer.Load(0x1000, std::string(16, 'x'), 1, "whole");
  writer.Load(0x2000, std::string(16, 'x'), 2, "cut");
  writer.bytes.pop_back();
  const auto matches = writer.Read()->Find({0x1000, 0x2000});
  EXPECT_EQ(matches[0].name, "whole");
  EXPECT_EQ(matches[1].name, "");
}

TEST(JitDump, RefusesWhatIsNone) {
  EXPECT_EQ(DumpWriter().Read()->size(), 0u);
  DumpWriter other;
  other.bytes[4] = 2;
  EXPECT_EQ(other.Read().error().code, Errc::kUnsupported);
  other.bytes[0] = 'x';
  EXPECT_EQ(other.Read().error().code, Errc::kCorrupt);
  other.bytes.resize(20);
  EXPECT_FALSE(other.Read());
}

/// A dump below a root of its own.
class JitDumpFile : public ::testing::Test {
 protected:
  JitDumpFile() {
    char name[] = "/tmp/csink-jit-XXXXXX";
    root_ = ::mkdtemp(name);
    ::mkdir((root_ + "/tmp").c_str(), 0755);
    request_.is_anonymous = true;
    request_.region_start = 0x1000;
    request_.owner = {77, ::getuid(), 0};
    request_.jit_dumps = {"/tmp/jit-77.dump"};
    request_.file_offsets = {0x1004, 0x1014, 0x1024};
    options_.root = root_;
  }
  ~JitDumpFile() override {
    ::unlink((root_ + "/tmp/jit-77.dump").c_str());
    ::unlink((root_ + "/tmp/perf-77.map").c_str());
    ::rmdir((root_ + "/tmp").c_str());
    ::rmdir(root_.c_str());
  }
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(root_ + "/tmp/" + name, std::ios::binary) << bytes;
  }

  std::string root_;
  ModuleRequest request_;
  Options options_;
};

TEST_F(JitDumpFile, NamesAnonymousCodeBeforeThePerfMapDoes) {
  DumpWriter writer;
  writer.Lines(0x1000, {{0x1000, 12, "work.js"}});
  writer.Load(0x1000, std::string(16, 'x'), 1, "_ZN3jit4workEv");
  Write("jit-77.dump", writer.bytes);
  Write("perf-77.map", "1000 20 from the map\n");
  const auto answer = ResolveModule(request_, options_);
  EXPECT_EQ(answer.locations[0].function, "jit::work()");
  EXPECT_EQ(answer.locations[0].line, 12u);
  EXPECT_EQ(answer.locations[0].file, "work.js");
  EXPECT_EQ(answer.locations[1].function, "from the map");
  EXPECT_EQ(answer.locations[2].source, NameSource::kNone);
  EXPECT_TRUE(answer.has_lines);
  EXPECT_EQ(answer.debug_file, "/tmp/jit-77.dump");
}

TEST_F(JitDumpFile, OfAnotherProcessIsRefused) {
  DumpWriter writer(78);
  writer.Load(0x1000, std::string(16, 'x'), 1, "f");
  Write("jit-77.dump", writer.bytes);
  const auto answer = ResolveModule(request_, options_);
  EXPECT_EQ(answer.locations[0].source, NameSource::kNone);
  EXPECT_NE(answer.problem.find("belongs to another process"), std::string::npos) << answer.problem;
}

TEST_F(JitDumpFile, OlderThanTheProcessIsRefused) {
  DumpWriter writer;
  writer.Load(0x1000, std::string(16, 'x'), 1, "f");
  Write("jit-77.dump", writer.bytes);
  request_.owner.began_realtime_ns = std::uint64_t{4} << 61;
  const auto answer = ResolveModule(request_, options_);
  EXPECT_EQ(answer.locations[0].source, NameSource::kNone);
  EXPECT_NE(answer.problem.find("older"), std::string::npos) << answer.problem;
}

}  // namespace
}  // namespace csink::symbolizer
