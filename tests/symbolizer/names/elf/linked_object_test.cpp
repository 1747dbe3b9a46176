#include "symbolizer/names/elf/linked_object.h"

#include <gtest/gtest.h>

#include "symbolizer/names/elf/relocation.h"
#include "symbolizer/names/resolve/addressing.h"
#include "symbolizer/names/resolve/resolver.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::Nm;
using testing::ReadWhole;
using testing::Workshop;

constexpr char kSource[] =
    "static inline __attribute__((always_inline)) int Half(int x) {\n"
    "  return x / 3;\n"
    "}\n"
    "int First(int x) { return x + 7; }\n"
    "int Second(int x) {\n"
    "  return Half(x) * 5;\n"
    "}\n";

class LinkedObject : public ::testing::Test {
 protected:
  void Compile(const std::string& flags) {
    shop_.Write("a.c", kSource);
    shop_.Run("gcc -c -O1 " + flags + " a.c -o a.o");
  }
  Result<ElfFile> Link(const std::string& name) {
    return LinkObject(std::move(*ElfFile::Read(std::move(*ObjectBytes::Open(shop_.Path(name))))));
  }
  Location At(const std::string& name, std::uint64_t offset, const std::string& section = "") {
    const auto linked = Link(name);
    EXPECT_TRUE(linked) << linked.error().what;
    const auto vaddr = LinkedAddress(*linked, offset, section);
    EXPECT_TRUE(vaddr);
    ModuleRequest request;
    request.path = shop_.Path(name);
    request.detail = Detail::kInlines;
    request.file_offsets = {PlaceOf(*linked, vaddr.value_or(0)).value_or(0)};
    const ModuleAnswer answer = ResolveModule(request, {});
    EXPECT_EQ(answer.problem, "");
    return answer.locations.at(0);
  }
  void ExpectAnswers(const std::string& name) {
    const auto symbols = Nm(shop_, shop_.Path(name));
    const Location first = At(name, symbols.at("First").start);
    EXPECT_EQ(first.function, "First");
    EXPECT_EQ(first.line, 4u);
    EXPECT_TRUE(first.file.ends_with("a.c")) << first.file;
    const Location second = At(name, symbols.at("Second").start + symbols.at("Second").size - 1);
    EXPECT_EQ(second.function, "Second");
  }

  /// The bytes of a function of a.o. nm shows the odd values of Thumb functions (Arm).
  testing::NmSymbol Extent(const std::string& function) {
    testing::NmSymbol symbol = Nm(shop_, shop_.Path("a.o")).at(function);
    symbol.start &= ~std::uint64_t{1};
    return symbol;
  }

  Workshop shop_;
};

class LinkedWith : public LinkedObject, public ::testing::WithParamInterface<const char*> {};

TEST_P(LinkedWith, HasNamesLinesAndInlinedFunctions) {
  Compile(GetParam());
  ExpectAnswers("a.o");
  const auto second = Nm(shop_, shop_.Path("a.o")).at("Second");
  bool is_inlined = false;
  for (std::uint64_t at = second.start; at < second.start + second.size && !is_inlined; ++at) {
    const Location location = At("a.o", at);
    is_inlined = location.inlined.size() == 1 && location.inlined[0].function == "Half" &&
                 location.line == 2 && location.inlined[0].call_line == 6;
  }
  EXPECT_TRUE(is_inlined);
}

INSTANTIATE_TEST_SUITE_P(, LinkedWith,
                         ::testing::Values("-g", "-gdwarf-4", "-gdwarf-3", "-g -gz=zlib",
                                           "-g -gz=zlib-gnu", "-g -gsplit-dwarf", "-g -m32"));

struct ForeignCompiler {
  const char* name;
  const char* program;
  const char* flags;
};

class LinkedFor : public LinkedObject, public ::testing::WithParamInterface<ForeignCompiler> {};

TEST_P(LinkedFor, NamesEveryByteOfItsFunctions) {
  const auto& [name, program, flags] = GetParam();
  if (!testing::HaveTool(program)) GTEST_SKIP() << program << " is not here";
  shop_.Write("a.c", kSource);
  shop_.Run(std::string(program) + " -c -O1 -g " + flags + " a.c -o a.o");
  for (const char* function : {"First", "Second"}) {
    const auto [start, size] = Extent(function);
    ASSERT_GT(size, 0u);
    for (std::uint64_t at = start; at < start + size; ++at) {
      const Location location = At("a.o", at);
      EXPECT_EQ(location.function, function) << at;
      const bool is_half = !location.inlined.empty();
      EXPECT_TRUE(!is_half || location.inlined[0].function == "Half") << at;
      const std::uint32_t from = function[0] == 'F' ? 4 : is_half ? 1 : 5;
      EXPECT_TRUE(location.line >= from && location.line <= from + 2) << at << ' ' << location.line;
    }
  }
  EXPECT_EQ(At("a.o", Extent("First").start).line, 4u);
}

INSTANTIATE_TEST_SUITE_P(
    , LinkedFor,
    ::testing::Values(ForeignCompiler{"Aarch64Gcc", "aarch64-linux-gnu-gcc", ""},
                      ForeignCompiler{"Aarch64GccDwarf4", "aarch64-linux-gnu-gcc", "-gdwarf-4"},
                      ForeignCompiler{"Aarch64Clang", "clang-14", "--target=aarch64-linux-gnu"},
                      ForeignCompiler{"ArmClang", "clang-14", "--target=armv7-linux-gnueabihf"},
                      ForeignCompiler{"ThumbClang", "clang-14",
                                      "--target=armv7-linux-gnueabihf -mthumb"},
                      ForeignCompiler{"ThumbClangDwarf4", "clang-14",
                                      "--target=armv7-linux-gnueabihf -mthumb -gdwarf-4"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(LinkedObject, OfThumbCodeHasFunctionsThatBeginAtEvenAddresses) {
  if (!testing::HaveTool("clang-14")) GTEST_SKIP() << "clang-14 is not here";
  shop_.Write("a.c", kSource);
  // Without debug information, so that names come from the symbols, whose values are odd.
  shop_.Run("clang-14 --target=armv7-linux-gnueabihf -mthumb -c -O1 a.c -o a.o");
  for (const char* function : {"First", "Second"}) {
    const auto [start, size] = Extent(function);
    ASSERT_GT(size, 0u);
    EXPECT_EQ(At("a.o", start).function, function);
    EXPECT_EQ(At("a.o", start + size - 1).function, function);
  }
}

TEST_F(LinkedObject, HasSectionsThatAreToldApart) {
  Compile("-g -ffunction-sections");
  EXPECT_EQ(At("a.o", 0).function, "First");
  EXPECT_EQ(At("a.o", 0, ".text.First").function, "First");
  const Location second = At("a.o", 0, ".text.Second");
  EXPECT_EQ(second.function, "Second");
  EXPECT_TRUE(second.line == 5 || second.line == 2) << second.line;  // The call, or what it calls
  EXPECT_FALSE(LinkedAddress(*Link("a.o"), 0, ".text.Third"));
  EXPECT_FALSE(LinkedAddress(*Link("a.o"), 1 << 20, ""));
}

TEST_F(LinkedObject, AgreesWithItsDebugFile) {
  Compile("-g");
  shop_.Run(
      "ld -r --build-id=0xabcdef0123456789 a.o -o a.ko && objcopy --only-keep-debug a.ko "
      "a.debug && strip -g a.ko && objcopy --add-gnu-debuglink=a.debug a.ko");
  ExpectAnswers("a.debug");
  ExpectAnswers("a.ko");
}

TEST_F(LinkedObject, OfAnUnknownMachineIsRefused) {
  Compile("-g");
  std::string bytes = ReadWhole(shop_.Path("a.o"));
  bytes[18] = static_cast<char>(EM_RISCV);
  bytes[19] = 0;
  shop_.Write("a.o", bytes);
  const auto linked = Link("a.o");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().code, Errc::kUnsupported);
}

TEST_F(LinkedObject, IsNoProgramAndNoProgramIsChanged) {
  Compile("-g");
  EXPECT_NE(Link("a.o")->type(), ET_REL);
  shop_.Run("gcc -shared -nostdlib a.o -o a.so");
  const auto linked = Link("a.so");
  ASSERT_TRUE(linked);
  EXPECT_EQ(linked->type(), ET_DYN);
}

TEST_F(LinkedObject, CutAnywhereIsReadWithoutHarm) {
  Compile("-g");
  const std::string bytes = ReadWhole(shop_.Path("a.o"));
  for (std::size_t size = 64; size < bytes.size(); size += 97) {
    shop_.Write("cut.o", bytes.substr(0, size));
    (void)Link("cut.o");
  }
}

TEST_F(LinkedObject, OverwrittenAnywhereIsReadWithoutHarm) {
  Compile("-g");
  const std::string bytes = ReadWhole(shop_.Path("a.o"));
  for (std::size_t at = 16; at < bytes.size(); at += 13) {
    std::string changed = bytes;
    for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i) changed[i] = '\xff';
    shop_.Write("changed.o", changed);
    ModuleRequest request;
    request.path = shop_.Path("changed.o");
    request.detail = Detail::kInlines;
    request.file_offsets = {1 << 20, (1 << 20) + 5};
    EXPECT_EQ(ResolveModule(request, {}).locations.size(), 2u);
  }
}

TEST_F(LinkedObject, OfASeparateDebugFileHasPlacesByAddress) {
  Compile("-g");
  shop_.Run("gcc -shared -nostdlib a.o -o a.so && objcopy --only-keep-debug a.so a.debug");
  const auto program = Link("a.so");
  const auto debug = Link("a.debug");
  const std::uint64_t first = Nm(shop_, shop_.Path("a.so")).at("First").start;
  for (const auto* file : {&program, &debug}) {
    const auto place = PlaceOf(**file, first);
    ASSERT_TRUE(place);
    EXPECT_EQ(AddressAt(**file, *place), first);
    EXPECT_FALSE(PlaceOf(**file, 0xffff'0000));
  }
  EXPECT_EQ(PlaceOf(*debug, first), first);
}

TEST(Relocation, KnowsFieldsOfFourMachines) {
  EXPECT_EQ(FieldOf(EM_X86_64, R_X86_64_64)->bytes, 8);
  EXPECT_TRUE(FieldOf(EM_AARCH64, R_AARCH64_PREL32)->is_relative);
  EXPECT_EQ(FieldOf(EM_386, R_386_NONE)->bytes, 0);
  EXPECT_EQ(FieldOf(EM_ARM, R_ARM_ABS32)->bytes, 4);
  EXPECT_FALSE(FieldOf(EM_X86_64, R_X86_64_COPY));
  EXPECT_FALSE(KnowsRelocations(EM_RISCV));
}

}  // namespace
}  // namespace csink::symbolizer
