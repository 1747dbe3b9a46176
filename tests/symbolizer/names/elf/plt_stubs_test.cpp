#include "symbolizer/names/elf/plt_stubs.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::ResolveVaddr;
using testing::Workshop;

/// What a disassembler calls the stubs: "0000000000001030 <rand@plt>:".
std::map<std::uint64_t, std::string> DisassembledStubs(const Workshop& shop,
                                                       const std::string& path,
                                                       const std::string& disassembler) {
  std::map<std::uint64_t, std::string> stubs;
  std::istringstream lines(shop.Run(disassembler + " -d '" + path + "'"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find(" <");
    const std::size_t close = line.find("@plt>:");
    if (open == std::string::npos || close == std::string::npos) continue;
    std::string name = line.substr(open + 2, close - open - 2);
    // The disassembler knows IRELATIVE targets only as numbers.
    if (name.starts_with("*ABS*")) continue;
    stubs[std::stoull(line.substr(0, open), nullptr, 16)] = name;
  }
  return stubs;
}

struct Kind {
  const char* name;
  const char* compiler;
  const char* disassembler;
  const char* flags;
  std::size_t stubs;  ///< At least so many: the test must not pass on an empty table
  const char* tool = "";
};

class PltStubs : public ::testing::TestWithParam<Kind> {};

TEST_P(PltStubs, HaveTheNamesThatADisassemblerGivesThem) {
  const Kind& kind = GetParam();
  for (const char* tool : {kind.compiler, kind.disassembler, kind.tool}) {
    if (*tool != '\0' && !HaveTool(tool)) GTEST_SKIP() << tool << " is not here";
  }
  Workshop shop;
  shop.Write("calls.c", R"(
    int rand(void); void srand(unsigned); long time(long*); void* malloc(unsigned long);
    extern int (*kept)(void); int (*kept)(void) = rand;
    int Call(void) { srand(time(0)); kept = rand; return rand() + (malloc(5) != 0); })");
  shop.Run(std::string(kind.compiler) + " -O1 -fPIC -shared " + kind.flags + " calls.c -o lib.so");
  shop.Run("strip lib.so || llvm-strip-14 lib.so");
  const std::string path = shop.Path("lib.so");
  const auto stubs = DisassembledStubs(shop, path, kind.disassembler);
  ASSERT_GE(stubs.size(), kind.stubs);
  for (const auto& [vaddr, name] : stubs) {
    for (const std::uint64_t inside : {0, 4, 5}) {
      const Location location = ResolveVaddr(shop, path, vaddr + inside);
      EXPECT_EQ(location.function, name + "@plt") << std::hex << vaddr;
      EXPECT_EQ(location.source, NameSource::kPlt);
      EXPECT_EQ(location.function_vaddr, vaddr);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , PltStubs,
    ::testing::Values(
        Kind{"Lazy", "gcc", "objdump", "-Wl,-z,lazy", 4},
        Kind{"Now", "gcc", "objdump", "-Wl,-z,now", 4},
        Kind{"BranchTracking", "gcc", "objdump", "-fcf-protection -Wl,-z,ibtplt,-z,lazy", 4},
        Kind{"BranchTrackingNow", "gcc", "objdump", "-fcf-protection -Wl,-z,ibtplt,-z,now", 4},
        // objdump of binutils 2.42 gives no names to stubs of gold that begin with endbr64.
        Kind{"Gold", "gcc", "objdump", "-fcf-protection=none -fuse-ld=gold", 4, "ld.gold"},
        Kind{"Lld", "gcc", "llvm-objdump-14", "-fuse-ld=lld", 4, "ld.lld"},
        Kind{"AArch64", "aarch64-linux-gnu-gcc", "llvm-objdump-14", "-Wl,-z,lazy", 4},
        Kind{"AArch64BranchTargets", "aarch64-linux-gnu-gcc", "llvm-objdump-14",
             "-mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt", 4}),
    [](const auto& info) { return info.param.name; });

/// No disassembler names these stubs; the code of the caller says which one it wants.
class RetpolineStubs : public ::testing::TestWithParam<const char*> {};

TEST_P(RetpolineStubs, HaveTheNameOfTheFunctionThatTheirSlotIsFor) {
  if (!HaveTool("ld.lld")) GTEST_SKIP() << "ld.lld is not here";
  Workshop shop;
  shop.Write("calls.c", R"(
    int rand(void); void srand(unsigned);
    int CallSrand(void) { srand(1); return 2; }
    int CallRand(void) { return rand() + 1; })");
  shop.Run(std::string("gcc -O1 -fcf-protection=none -fPIC -shared -fuse-ld=lld "
                       "-Wl,-z,retpolineplt,-z,") +
           GetParam() + " calls.c -o lib.so");
  const std::string path = shop.Path("lib.so");
  for (const auto& [caller, name] :
       {std::pair{"CallSrand", "srand@plt"}, std::pair{"CallRand", "rand@plt"}}) {
    std::istringstream call(
        shop.Run(std::string("objdump -d --disassemble=") + caller + " lib.so | grep call"));
    std::string line;
    ASSERT_TRUE(std::getline(call, line));
    const std::uint64_t stub = std::stoull(line.substr(line.find("call") + 4), nullptr, 16);
    const std::uint64_t last = std::string(GetParam()) == "lazy" ? 26 : 11;
    for (const std::uint64_t inside : {std::uint64_t{0}, std::uint64_t{7}, last}) {
      const Location location = ResolveVaddr(shop, path, stub + inside);
      EXPECT_EQ(location.function, name) << inside;
      EXPECT_EQ(location.function_vaddr, stub) << inside;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, RetpolineStubs, ::testing::Values("lazy", "now"),
                         [](const auto& info) { return std::string(info.param); });

TEST(PltStubsOfIndirectFunctions, HaveTheFunctionsNameAnIndirectFunction) {
  Workshop shop;
  shop.Write("main.c", R"(
    #include <string.h>
    int main(int n, char** v) { char b[64]; memcpy(b, v[0], n); return strlen(b) + n; })");
  // Ubuntu's compiler calls __memcpy_chk, which is no indirect function, unless it is told not to.
  shop.Run("gcc -O1 -U_FORTIFY_SOURCE -fcf-protection=none -static -fno-builtin main.c -o main");
  // The program calls the stub; the instruction says where it is.
  std::istringstream calls(shop.Run("objdump -d --disassemble=main main | grep call"));
  for (const char* name : {"memcpy@plt", "strlen@plt"}) {
    std::string line;
    ASSERT_TRUE(std::getline(calls, line));
    std::istringstream words(line.substr(line.find("call") + 4));
    std::string target;
    words >> target;
    const auto location = ResolveVaddr(shop, shop.Path("main"), std::stoull(target, nullptr, 16));
    EXPECT_EQ(location.function, name);
    EXPECT_EQ(location.source, NameSource::kPlt);
  }
  std::istringstream jumps(shop.Run("objdump -d -j .plt main | grep 'jmp  *\\*'"));
  std::size_t stubs = 0;
  for (std::string jump; std::getline(jumps, jump); ++stubs) {
    const std::uint64_t vaddr = std::stoull(jump, nullptr, 16);
    const Location location = ResolveVaddr(shop, shop.Path("main"), vaddr + 2);
    EXPECT_EQ(location.source, NameSource::kPlt);
    EXPECT_EQ(location.function_vaddr, vaddr);
  }
  EXPECT_GT(stubs, 4u);
}

TEST(DecodeStubX86, RefusesWhatIsNoStub) {
  const std::uint8_t header[] = {0xff, 0x35, 1, 0, 0,    0,    0xff, 0x25,
                                 1,    0,    0, 0, 0x90, 0x90, 0x90, 0x90};
  EXPECT_FALSE(DecodeStubX86(header, 0x1000, 16, 0x1000));
  const std::uint8_t cut[] = {0xff, 0x25, 1};
  EXPECT_FALSE(DecodeStubX86(cut, 0x1000, 16, 0x1000));
  EXPECT_FALSE(DecodeStubX86(cut, 0x1000, 16, 0x2000));
  EXPECT_FALSE(DecodeStubX86({}, 0x1000, 0, 0x1000));
}

TEST(DecodeStubX86, AddsTheDisplacementToTheNextInstruction) {
  const std::uint8_t stub[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xfc,
                               0xff, 0xff, 0xff, 0,    0,    0,    0,    0};
  const auto decoded = DecodeStubX86(stub, 0x1000, 16, 0x100a);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->start, 0x1000u);
  EXPECT_EQ(decoded->got_slot, 0x1000u + 11 - 4);
}

}  // namespace
}  // namespace csink::symbolizer
