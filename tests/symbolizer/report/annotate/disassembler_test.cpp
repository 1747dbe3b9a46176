#include "symbolizer/report/annotate/disassembler.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <vector>

#include "symbolizer/report/annotate/code_listing.h"
#include "tests/symbolizer/workshop.h"

namespace csink::annotate {
namespace {

using symbolizer::testing::HaveTool;
using symbolizer::testing::Workshop;
using ::testing::HasSubstr;

const char kSource[] = R"(
extern int Other(int);
__attribute__((noinline)) int Near(int x) { return x * 3; }
int Function(int n, const int* data) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (data[i] & 1) sum += Other(data[i]);
    else sum -= Near(sum);
  }
  return sum;
}
)";

Result<std::unique_ptr<Disassembler>> Open(std::uint16_t machine, Syntax syntax = Syntax::kAtt) {
  return OpenDisassembler(machine, syntax);
}

std::string NoName(std::uint64_t) { return ""; }

std::string TextOf(Disassembler& disassembler, std::vector<std::uint8_t> bytes,
                   const Disassembler::TargetName& name = NoName) {
  return disassembler.Text(bytes, 0x1000, name);
}

TEST(X86, SpeaksBothSyntaxes) {
  auto att = Open(EM_X86_64);
  auto intel = Open(EM_X86_64, Syntax::kIntel);
  ASSERT_TRUE(att) << att.error().what;
  ASSERT_TRUE(intel);
  EXPECT_EQ(TextOf(**att, {0x48, 0x89, 0xe5}), "mov %rsp, %rbp");
  EXPECT_EQ(TextOf(**intel, {0x48, 0x89, 0xe5}), "mov rbp, rsp");
}

TEST(X86, NamesTargets) {
  auto decoder = Open(EM_X86_64);
  ASSERT_TRUE(decoder);
  const std::vector<std::uint8_t> call = {0xe8, 0x10, 0x00, 0x00, 0x00};  // to 0x1015
  const Step step = (*decoder)->Decode(call, 0x1000);
  EXPECT_TRUE(step.is_call);
  EXPECT_EQ(step.size, 5u);
  ASSERT_TRUE(step.target);
  EXPECT_EQ(*step.target, 0x1015u);
  EXPECT_THAT(TextOf(**decoder, call), HasSubstr("0x1015"));
  const std::string named =
      TextOf(**decoder, call, [](std::uint64_t vaddr) { return vaddr == 0x1015 ? "f(int)" : "?"; });
  EXPECT_THAT(named, HasSubstr("f(int)"));
  EXPECT_EQ(named.find("0x"), std::string::npos) << named;
  const Step jump = (*decoder)->Decode(std::vector<std::uint8_t>{0x75, 0xfe}, 0x1000);
  EXPECT_TRUE(jump.is_branch);
  EXPECT_FALSE(jump.is_call);
  EXPECT_EQ(jump.target, 0x1000u);
  const Step indirect = (*decoder)->Decode(std::vector<std::uint8_t>{0xff, 0xd0}, 0x1000);
  EXPECT_TRUE(indirect.is_call);
  EXPECT_FALSE(indirect.target);
  EXPECT_TRUE(indirect.is_indirect);
  EXPECT_FALSE(step.is_indirect);
  EXPECT_EQ(TextOf(**decoder, {0xff, 0xd0}), "call *%rax");
  EXPECT_EQ(TextOf(**decoder, {0xff, 0x50, 0x10}), "call *0x10(%rax)");
  EXPECT_EQ(TextOf(**decoder, {0xff, 0xe0}), "jmp *%rax");
  EXPECT_EQ(TextOf(**decoder, {0xc3}), "ret");
}

TEST(X86, ShowsDataAsBytes) {
  auto decoder = Open(EM_X86_64);
  ASSERT_TRUE(decoder);
  EXPECT_EQ(TextOf(**decoder, {0x06}), ".byte 0x06");  // no instruction in 64-bit code
  EXPECT_EQ(TextOf(**decoder, {0x48}), ".byte 0x48");  // cut
  EXPECT_FALSE((*decoder)->Decode(std::vector<std::uint8_t>{0x06}, 0).is_code);
  EXPECT_EQ((*decoder)->Decode(std::vector<std::uint8_t>{0x06}, 0).size, 1u);
}

TEST(Arm64, NamesTargets) {
  auto decoder = Open(EM_AARCH64);
  ASSERT_TRUE(decoder) << decoder.error().what;
  const std::vector<std::uint8_t> call = {0x04, 0x00, 0x00, 0x94};  // bl +16
  EXPECT_TRUE((*decoder)->Decode(call, 0x1000).is_call);
  EXPECT_EQ((*decoder)->Decode(call, 0x1000).target, 0x1010u);
  EXPECT_EQ(TextOf(**decoder, call), "bl #0x1010");
  EXPECT_EQ(TextOf(**decoder, call, [](std::uint64_t) { return "f"; }), "bl f");
  const std::vector<std::uint8_t> test = {0x40, 0x00, 0x18, 0x36};  // tbz w0, #3, +8
  EXPECT_TRUE((*decoder)->Decode(test, 0x1000).is_branch);
  EXPECT_EQ((*decoder)->Decode(test, 0x1000).target, 0x1008u);
  EXPECT_EQ(TextOf(**decoder, {0xc0, 0x03, 0x5f, 0xd6}), "ret");
  EXPECT_EQ(TextOf(**decoder, {0xff, 0xff, 0xff, 0xff}).substr(0, 5), ".byte");
  EXPECT_EQ(TextOf(**decoder, {0xc0, 0x03}), ".byte 0xc0,0x03");  // cut
}

TEST(OpenDisassembler, RefusesOtherMachines) {
  const auto none = Open(EM_RISCV);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUnsupported);
}

/// Addresses at which objdump's instructions begin, and those whose text it shows a target for.
std::vector<std::uint64_t> ObjdumpStarts(const Workshop& shop, const std::string& objdump,
                                         const std::string& path) {
  std::vector<std::uint64_t> starts;
  std::istringstream lines(
      shop.Run(objdump + " -d --no-show-raw-insn --section=.text '" + path + "'"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(":\t");
    if (colon == std::string::npos) continue;
    starts.push_back(std::stoull(line.substr(0, colon), nullptr, 16));
  }
  return starts;
}

class WholeText : public ::testing::Test {
 protected:
  /// Every instruction of a library begins where objdump says.
  void Compare(const std::string& compiler, const std::string& objdump) {
    if (!HaveTool(compiler)) GTEST_SKIP() << compiler << " is not here";
    shop_.Write("f.c", kSource);
    shop_.Run(compiler + " -O2 -g -fPIC -shared -nostdlib f.c -o f.so");
    auto object = symbolizer::ObjectBytes::Open(shop_.Path("f.so"));
    ASSERT_TRUE(object);
    auto elf = symbolizer::ElfFile::Read(std::move(*object));
    ASSERT_TRUE(elf);
    const auto section = elf->FindSection(".text");
    ASSERT_TRUE(section);
    symbolizer::FunctionCode code;
    code.start = elf->sections()[*section].sh_addr;
    code.bytes = elf->ReadSection(*section);
    code.end = code.start + code.bytes.size();
    auto decoder = Open(elf->machine());
    ASSERT_TRUE(decoder) << decoder.error().what;
    std::vector<std::uint64_t> starts;
    for (const Piece& piece : SplitCode(code, {}, **decoder)) {
      EXPECT_TRUE(piece.is_code) << std::hex << piece.vaddr;
      starts.push_back(piece.vaddr);
    }
    EXPECT_EQ(starts, ObjdumpStarts(shop_, objdump, shop_.Path("f.so")));
    EXPECT_GT(starts.size(), 20u);
  }
  Workshop shop_;
};

TEST_F(WholeText, OfGccIsTakenApartAsObjdumpDoes) { Compare("gcc", "objdump"); }
TEST_F(WholeText, OfClangIsTakenApartAsObjdumpDoes) { Compare("clang-14", "objdump"); }
TEST_F(WholeText, OfAarch64IsTakenApartAsObjdumpDoes) {
  Compare("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump");
}

/// A decoder of which each instruction has three bytes.
class Threes : public Disassembler {
 public:
  Step Decode(Bytes bytes, std::uint64_t) override {
    Step step;
    step.size = 3;
    step.is_code = bytes.size() >= 3;
    return step;
  }
  std::string Text(Bytes, std::uint64_t, const TargetName&) override { return "three"; }
};

TEST(SplitCode, BeginsAnewAtSampledAddresses) {
  symbolizer::FunctionCode code;
  code.start = 100;
  code.bytes = symbolizer::Buffer(10);
  code.end = 110;
  Threes threes;
  CountsByAddress samples;
  samples[104];  // inside of the second one
  samples[107];
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  for (const Piece& piece : SplitCode(code, samples, threes)) {
    found.emplace_back(piece.vaddr, piece.size);
  }
  const std::vector<std::pair<std::uint64_t, std::uint32_t>> wanted = {
      {100, 3}, {103, 1}, {104, 3}, {107, 3}};
  EXPECT_EQ(found, wanted);
}

TEST(SplitCode, NeverReachesOverTheEnd) {
  symbolizer::FunctionCode code;
  code.start = 0;
  code.bytes = symbolizer::Buffer(2);
  code.end = 1000;  // the file was cut
  Threes threes;
  const auto pieces = SplitCode(code, {}, threes);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].size, 2u);
  EXPECT_FALSE(pieces[0].is_code);
}

}  // namespace
}  // namespace csink::annotate
