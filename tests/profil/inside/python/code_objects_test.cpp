#include "profil/inside/python/code_objects.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "tests/profil/spool_bytes.h"

// Objects of the layout of 3.11 in this process's own memory.

namespace csink {
namespace {

using testing::SpoolBytes;
using testing::TemporaryFolder;

constexpr std::uint32_t kVersion = 0x030b02f0;

class CodeObjectsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 256 * 1024;

  void SetUp() override {
    memory_ = static_cast<unsigned char*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory_, MAP_FAILED);
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_->Create(folder_.path(), "test", header));
    regions_->ReadMaps(*spool_);
    interpreter_.version = kVersion;
    interpreter_.layout = *PythonLayoutOf(kVersion);
    interpreter_.code_type = Address(types_);
    interpreter_.text_type = Address(types_ + 1);
    interpreter_.bytes_type = Address(types_ + 2);
    codes_ = new (calloc(1, sizeof(CodeObjects))) CodeObjects;
    codes_->Start(interpreter_);
  }
  void TearDown() override {
    free(codes_);
    munmap(memory_, kBytes);
  }

  static std::uint64_t Address(const void* object) {
    return reinterpret_cast<std::uint64_t>(object);
  }
  template <class T>
  void Put(std::uint64_t at, T value) {
    std::memcpy(reinterpret_cast<void*>(at), &value, sizeof value);
  }
  std::uint64_t Take(std::size_t bytes) {
    const std::uint64_t at = Address(memory_) + used_;
    used_ += (bytes + 15) / 16 * 16;
    return at;
  }
  // A string of characters of `kind` bytes.
  std::uint64_t Text(const std::string& bytes, unsigned kind = 1, bool ascii = true) {
    const PythonLayout& layout = interpreter_.layout;
    const std::uint64_t object = Take(layout.text_compact + bytes.size() + 8);
    Put(object + 8, interpreter_.text_type);
    Put(object + layout.text_length, bytes.size() / kind);
    Put(object + layout.text_state,
        static_cast<std::uint32_t>(kind << 2 | 1u << 5 | (ascii ? 1u << 6 : 0)));
    std::memcpy(reinterpret_cast<void*>(object + (ascii ? layout.text_ascii : layout.text_compact)),
                bytes.data(), bytes.size());
    return object;
  }
  std::uint64_t Bytes(const std::string& bytes) {
    const std::uint64_t object = Take(interpreter_.layout.bytes_data + bytes.size());
    Put(object + 8, interpreter_.bytes_type);
    Put(object + interpreter_.layout.bytes_length, bytes.size());
    std::memcpy(reinterpret_cast<void*>(object + interpreter_.layout.bytes_data), bytes.data(),
                bytes.size());
    return object;
  }
  // A code object; returns its first instruction.
  std::uint64_t Code(std::uint64_t name, std::uint64_t file, std::uint64_t units = 50,
                     std::int32_t line = 7) {
    const PythonLayout& layout = interpreter_.layout;
    const std::uint64_t lines = Bytes("table");
    const std::uint64_t object = Take(layout.code + 2 * units);
    Put(object + 8, interpreter_.code_type);
    Put(object + layout.code_units, units);
    Put(object + layout.first_line, line);
    Put(object + layout.name, name);
    Put(object + layout.file, file);
    Put(object + layout.lines, lines);
    return object + layout.code;
  }
  const CodeObjects::Code* Find(std::uint64_t address) {
    return codes_->Find(address, *regions_, *spool_);
  }
  std::vector<spool::PythonCodeRecord> Records() {
    return SpoolBytes(spool_->path())
        .Records<spool::PythonCodeRecord>(spool::SegmentKind::kPythonCode);
  }
  std::string TextOf(std::uint64_t at, std::uint32_t bytes) {
    std::ifstream file(spool_->path(), std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    std::string text(bytes, '\0');
    file.read(text.data(), bytes);
    return text;
  }

  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<RegionIndex> regions_ = std::make_unique<RegionIndex>();
  unsigned char* memory_ = nullptr;
  std::size_t used_ = 8192;  // a begin without objects
  PythonInterpreter interpreter_ = {};
  std::uint64_t types_[3] = {};
  CodeObjects* codes_ = nullptr;
};

TEST_F(CodeObjectsTest, AnInstructionLeadsToItsFunction) {
  const std::uint64_t begin = Code(Text("Work.run"), Text("/a/work.py"));
  const CodeObjects::Code* code = Find(begin + 40);
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->begin, begin);
  EXPECT_EQ(code->end, begin + 100);
  EXPECT_FALSE(code->is_shim);
  const auto records = Records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(TextOf(records[0].name, records[0].name_bytes), "Work.run");
  EXPECT_EQ(TextOf(records[0].file, records[0].file_bytes), "/a/work.py");
  EXPECT_EQ(TextOf(records[0].lines, records[0].lines_bytes), "table");
  EXPECT_EQ(records[0].first_line, 7u);
}

TEST_F(CodeObjectsTest, BothEndsBelongToIt) {
  const std::uint64_t begin = Code(Text("f"), Text("f.py"));
  EXPECT_NE(Find(begin), nullptr);
  EXPECT_NE(Find(begin + 100), nullptr);  // behind the last instruction
  EXPECT_EQ(Find(begin + 102), nullptr);
  EXPECT_EQ(Find(begin - 2), nullptr);
  EXPECT_EQ(Find(begin + 1), nullptr) << "instructions have even addresses";
}

TEST_F(CodeObjectsTest, ATableOfTypesIsNoCodeObject) {
  // Pointers to the type stand in tables, with other pointers around them.
  const std::uint64_t table = Take(4096);
  for (std::uint64_t i = 0; i < 4096; i += 8) Put(table + i, interpreter_.code_type);
  EXPECT_EQ(Find(table + 2048), nullptr);
  EXPECT_TRUE(Records().empty());
}

TEST_F(CodeObjectsTest, TextsOfAnotherTypeAreNoNames) {
  const std::uint64_t begin = Code(Bytes("f"), Text("f.py"));
  EXPECT_EQ(Find(begin + 10), nullptr);
}

TEST_F(CodeObjectsTest, AFarFunctionIsFoundAndAFartherOneIsNot) {
  const std::uint64_t begin = Code(Text("long"), Text("f.py"), 40'000);
  EXPECT_NE(Find(begin + 60'000), nullptr);
  const std::uint64_t other = Code(Text("longer"), Text("f.py"), 40'000);
  EXPECT_EQ(Find(other + 79'000), nullptr);
}

TEST_F(CodeObjectsTest, WhatWasFreedKeepsItsName) {
  const std::uint64_t begin = Code(Text("gone"), Text("f.py"));
  ASSERT_NE(Find(begin + 2), nullptr);
  std::memset(memory_, 0, kBytes);
  codes_->NextDrain();
  const CodeObjects::Code* code = Find(begin + 2);
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->id, 0u);
}

TEST_F(CodeObjectsTest, ANewFunctionInTheSamePlaceIsAnother) {
  const std::size_t before = used_;
  const std::uint64_t begin = Code(Text("old"), Text("f.py"));
  ASSERT_EQ(Find(begin + 2)->id, 0u);
  used_ = before;
  ASSERT_EQ(Code(Text("new"), Text("f.py"), 50, 9), begin);
  // Within one drain it is not looked at again.
  EXPECT_EQ(Find(begin + 2)->id, 0u);
  codes_->NextDrain();
  EXPECT_EQ(Find(begin + 2)->id, 1u);
  ASSERT_EQ(Records().size(), 2u);
}

TEST_F(CodeObjectsTest, EqualFunctionsAreOne) {
  const std::uint64_t name = Text("again");
  const std::uint64_t file = Text("f.py");
  const std::uint64_t first = Code(name, file);
  const std::uint64_t second = Code(name, file);
  ASSERT_NE(Find(first + 2), nullptr);
  ASSERT_NE(Find(second + 2), nullptr);
  EXPECT_EQ(Find(first + 2)->id, Find(second + 2)->id);
  EXPECT_EQ(Records().size(), 1u);
}

TEST_F(CodeObjectsTest, NamesAreUtf8) {
  // "größe" in Latin-1, and a character of 2 and of 4 bytes.
  Find(Code(Text("gr\xf6\xdf"
                 "e",
                 1, false),
            Text("f.py")) +
       2);
  Find(Code(Text(std::string("\x42\x26", 2), 2, false), Text("f.py")) + 2);
  Find(Code(Text(std::string("\x00\xf6\x01\x00", 4), 4, false), Text("f.py")) + 2);
  const auto records = Records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(TextOf(records[0].name, records[0].name_bytes), "größe");
  EXPECT_EQ(TextOf(records[1].name, records[1].name_bytes), "\u2642");
  EXPECT_EQ(TextOf(records[2].name, records[2].name_bytes), "\U0001f600");
}

TEST_F(CodeObjectsTest, LongNamesAreCut) {
  Find(Code(Text(std::string(10'000, 'n')), Text("f.py")) + 2);
  const auto records = Records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(TextOf(records[0].name, records[0].name_bytes), std::string(4096, 'n'));
}

TEST_F(CodeObjectsTest, TheInterpretersOwnCodeIsAShim) {
  const std::uint64_t begin = Code(Text("<interpreter trampoline>"), Text("<shim>"));
  ASSERT_NE(Find(begin + 2), nullptr);
  EXPECT_TRUE(Find(begin + 2)->is_shim);
}

TEST_F(CodeObjectsTest, ManyFunctionsFillNoMoreThanTheTables) {
  const std::uint64_t file = Text("f.py");
  const std::size_t reused = used_;
  std::size_t named = 0;
  for (int i = 0; i < 20'000; ++i) {
    used_ = reused;
    const std::uint64_t begin = Code(Text("f" + std::to_string(i)), file, 50, i);
    codes_->NextDrain();
    const CodeObjects::Code* code = Find(begin + 2);
    ASSERT_NE(code, nullptr);
    named += code->id != spool::kNone;
  }
  EXPECT_EQ(named, Records().size());
  EXPECT_GE(named, 8000u);
  EXPECT_LT(named, 20'000u);
}

TEST_F(CodeObjectsTest, UnreadableMemoryIsNoObject) {
  EXPECT_EQ(Find(0x7000'0000'0000), nullptr);
  EXPECT_EQ(Find(2), nullptr);
  EXPECT_EQ(Find(~std::uint64_t{1}), nullptr);
}

}  // namespace
}  // namespace csink
