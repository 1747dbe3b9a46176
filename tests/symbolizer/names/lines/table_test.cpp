#include "symbolizer/names/lines/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "symbolizer/names/lines/hint.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::ObjcopyKnowsZstd;
using testing::ReadWhole;
using testing::ResolveVaddr;
using testing::Workshop;
using testing::WriteWhole;

struct Kind {
  const char* name;
  const char* compiler;
  const char* flags;
  const char* after = "";               ///< A command on "lib.so" afterwards
  const char* section = ".debug_line";  ///< That must be there: the kind is what it says
};

/// Each function is called as the line it stands on.
class LineTable : public ::testing::TestWithParam<Kind> {};

TEST_P(LineTable, KnowsTheLineOfEachFunction) {
  const Kind& kind = GetParam();
  if (!HaveTool(kind.compiler)) GTEST_SKIP() << kind.compiler << " is not here";
  if (std::string_view(kind.after).find("zstd") != std::string_view::npos && !ObjcopyKnowsZstd()) {
    GTEST_SKIP() << "this objcopy does not know zstd";
  }
  Workshop shop;
  shop.Write("sub/other.h",
             "int F1(int x) { return x * 7 / 3; }\nint F2(int x) { return x - 9; }\n");
  shop.Write("sub/lib.c",
             "#include \"other.h\"\n\nint G3(int x) { return F1(x) ^ 5; }\n\n"
             "int G5(int x) { return x * x + 2; }\n");
  shop.Run(std::string(kind.compiler) + " -O1 -fPIC -shared -fno-inline " + kind.flags +
           " sub/lib.c -o lib.so");
  if (*kind.after != '\0') shop.Run(kind.after);
  const std::string path = shop.Path("lib.so");
  const std::string sections = shop.Run("readelf -SW lib.so");
  ASSERT_NE(sections.find(kind.section), std::string::npos) << sections;
  const auto symbols = Nm(shop, path);
  for (const auto& [function, file, line] : {std::tuple{"F1", "sub/other.h", 1u},
                                             {"F2", "sub/other.h", 2u},
                                             {"G3", "sub/lib.c", 3u},
                                             {"G5", "sub/lib.c", 5u}}) {
    const Location location = ResolveVaddr(shop, path, symbols.at(function).start);
    EXPECT_EQ(location.function, function);
    EXPECT_EQ(location.line, line) << function;
    EXPECT_EQ(location.file, shop.Path(file));
  }
}

INSTANTIATE_TEST_SUITE_P(
    , LineTable,
    ::testing::Values(Kind{"Dwarf2", "gcc", "-gdwarf-2"}, Kind{"Dwarf3", "gcc", "-gdwarf-3"},
                      Kind{"Dwarf4", "gcc", "-gdwarf-4"}, Kind{"Dwarf5", "gcc", "-gdwarf-5"},
                      Kind{"Dwarf64", "gcc", "-gdwarf-5 -gdwarf64"}, Kind{"Minimal", "gcc", "-g1"},
                      Kind{"LinkTimeOptimised", "gcc",
                           "-g -flto=1 -fno-ipa-icf -fno-toplevel-reorder"},
                      Kind{"Dwarf4WithoutAranges", "gcc", "-gdwarf-4",
                           "objcopy --remove-section=.debug_aranges lib.so"},
                      Kind{"Dwarf4Compressed", "gcc", "-gdwarf-4 -gz=zlib"},
                      Kind{"Dwarf4Split", "gcc", "-gdwarf-4 -gsplit-dwarf"},
                      Kind{"FunctionSections", "gcc", "-g -ffunction-sections -Wl,--gc-sections"},
                      Kind{"SplitDwarf", "gcc", "-g -gsplit-dwarf"},
                      Kind{"Clang", "clang-14", "-g"}, Kind{"ClangDwarf4", "clang-14", "-gdwarf-4"},
                      Kind{"ClangLinesOnly", "clang-14", "-gline-tables-only"},
                      Kind{"Lld", "clang-14", "-g -fuse-ld=lld"},
                      Kind{"Zlib", "gcc", "-g", "objcopy --compress-debug-sections=zlib lib.so"},
                      Kind{"ZlibGnu", "gcc", "-g",
                           "objcopy --compress-debug-sections=zlib-gnu lib.so", ".zdebug_line"},
                      Kind{"Zstd", "gcc", "-g", "objcopy --compress-debug-sections=zstd lib.so"}),
    [](const auto& info) { return info.param.name; });

TEST(LineTableOfLinkers, SkipsWhatTheLinkerThrewAway) {
  // Two copies of one inline function: the second is thrown away and its lines with it.
  // A function at the file's very start must not take the lines of thrown-away code.
  Workshop shop;
  for (const char* name : {"a", "b"}) {
    shop.Write(std::string(name) + ".cpp",
               std::string("#include \"both.h\"\nint ") + name + "(int x) { return Both(x); }\n");
  }
  shop.Write("both.h",
             "\n\n__attribute__((noinline)) inline int Both(int x) { return x * x / 3; }\n");
  for (const char* linker : {"bfd", "lld", "gold"}) {
    if (!HaveTool(std::string("ld.") + linker)) continue;
    shop.Run(std::string("g++ -O1 -g -ffunction-sections -fPIC -shared -Wl,-Ttext=0x40 -fuse-ld=") +
             linker + " a.cpp b.cpp -o lib.so || g++ -O1 -g -fPIC -shared -fuse-ld=" + linker +
             " a.cpp b.cpp -o lib.so");
    const std::string path = shop.Path("lib.so");
    const auto symbols = Nm(shop, path);
    EXPECT_EQ(ResolveVaddr(shop, path, symbols.at("_Z4Bothi").start).line, 3u) << linker;
    for (const char* name : {"_Z1ai", "_Z1bi"}) {
      const Location location = ResolveVaddr(shop, path, symbols.at(name).start);
      EXPECT_EQ(location.line, 2u) << linker << name;
      EXPECT_EQ(location.file.substr(location.file.rfind('/') + 1),
                std::string(1, name[3]) + ".cpp")
          << linker;
    }
  }
}

/// Several units in several folders: each path has the folder of its own compilation.
class FoldersOfCompilations : public ::testing::TestWithParam<const char*> {};

TEST_P(FoldersOfCompilations, AreJoinedWithRelativePaths) {
  Workshop shop;
  for (const std::string n : {"one", "two", "three"}) {
    shop.Write(n + "/same.c", "int " + n + "(int x) { return x * 3; }\n");
    shop.Run("cd " + n + " && gcc -O1 -g " + GetParam() + " -fPIC -c same.c");
  }
  shop.Run("gcc -shared one/same.o two/same.o three/same.o -o lib.so");
  const std::string path = shop.Path("lib.so");
  const auto symbols = Nm(shop, path);
  for (const std::string n : {"one", "two", "three"}) {
    EXPECT_EQ(ResolveVaddr(shop, path, symbols.at(n).start).file, shop.Path(n + "/same.c"));
  }
}

INSTANTIATE_TEST_SUITE_P(, FoldersOfCompilations, ::testing::Values("-gdwarf-4", "-gdwarf-5"),
                         [](const auto& info) { return info.index == 0 ? "Dwarf4" : "Dwarf5"; });

/// dwz moves the folder that two programs share into their alternate file.
TEST(FoldersOfCompilationsInTheAlternateFile, AreJoined) {
  if (!HaveTool("dwz")) GTEST_SKIP() << "dwz is not here";
  Workshop shop;
  for (const std::string n : {"one", "two"}) {
    shop.Write("sub/" + n + ".c", "int " + n + "(int x) { return x * 3; }\nint main() {}\n");
    shop.Run("gcc -O1 -gdwarf-4 sub/" + n + ".c -o " + n);
  }
  shop.Run("dwz -m shared.debug one two");
  ASSERT_EQ(shop.Run("strings one | grep -c \"^$PWD$\" || true"), "0\n");
  const std::string path = shop.Path("one");
  const Location location = ResolveVaddr(shop, path, Nm(shop, path).at("one").start);
  EXPECT_EQ(location.file, shop.Path("sub/one.c"));
}

/// Three units, each with a function on a line of its own.
std::string ThreeUnits(const Workshop& shop) {
  for (int i = 1; i <= 3; ++i) {
    const std::string n = std::to_string(i);
    shop.Write("u" + n + ".c", std::string(static_cast<std::size_t>(i), '\n') + "int U" + n +
                                   "(int x) { return x * " + n + "; }\n");
  }
  shop.Run("gcc -O1 -g -fPIC -shared u1.c u2.c u3.c -o lib.so");
  return shop.Path("lib.so");
}

/// Asked one by one: nobody else's unit is read on the way.
void ExpectTheirLines(const std::string& path,
                      const std::map<std::string, testing::NmSymbol>& symbols,
                      const std::string& what) {
  auto object = ObjectBytes::Open(path);
  ASSERT_TRUE(object);
  const auto elf = ElfFile::Read(std::move(*object));
  ASSERT_TRUE(elf);
  for (unsigned i = 1; i <= 3; ++i) {
    const std::vector<std::uint64_t> start{symbols.at("U" + std::to_string(i)).start};
    const LineHit hit = MatchLines(*elf, start)[0];
    EXPECT_EQ(hit.line, i + 1) << what;
    EXPECT_TRUE(hit.file.ends_with("u" + std::to_string(i) + ".c")) << what << hit.file;
  }
}

TEST(LineHint, LeadsToTheUnitOfAnAddress) {
  Workshop shop;
  const std::string path = ThreeUnits(shop);
  auto object = ObjectBytes::Open(path);
  ASSERT_TRUE(object);
  const auto elf = ElfFile::Read(std::move(*object));
  ASSERT_TRUE(elf);
  // "  Offset:   0x38" of each unit
  std::vector<std::uint64_t> offsets;
  std::istringstream units(shop.Run("readelf --debug-dump=rawline lib.so | grep ' Offset:'"));
  for (std::string word, number; units >> word >> number;) {
    offsets.push_back(std::stoull(number, nullptr, 0));
  }
  ASSERT_EQ(offsets.size(), 3u);
  const auto symbols = Nm(shop, path);
  const auto hinted = [&](const std::vector<std::uint64_t>& vaddrs) {
    std::vector<std::uint64_t> lines;
    for (const HintedUnit& unit : HintedLineUnits(*elf, vaddrs)) lines.push_back(unit.lines);
    return lines;
  };
  EXPECT_EQ(hinted({symbols.at("U2").start}), std::vector<std::uint64_t>{offsets[1]});
  EXPECT_EQ(hinted({symbols.at("U1").start, symbols.at("U3").start}),
            (std::vector<std::uint64_t>{offsets[0], offsets[2]}));
}

TEST(LineHint, ThatIsWrongChangesNoAnswer) {
  Workshop shop;
  const std::string path = ThreeUnits(shop);
  const auto symbols = Nm(shop, path);
  ExpectTheirLines(path, symbols, "as built: ");
  const std::string good = ReadWhole(path);
  const std::string where =
      shop.Run("readelf -SW lib.so | sed -n 's/.*debug_aranges *PROGBITS *//p'");
  std::size_t offset = 0, size = 0;
  std::string address;
  std::istringstream(where) >> address >> std::hex >> offset >> size;
  ASSERT_EQ(size, 3 * 48u) << where;
  for (std::size_t i = 0; i < size; ++i) {  // each byte wrong, among them each unit's place
    for (const int wrong : {0x00, 0x01, 0x30, 0xff}) {
      std::string bad = good;
      bad[offset + i] = static_cast<char>(wrong);
      WriteWhole(path, bad);
      ExpectTheirLines(path, symbols, "byte " + std::to_string(i));
    }
  }
  std::string swapped = good;  // the first names the second's unit, and the other way round
  for (std::size_t i = 6; i < 10; ++i) std::swap(swapped[offset + i], swapped[offset + 48 + i]);
  WriteWhole(path, swapped);
  ExpectTheirLines(path, symbols, "swapped: ");
  WriteWhole(path, good);
  shop.Run("objcopy --remove-section=.debug_aranges lib.so");
  ExpectTheirLines(path, symbols, "without: ");
}

}  // namespace
}  // namespace csink::symbolizer
