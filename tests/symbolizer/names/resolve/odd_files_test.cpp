#include <gtest/gtest.h>

#include "symbolizer/names/elf/file.h"
#include "tests/symbolizer/workshop.h"

/// File: features of linkers that change where names and code lie, a small file each.

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::ResolveVaddr;
using testing::Workshop;

class FoldedFunctions : public ::testing::TestWithParam<const char*> {};

TEST_P(FoldedFunctions, HaveOneNameAndTellOfTheOthers) {
  const std::string linker = GetParam();
  if (!HaveTool("ld." + linker)) GTEST_SKIP() << linker << " is not here";
  Workshop shop;
  shop.Write("twins.c", R"(
    __attribute__((noinline)) int ZFirstTwin(int x) { return x * 7 + x / 3; }
    __attribute__((noinline)) int SecondTwin(int x) { return x * 7 + x / 3; }
    __attribute__((noinline)) int TwinNumber3(int x) { return x * 7 + x / 3; }
    int Alone(int x) { return ZFirstTwin(x) + SecondTwin(x + 1) + TwinNumber3(x + 2); })");
  shop.Run("gcc -O1 -fPIC -shared -ffunction-sections -fno-ipa-icf -fuse-ld=" + linker +
           " -Wl,--icf=all,--build-id twins.c -o lib.so");
  const std::string path = shop.Path("lib.so");
  const auto symbols = Nm(shop, path);
  ASSERT_EQ(symbols.at("ZFirstTwin").start, symbols.at("SecondTwin").start) << "not folded";
  const Location twin = ResolveVaddr(shop, path, symbols.at("ZFirstTwin").start + 2);
  // Equally public and as many underscores: the shorter, then the first in the alphabet.
  EXPECT_EQ(twin.function, "SecondTwin");
  EXPECT_EQ(twin.aliases, 2u);
  EXPECT_EQ(ResolveVaddr(shop, path, symbols.at("Alone").start).aliases, 0u);
}

INSTANTIATE_TEST_SUITE_P(, FoldedFunctions, ::testing::Values("lld", "gold"),
                         [](const auto& info) { return std::string(info.param); });

TEST(AliasesOfTheCLibrary, AreCountedOnceForBothTables) {
  Workshop shop;
  shop.Write("alias.c", R"(
    int Work(int x) { return x * 3; }
    int __GI_Work(int) __attribute__((alias("Work"), visibility("hidden")));
    int __work(int) __attribute__((alias("Work")));)");
  shop.Run("gcc -O1 -fPIC -shared -Wl,--build-id alias.c -o lib.so");
  const Location location =
      ResolveVaddr(shop, shop.Path("lib.so"), Nm(shop, shop.Path("lib.so")).at("Work").start);
  EXPECT_EQ(location.function, "Work");
  EXPECT_EQ(location.aliases, 2u);
}

TEST(Aliases, ConstructorsOfOneClassAreNone) {
  Workshop shop;
  shop.Write("made.cpp", R"(
    struct Made { Made(int); ~Made(); int value; };
    Made::Made(int x) : value(x * 3) {}
    Made::~Made() { value = 0; })");
  shop.Run("g++ -O1 -fPIC -shared -Wl,--build-id made.cpp -o lib.so");
  const auto symbols = Nm(shop, shop.Path("lib.so"));
  ASSERT_EQ(symbols.at("_ZN4MadeC1Ei").start, symbols.at("_ZN4MadeC2Ei").start);
  for (const char* name : {"_ZN4MadeC1Ei", "_ZN4MadeD1Ev"}) {
    EXPECT_EQ(ResolveVaddr(shop, shop.Path("lib.so"), symbols.at(name).start).aliases, 0u) << name;
  }
}

TEST(ManySections, NumbersThatDoNotFitAreFound) {
  if (!HaveTool("ld.lld")) GTEST_SKIP() << "ld.lld is not here; others do not link so many";
  Workshop shop;
  std::string text;
  for (int i = 0; i < 66000; ++i) {
    text += ".section .t" + std::to_string(i) + ",\"ax\",@progbits\n";
    text += i != 65900 ? "nop\n"
                       : "Label: .skip 16,0x90\n"
                         ".globl Sized\n.type Sized,@function\nSized: .skip 16,0x90\n"
                         ".size Sized,16\n.type Hidden,@function\nHidden: .skip 16,0x90\n"
                         ".size Hidden,16\n";
  }
  shop.Write("many.s", text);
  shop.Run("as many.s -o many.o && ld.lld -shared --build-id many.o -o lib.so");
  const std::string path = shop.Path("lib.so");
  const auto object = ObjectBytes::Open(path);
  Elf64_Ehdr header;
  ASSERT_TRUE(object->Read(0, sizeof header, &header));
  ASSERT_EQ(header.e_shnum, 0) << "the count stands in section 0";
  ASSERT_EQ(header.e_shstrndx, SHN_XINDEX);
  const auto symbols = Nm(shop, path);
  for (const char* name : {"Sized", "Hidden"}) {
    const Location location = ResolveVaddr(shop, path, symbols.at(name).start + 15);
    EXPECT_EQ(location.function, name);
    EXPECT_EQ(location.source, NameSource::kSymbol);
  }
  // A label reaches to the end of its section, which the table of indices names.
  EXPECT_EQ(ResolveVaddr(shop, path, symbols.at("Label").start + 15).function, "Label");
  EXPECT_NE(ResolveVaddr(shop, path, symbols.at("Hidden").start + 16).function, "Hidden");
}

TEST(Elf32, HasNamesAndLines) {
  Workshop shop;
  shop.Write("old.c",
             "static __attribute__((noinline)) int Hidden(int x) { return x * 3 / 7; }\n"
             "int Shown(int x) { return Hidden(x) + 1; }\n");
  shop.Run(
      "gcc -m32 -O1 -g -fPIC -shared -nostdlib -Wl,--build-id old.c -o lib.so && "
      "readelf -h lib.so | grep -q ELF32");
  const std::string path = shop.Path("lib.so");
  const auto symbols = Nm(shop, path);
  const Location hidden = ResolveVaddr(shop, path, symbols.at("Hidden").start);
  EXPECT_EQ(hidden.function, "Hidden");
  EXPECT_EQ(hidden.line, 1u);
  EXPECT_EQ(ResolveVaddr(shop, path, symbols.at("Shown").start).line, 2u);
  shop.Run("objcopy --compress-debug-sections=zlib lib.so");
  EXPECT_EQ(ResolveVaddr(shop, path, symbols.at("Hidden").start).line, 1u);
  shop.Run("strip lib.so");
  const Location stripped = ResolveVaddr(shop, path, symbols.at("Hidden").start);
  EXPECT_EQ(stripped.source, NameSource::kFde);
  EXPECT_EQ(stripped.function_vaddr, symbols.at("Hidden").start);
}

/// Libraries whose first segment is not at 0, as prelink and some linker scripts make them.
TEST(OddBias, OfALibraryIsItsSegmentsOwn) {
  Workshop shop;
  shop.Write("lib.c", "int Work(int x) { return x * 3; }\nint Next(int x) { return x - 1; }\n");
  shop.Run("gcc -O1 -g -fPIC -shared -Wl,--build-id,-Ttext-segment=0x3000000000 lib.c -o lib.so");
  const std::string path = shop.Path("lib.so");
  const auto symbols = Nm(shop, path);
  ASSERT_GT(symbols.at("Next").start, 0x3000000000u);
  EXPECT_EQ(ResolveVaddr(shop, path, symbols.at("Next").start).function, "Next");
  EXPECT_EQ(ResolveVaddr(shop, path, symbols.at("Next").start).line, 2u);
}

}  // namespace
}  // namespace csink::symbolizer
