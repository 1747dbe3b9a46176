#include "symbolizer/line_table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::ResolveVaddr;
using testing::Workshop;

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
    EXPECT_TRUE(location.file.ends_with(file) || std::string(file).ends_with("/" + location.file))
        << location.file;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , LineTable,
    ::testing::Values(Kind{"Dwarf2", "gcc", "-gdwarf-2"}, Kind{"Dwarf3", "gcc", "-gdwarf-3"},
                      Kind{"Dwarf4", "gcc", "-gdwarf-4"}, Kind{"Dwarf5", "gcc", "-gdwarf-5"},
                      Kind{"Dwarf64", "gcc", "-gdwarf-5 -gdwarf64"}, Kind{"Minimal", "gcc", "-g1"},
                      Kind{"LinkTimeOptimised", "gcc",
                           "-g -flto=1 -fno-ipa-icf -fno-toplevel-reorder"},
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

}  // namespace
}  // namespace csink::symbolizer
