#include <gtest/gtest.h>

#include "symbolizer/names/resolve/resolver.h"
#include "tests/symbolizer/workshop.h"

/// File: inline frames of one program, built in every form that compilers write DWARF in.

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::Workshop;

// The labels are where the test looks; each function is inlined once, so that they stand once.
constexpr char kProgram[] = R"(static volatile int sink;
namespace deep {
struct Counter {
  int n;
  __attribute__((always_inline)) inline int Leaf(int x) {
    __asm__ volatile(".globl here\nhere: nop" : : : "memory");
    return sink += x + n;
  }
};
}  // namespace deep
__attribute__((always_inline)) static inline int Mid(int x) {
  deep::Counter counter{x};
  return counter.Leaf(x + 1);
}
__attribute__((noinline, noclone)) int Outer(int x) {
  const auto add = [x](int y) __attribute__((always_inline)) {
    return Mid(x + y);
  };
  return add(3);
}
template <class F> __attribute__((noinline, noclone)) int Call(F f) { return f(sink); }
__attribute__((always_inline)) static inline int InLambda(int x) {
  __asm__ volatile(".globl there\nthere: nop" : : : "memory");
  return sink += x;
}
int UsesLambda(int x) {
  struct Local {
    __attribute__((noinline)) int Run(int y) { return InLambda(y); }
  };
  return Call([x](int y) { return Local().Run(x + y); });
}
__attribute__((noinline)) int Unused(int x) { return Outer(x) + 1; }
int main(int n, char**) { return Outer(n) + UsesLambda(n); }
)";

constexpr char kClang[] = "clang++-14";

struct Build {
  const char* name;
  const char* compiler;
  const char* options;
  bool has_inlines = true;
  const char* after = "";  ///< A command to run on the program
};

void PrintTo(const Build& build, std::ostream* out) { *out << build.name; }

class InlineFrames : public ::testing::TestWithParam<Build> {
 protected:
  void SetUp() override {
    const std::string compiler = GetParam().compiler;
    if (!HaveTool(compiler)) GTEST_SKIP() << compiler << " is not here";
    const std::string after = GetParam().after;
    const std::string tool = after.substr(0, after.find(' '));
    if (!tool.empty() && !HaveTool(tool)) GTEST_SKIP() << tool << " is not here";
    shop_.Write("program.cpp", kProgram);
    // noclone is gcc's alone.
    const std::string quiet = compiler == kClang ? " -Wno-unknown-attributes" : "";
    shop_.Run(compiler + quiet + " -std=c++17 -O2 " + GetParam().options +
              " program.cpp -o program");
    if (!after.empty()) shop_.Run(after);
  }
  Location At(const std::string& label) {
    const std::string path = shop_.Path("program");
    const std::uint64_t vaddr = Nm(shop_, path).at(label).start;
    auto request = testing::RequestFor(shop_, path, {testing::OffsetOf(shop_, path, vaddr)});
    request.detail = Detail::kInlines;
    const ModuleAnswer answer = ResolveModule(request, {});
    EXPECT_EQ(answer.problem, "");
    return answer.locations.at(0);
  }
  void ExpectThree();
  void ExpectOneInALocalClass();
  Workshop shop_;
};

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << " has no " << part;
}

/// Of three functions that were inlined into each other, one of them a lambda.
void InlineFrames::ExpectThree() {
  const Location at = At("here");
  EXPECT_EQ(at.function, "Outer(int)");
  EXPECT_EQ(at.line, 6u);
  if (!GetParam().has_inlines) {
    EXPECT_TRUE(at.inlined.empty());
    return;
  }
  ASSERT_EQ(at.inlined.size(), 3u);
  ExpectContains(at.inlined[0].function, "Leaf");
  ExpectContains(at.inlined[1].function, "Mid");
  ExpectContains(at.inlined[2].function, "operator()");
  const unsigned lines[] = {13, 17, 19};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(at.inlined[i].call_line, lines[i]);
    EXPECT_EQ(at.inlined[i].call_file, shop_.Path("program.cpp"));
  }
}

/// GCC describes the code of a local class inside the function that has it.
void InlineFrames::ExpectOneInALocalClass() {
  const Location at = At("there");
  ExpectContains(at.function, "Local::Run(int)");
  EXPECT_EQ(at.line, 23u);
  if (!GetParam().has_inlines) return;
  ASSERT_EQ(at.inlined.size(), 1u);
  ExpectContains(at.inlined[0].function, "InLambda");
  EXPECT_EQ(at.inlined[0].call_line, 28u);
}

TEST_P(InlineFrames, AreToldWithTheirCallers) {
  ExpectThree();
  ExpectOneInALocalClass();
}

const Build kBuilds[] = {
    {"Gcc2", "g++", "-gdwarf-2"},
    {"Gcc3", "g++", "-gdwarf-3"},
    {"Gcc4", "g++", "-gdwarf-4"},
    {"Gcc5", "g++", "-gdwarf-5"},
    {"Gcc64Bit", "g++", "-gdwarf-5 -gdwarf64"},
    {"Gcc4Of64Bit", "g++", "-gdwarf-4 -gdwarf64"},
    {"GccLevel1", "g++", "-g1"},
    {"GccLevel3", "g++", "-g3"},
    {"GccLto", "g++", "-g -flto"},
    {"GccTypeUnits4", "g++", "-gdwarf-4 -fdebug-types-section"},
    {"GccTypeUnits5", "g++", "-gdwarf-5 -fdebug-types-section"},
    {"GccSplit4", "g++", "-gdwarf-4 -gsplit-dwarf"},
    {"GccSplit5", "g++", "-gdwarf-5 -gsplit-dwarf"},
    {"GccPackage4", "g++", "-gdwarf-4 -gsplit-dwarf", true,
     "llvm-dwp-14 *.dwo -o program.dwp && rm *.dwo"},
    {"GccPackage5", "g++", "-gdwarf-5 -gsplit-dwarf", true,
     "llvm-dwp-14 *.dwo -o program.dwp && rm *.dwo"},
    {"GccLostSplit", "g++", "-gdwarf-5 -gsplit-dwarf", false, "rm *.dwo"},
    {"GccGcSections", "g++", "-g -ffunction-sections -Wl,--gc-sections"},
    {"GccNoPie", "g++", "-g -no-pie"},
    {"GccZlib", "g++", "-g -gz=zlib"},
    {"GccZlibGnu", "g++", "-g -gz=zlib-gnu"},
    {"GccZstd", "g++", "-g", true, "llvm-objcopy-16 --compress-debug-sections=zstd program"},
    {"GccShared", "g++", "-g", true, "dwz program"},
    {"GccAlternate", "g++", "-g", true,
     "dwz -L none -m shared.debug program -M shared.debug 2>/dev/null; cp program other; "
     "dwz -m shared.debug program other"},
    {"Clang4", kClang, "-gdwarf-4"},
    {"Clang5", kClang, "-gdwarf-5"},
    {"Clang64Bit", kClang, "-gdwarf-5 -gdwarf64"},
    {"ClangLineTables", kClang, "-gline-tables-only"},
    {"ClangSplit4", kClang, "-gdwarf-4 -gsplit-dwarf"},
    {"ClangSplit5", kClang, "-gdwarf-5 -gsplit-dwarf"},
    {"ClangGcSections", kClang, "-g -ffunction-sections -fuse-ld=lld -Wl,--gc-sections"},
    {"ClangLtoOfLld", kClang, "-g -flto -fuse-ld=lld"},
};

INSTANTIATE_TEST_SUITE_P(, InlineFrames, ::testing::ValuesIn(kBuilds),
                         [](const auto& info) { return info.param.name; });

/// The answer for the code at `vaddr`, with its inlined functions.
Location WithInlines(const Workshop& shop, const std::string& path, std::uint64_t vaddr) {
  auto request = testing::RequestFor(shop, path, {testing::OffsetOf(shop, path, vaddr)});
  request.detail = Detail::kInlines;
  return ResolveModule(request, {}).locations.at(0);
}

/// Two units: the ranges of the second do not begin where those of the file do.
class InlineFramesOfTwoUnits : public ::testing::TestWithParam<const char*> {};

TEST_P(InlineFramesOfTwoUnits, AreToldInBoth) {
  Workshop shop;
  for (const char* name : {"first", "second"}) {
    const std::string n = name;
    shop.Write(n + ".cpp", "static volatile int sink_" + n + R"(;
__attribute__((always_inline)) static inline int Leaf_)" +
                               n + R"((int x) {
  __asm__ volatile(".globl )" + n +
                               "\\n" + n + R"(: nop" : : : "memory");
  return sink_)" + n + R"( += x;
}
int Outer_)" + n + R"((int x) {
  return Leaf_)" + n + R"((x);
}
__attribute__((section(".text.elsewhere"))) int Elsewhere_)" +
                               n + "(int x) { return x + 1; }\n");
  }
  shop.Write("main.cpp",
             "int Outer_first(int);\nint Outer_second(int);\n"
             "int main(int n, char**) { return Outer_first(n) + Outer_second(n); }\n");
  shop.Run("g++ -O2 -gsplit-dwarf " + std::string(GetParam()) +
           " first.cpp second.cpp main.cpp -o program");
  const std::string path = shop.Path("program");
  const auto symbols = Nm(shop, path);
  for (const std::string name : {"first", "second"}) {
    const std::uint64_t vaddr = symbols.at(name).start;
    const Location at = WithInlines(shop, path, vaddr);
    EXPECT_EQ(at.function, "Outer_" + name + "(int)");
    ASSERT_EQ(at.inlined.size(), 1u) << name;
    EXPECT_EQ(at.inlined[0].call_line, 7u);
    ExpectContains(at.inlined[0].function, "Leaf_" + name);
  }
}

INSTANTIATE_TEST_SUITE_P(, InlineFramesOfTwoUnits, ::testing::Values("-gdwarf-4", "-gdwarf-5"),
                         [](const auto& info) { return info.index == 0 ? "Dwarf4" : "Dwarf5"; });

/// A unit of many sections has a list of ranges that no reader takes in at once.
class InlineFramesOfManySections : public ::testing::TestWithParam<const char*> {};

TEST_P(InlineFramesOfManySections, AreToldInTheLastOne) {
  Workshop shop;
  std::string text = "volatile int sink;\n";
  for (int i = 0; i < 2000; ++i) {
    text += "void Fill" + std::to_string(i) + "() { sink = " + std::to_string(i) + "; }\n";
  }
  text += R"(static inline __attribute__((always_inline)) int Leaf(int x) {
  __asm__ volatile(".globl here\nhere: nop" : : : "memory");
  return sink += x;
}
__attribute__((noinline)) int Last(int x) { return Leaf(x); }
int main(int n, char**) { return Last(n); }
)";
  shop.Write("program.cpp", text);
  shop.Run("g++ -O1 -ffunction-sections " + std::string(GetParam()) + " program.cpp -o program");
  const std::string path = shop.Path("program");
  const std::uint64_t vaddr = Nm(shop, path).at("here").start;
  const Location at = WithInlines(shop, path, vaddr);
  EXPECT_EQ(at.function, "Last(int)");
  ASSERT_EQ(at.inlined.size(), 1u);
  ExpectContains(at.inlined[0].function, "Leaf");
  EXPECT_EQ(at.inlined[0].call_line, 2006u);
}

INSTANTIATE_TEST_SUITE_P(, InlineFramesOfManySections, ::testing::Values("-gdwarf-4", "-gdwarf-5"),
                         [](const auto& info) { return info.index == 0 ? "Dwarf4" : "Dwarf5"; });

/// Strict DWARF 2 has no lists of ranges: units of several sections claim .text alone.
TEST(InlineFramesOutsideTheRangesOfTheirUnit, AreFoundByTheLineTable) {
  Workshop shop;
  const std::string tail = R"(
__attribute__((always_inline)) static inline int Leaf(int x) {
  __asm__ volatile(".globl LABEL\nLABEL: nop" : : : "memory");
  return x * 3;
}
template <int N> __attribute__((noinline)) int Shared(int x) { return Leaf(x) + N; }
)";
  for (const std::string n : {"one", "two"}) {
    std::string text = tail;
    for (std::size_t at; (at = text.find("LABEL")) != std::string::npos;) text.replace(at, 5, n);
    shop.Write(n + ".cpp", text + "int Use_" + n + "(int x) { return Shared<" +
                               std::to_string(n.size() + (n == "two")) + ">(x); }\n");
  }
  shop.Write("main.cpp",
             "int Use_one(int);\nint Use_two(int);\n"
             "int main(int n, char**) { return Use_one(n) + Use_two(n); }\n");
  for (const std::string options : {"", " -gz=zlib"}) {
    shop.Run("g++ -O2 -gdwarf-2 -gstrict-dwarf" + options + " one.cpp two.cpp main.cpp -o program");
    const std::string path = shop.Path("program");
    for (const std::string n : {"one", "two"}) {
      const Location at = WithInlines(shop, path, Nm(shop, path).at(n).start);
      ExpectContains(at.function, "Shared<");
      ASSERT_EQ(at.inlined.size(), 1u) << n << options;
      ExpectContains(at.inlined[0].function, "Leaf");  // DWARF 2 has no place of the call
      EXPECT_EQ(at.line, 3u);
      EXPECT_EQ(at.file, shop.Path(n + ".cpp"));
    }
  }
}

/// Nor has it any for an inlined function in two pieces: only the first is told.
TEST(InlineFramesOutsideTheRangeOfTheirCaller, AreTold) {
  Workshop shop;
  shop.Write("far.cpp", R"(static volatile int sink;
__attribute__((always_inline)) static inline int Leaf(int x) {
  __asm__ volatile(".globl far_away\nfar_away: nop" : : : "memory");
  return x * 3;
}
__attribute__((always_inline)) static inline int Mid(int x) {
  if (__builtin_expect(x < 0, 0)) sink = Leaf(x);
  return sink;
}
__attribute__((noinline)) int Outer(int x) {
  int y = Mid(x);
  for (int i = 0; i < x; ++i) y += sink;
  return y;
}
int main(int n, char**) { return Outer(n); }
)");
  shop.Run("g++ -O2 -gdwarf-2 -gstrict-dwarf far.cpp -o far");
  const std::string path = shop.Path("far");
  const Location at = WithInlines(shop, path, Nm(shop, path).at("far_away").start);
  EXPECT_EQ(at.function, "Outer(int)");
  ASSERT_EQ(at.inlined.size(), 2u);
  ExpectContains(at.inlined[0].function, "Leaf");
  ExpectContains(at.inlined[1].function, "Mid");
}

/// As in a program that was rewritten and whose units still claim where the code was.
TEST(InlineFramesOfWrongRanges, AreFoundByTheLineTable) {
  Workshop shop;
  shop.Write("program.cpp", kProgram);
  for (const std::string version : {"4", "5"}) {
    shop.Run("g++ -std=c++17 -O2 -gdwarf-" + version + " -S program.cpp");
    // The unit claims one byte of .text.
    shop.Run(
        "sed -i -E 's/quad\t\\.Letext0/quad\t.Ltext0+1/; "
        "s/uleb128 \\.Letext0-\\.Ltext0/uleb128 1/' program.s");
    shop.Run("g++ program.s -o program");
    const std::string path = shop.Path("program");
    const Location at = WithInlines(shop, path, Nm(shop, path).at("here").start);
    EXPECT_EQ(at.function, "Outer(int)");
    EXPECT_EQ(at.inlined.size(), 3u) << version;
  }
}

/// Two units: what is inlined here was defined there.
TEST(InlineFramesOfLto, TakeNamesFromOtherUnits) {
  Workshop shop;
  shop.Write("leaf.cpp", R"(volatile int sink;
int Leaf(int x) {
  __asm__ volatile(".globl here\nhere: nop" : : : "memory");
  return sink += x;
})");
  shop.Write("main.cpp", "int Leaf(int x);\nint main(int n, char**) {\n  return Leaf(n);\n}\n");
  shop.Run("g++ -O2 -g -flto leaf.cpp main.cpp -o program");
  const std::string path = shop.Path("program");
  const std::uint64_t vaddr = Nm(shop, path).at("here").start;
  const Location at = WithInlines(shop, path, vaddr);
  EXPECT_EQ(at.function, "main");
  ASSERT_EQ(at.inlined.size(), 1u);
  EXPECT_EQ(at.inlined[0].function, "Leaf(int)");
  EXPECT_EQ(at.inlined[0].call_line, 3u);
  ExpectContains(at.inlined[0].call_file, "main.cpp");
}

/// Without symbols the function has its name from .debug_info, in a debug file that has no .symtab.
TEST(InlineFramesWithoutSymbols, NameTheFunctionFromItsDie) {
  Workshop shop;
  shop.Write("program.cpp", kProgram);
  shop.Run("g++ -std=c++17 -O2 -g program.cpp -o program");
  const std::string path = shop.Path("program");
  const std::uint64_t vaddr = Nm(shop, path).at("here").start;
  shop.Run("objcopy --strip-all --keep-section='.debug_*' program");
  const Location at = WithInlines(shop, path, vaddr);
  EXPECT_EQ(at.function, "Outer(int)");
  EXPECT_EQ(at.raw_name, "_Z5Outeri");
  EXPECT_EQ(at.inlined.size(), 3u);
}

}  // namespace
}  // namespace csink::symbolizer
