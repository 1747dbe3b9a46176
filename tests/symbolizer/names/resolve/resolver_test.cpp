#include "symbolizer/names/resolve/resolver.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::OffsetOf;
using testing::RequestFor;
using testing::ResolveVaddr;
using testing::SelfLocated;
using testing::Workshop;

std::string Hex(std::uint64_t v) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%lx", static_cast<unsigned long>(v));
  return text;
}

// Two functions, one of them static, that no compiler merges or inlines.
const char kTwoFunctions[] = R"(
#define KEEP __attribute__((noinline, noclone, noipa))
static KEEP int Hidden(int x) {
  int sum = 0;
  for (int i = 0; i < x; ++i) sum += i * x ^ sum;
  return sum;
}
KEEP int Exported(int x) {
  int sum = Hidden(x);
  for (int i = 0; i < x; ++i) sum -= i * x ^ sum;
  return sum;
}
)";

class ResolveLibrary : public ::testing::Test {
 protected:
  std::string Build(const std::string& flags) {
    shop_.Write("two.c", kTwoFunctions);
    shop_.Run("gcc -O1 -fPIC -shared " + flags + " two.c -o libtwo.so.1");
    return shop_.Path("libtwo.so.1");
  }
  Workshop shop_;
};

TEST_F(ResolveLibrary, NamesStaticFunctionsFromTheSymbolTable) {
  const std::string path = Build("");
  const auto hidden = Nm(shop_, path).at("Hidden");
  for (std::uint64_t pc = hidden.start; pc < hidden.start + hidden.size; ++pc) {
    const Location location = ResolveVaddr(shop_, path, pc);
    ASSERT_EQ(location.function, "Hidden") << pc - hidden.start;
    ASSERT_EQ(location.raw_name, "Hidden");
    ASSERT_EQ(location.source, NameSource::kSymbol);
    ASSERT_EQ(location.function_vaddr, hidden.start);
    pc += hidden.size / 8;
  }
}

TEST_F(ResolveLibrary, GroupsStrippedCodeByItsUnwindEntry) {
  const std::string path = Build("");
  const auto symbols = Nm(shop_, path);
  shop_.Run("strip libtwo.so.1");
  const auto hidden = symbols.at("Hidden");
  const std::string name = "[libtwo.so.1+" + Hex(hidden.start) + "]";
  for (const std::uint64_t pc : {hidden.start, hidden.start + hidden.size - 1}) {
    const Location location = ResolveVaddr(shop_, path, pc);
    EXPECT_EQ(location.function, name);
    EXPECT_EQ(location.raw_name, "");
    EXPECT_EQ(location.source, NameSource::kFde);
    EXPECT_EQ(location.function_vaddr, hidden.start);
  }
  const Location exported = ResolveVaddr(shop_, path, symbols.at("Exported").start + 5);
  EXPECT_EQ(exported.function, "Exported");
  EXPECT_EQ(exported.source, NameSource::kSymbol);
}

TEST_F(ResolveLibrary, ReadsUnwindEntriesWithoutTheirSearchTable) {
  const std::string path = Build("-Wl,--no-eh-frame-hdr");
  const auto hidden = Nm(shop_, path).at("Hidden");
  shop_.Run("strip libtwo.so.1");
  const Location location = ResolveVaddr(shop_, path, hidden.start + 3);
  EXPECT_EQ(location.source, NameSource::kFde);
  EXPECT_EQ(location.function_vaddr, hidden.start);
}

TEST_F(ResolveLibrary, ShowsThePcAloneWhereNothingIsKnown) {
  const std::string path = Build("-fno-asynchronous-unwind-tables -fno-unwind-tables");
  const auto hidden = Nm(shop_, path).at("Hidden");
  shop_.Run("strip -R .eh_frame -R .eh_frame_hdr libtwo.so.1");
  const Location location = ResolveVaddr(shop_, path, hidden.start + 3);
  EXPECT_EQ(location.function, "[libtwo.so.1+" + Hex(hidden.start + 3) + "]");
  EXPECT_EQ(location.source, NameSource::kNone);
  EXPECT_EQ(location.function_vaddr, hidden.start + 3);
}

TEST_F(ResolveLibrary, TakesTheNameOfTheDebugInformationAndNotAnAlias) {
  shop_.Write("alias.c", R"(
volatile unsigned long sink;
__attribute__((noinline)) int real_name(long n) { for (long i = 0; i < n; ++i) sink += i; return 0; }
int bar(long) __attribute__((alias("real_name")));
int _weak(long) __attribute__((weak, alias("real_name")));
int malloc_like(long n) __attribute__((alias("__libc_malloc_like")));
int __libc_malloc_like(long n) { for (long i = 0; i < n; ++i) sink ^= i; return 1; }
)");
  const auto name_in = [&](const std::string& flags, const std::string& symbol, Detail detail) {
    shop_.Run("gcc -O1 -fPIC -shared " + flags + " alias.c -o libalias.so");
    const std::string path = shop_.Path("libalias.so");
    const auto start = Nm(shop_, path).at(symbol).start;
    auto request = RequestFor(shop_, path, {OffsetOf(shop_, path, start)});
    request.detail = detail;
    return ResolveModule(request, {}).locations.at(0);
  };
  for (const Detail detail : {Detail::kFunctions, Detail::kLines, Detail::kInlines}) {
    const Location location = name_in("-g", "real_name", detail);
    EXPECT_EQ(location.function, "real_name");
    EXPECT_EQ(location.raw_name, "real_name");
    EXPECT_EQ(location.aliases, 2u);
    // A name that is reserved for the library is not what programs call the function.
    EXPECT_EQ(name_in("-g", "malloc_like", detail).function, "malloc_like");
  }
  EXPECT_EQ(name_in("", "real_name", Detail::kLines).function, "bar");
}

TEST_F(ResolveLibrary, TakesTheNameOfTheDebugInformationWhereASymbolIsMissing) {
  shop_.Write("box.cc", R"(
volatile unsigned long sink;
namespace outer {
struct Box {
  struct Inner { void spin(long); template <class T> void turn(T); };
  static void stat(long);
};
}
__attribute__((noinline)) static void hidden(long n) { for (long i = 0; i < n; ++i) sink += i * 3; }
void outer::Box::Inner::spin(long n) { for (long i = 0; i < n; ++i) sink += i * 5; }
template <class T> void outer::Box::Inner::turn(T n) { for (T i = 0; i < n; ++i) sink ^= i * 7; }
void outer::Box::stat(long n) { hidden(n); for (long i = 0; i < n; ++i) sink -= i * 9; }
template void outer::Box::Inner::turn<int>(int);
)");
  shop_.Run("g++ -O1 -g -fPIC -fvisibility=hidden -shared box.cc -o libbox.so");
  const auto symbols = Nm(shop_, shop_.Path("libbox.so"));
  shop_.Run("objcopy -w -N '_ZN5outer*' -N '_ZL6hidden*' libbox.so libno.so");
  for (const auto& [symbol, name] : std::map<std::string, std::string>{
           {"_ZN5outer3Box5Inner4spinEl", "outer::Box::Inner::spin(long)"},
           {"_ZN5outer3Box5Inner4turnIiEEvT_", "void outer::Box::Inner::turn<int>(int)"},
           {"_ZN5outer3Box4statEl", "outer::Box::stat(long)"},
           {"_ZL6hiddenl", "hidden"}}) {
    const auto start = symbols.at(symbol).start;
    const Location location = ResolveVaddr(shop_, shop_.Path("libno.so"), start + 2);
    EXPECT_EQ(location.function, name);
    EXPECT_EQ(location.source, NameSource::kSymbol);
    EXPECT_EQ(location.function_vaddr, start);
    EXPECT_NE(location.line, 0u);
  }
}

TEST_F(ResolveLibrary, AnswersInTheOrderOfTheOffsets) {
  const std::string path = Build("");
  const auto symbols = Nm(shop_, path);
  const std::uint64_t a = OffsetOf(shop_, path, symbols.at("Hidden").start);
  const std::uint64_t b = OffsetOf(shop_, path, symbols.at("Exported").start);
  const auto request = RequestFor(shop_, path, {a, b, b + 1, std::uint64_t{1} << 40});
  const auto answer = ResolveModule(request, {});
  ASSERT_EQ(answer.locations.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(answer.locations[i].function, request.file_offsets[i] == a ? "Hidden" : "Exported");
  }
  EXPECT_EQ(answer.locations[3].function, "[libtwo.so.1+0x10000000000]");
}

TEST_F(ResolveLibrary, SaysWhetherThereAreSymbolsAndLines) {
  const std::string path = Build("-g");
  const std::uint64_t offset = OffsetOf(shop_, path, Nm(shop_, path).at("Hidden").start);
  auto answer = ResolveModule(RequestFor(shop_, path, {offset}), {});
  EXPECT_TRUE(answer.has_symbols);
  EXPECT_TRUE(answer.has_lines);
  shop_.Run("strip -g libtwo.so.1");
  answer = ResolveModule(RequestFor(shop_, path, {offset}), {});
  EXPECT_TRUE(answer.has_symbols);
  EXPECT_FALSE(answer.has_lines);
  shop_.Run("strip libtwo.so.1");
  answer = ResolveModule(RequestFor(shop_, path, {offset}), {});
  EXPECT_FALSE(answer.has_symbols);
  EXPECT_FALSE(answer.has_lines);
  EXPECT_EQ(answer.problem, "");
}

TEST_F(ResolveLibrary, LeavesLinesOutWhenNotWanted) {
  const std::string path = Build("-g");
  const std::uint64_t vaddr = Nm(shop_, path).at("Hidden").start;
  ModuleRequest request = RequestFor(shop_, path, {OffsetOf(shop_, path, vaddr)});
  request.detail = Detail::kFunctions;
  const ModuleAnswer answer = ResolveModule(request, {});
  ASSERT_EQ(answer.locations.size(), 1u);
  EXPECT_EQ(answer.locations[0].function, "Hidden");
  EXPECT_EQ(answer.locations[0].line, 0u);
  EXPECT_EQ(answer.locations[0].vaddr, vaddr);
}

/// A program whose functions lie where the linker flags put them, and which says
/// itself at which file offsets the kernel mapped them.
using LayoutParameter = std::tuple<const char*, const char*>;
class ResolveLayout : public ::testing::TestWithParam<LayoutParameter> {};

TEST_P(ResolveLayout, FindsFunctionsWhereTheKernelMapsThem) {
  const auto& [linker, flags] = GetParam();
  if (*linker != '\0' && !HaveTool(linker)) GTEST_SKIP() << linker << " is not here";
  Workshop shop;
  shop.Write("self.c", std::string(testing::kSelfLocating) + R"(
    __attribute__((noinline, section(".text.near"))) int Near(int x) { return x * 7 + x / 3; }
    __attribute__((noinline, section(".far"))) int Far(int x) { return x * 5 + x / 7; }
    int main(int n, char** v) { Say(Near); Say(Far); Say(main); return Near(n) + Far(n) == 0; })");
  shop.Run(std::string("gcc -O1 -g ") + flags + " self.c -o self");
  const std::string path = shop.Path("self");
  const auto places = SelfLocated(shop, path);
  ASSERT_EQ(places.size(), 3u);
  for (const auto& [name, offset] : places) {
    const auto answer = ResolveModule(RequestFor(shop, path, {offset}), {});
    EXPECT_EQ(answer.locations[0].function, name);
    EXPECT_EQ(answer.locations[0].file.substr(answer.locations[0].file.rfind('/') + 1), "self.c");
    EXPECT_EQ(answer.locations[0].function_vaddr, Nm(shop, path).at(name).start);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ResolveLayout,
    ::testing::Values(LayoutParameter{"", "-pie -fPIE"}, LayoutParameter{"", "-no-pie -fno-pie"},
                      LayoutParameter{"", "-static"}, LayoutParameter{"", "-static-pie -fPIE"},
                      // A second executable segment, far away.
                      LayoutParameter{"", "-no-pie -fno-pie -Wl,--section-start=.far=0x40000000"},
                      // Code and data in one segment and page.
                      LayoutParameter{"", "-no-pie -fno-pie -Wl,-z,noseparate-code"},
                      LayoutParameter{"", "-Wl,-z,noseparate-code"},
                      // lld: addresses and file offsets differ by the segment.
                      LayoutParameter{"ld.lld", "-fuse-ld=lld"},
                      LayoutParameter{"ld.lld", "-fuse-ld=lld -no-pie -fno-pie"},
                      LayoutParameter{"ld.gold",
                                      "-fuse-ld=gold -Wl,--section-start=.far=0x40000000"}));

TEST(ResolveModule, ShowsAddressesOfCodeWithoutAFile) {
  ModuleRequest request;
  request.is_anonymous = true;
  request.region_start = 0x7f0000001000;
  request.file_offsets = {0x7f0000001010, 0x7f0000001ff0};
  const auto answer = ResolveModule(request, {});
  ASSERT_EQ(answer.locations.size(), 2u);
  EXPECT_EQ(answer.locations[1].function, "[anon:7f0000001000+0xff0]");
  EXPECT_EQ(answer.locations[1].function_vaddr, 0x7f0000001ff0u);
  EXPECT_EQ(answer.locations[1].source, NameSource::kNone);
}

TEST(ResolveModule, BorrowsNoLineFromAnotherFunction) {
  // GNU as 2.40 drops rows of line 0 that are written by hand.
  if (!HaveTool("clang-14")) GTEST_SKIP() << "clang-14 is not here";
  // Compiler-made code at the start of `second`, then code without a row of its own.
  Workshop shop;
  shop.Write("code.s", R"(
    .file 1 "code.c"
    .text
    .type first, %function
    first: .loc 1 10
    .rept 8; nop; .endr
    .size first, 8
    .type second, %function
    second: .loc 1 0
    .rept 8; nop; .endr
    .loc 1 20
    .rept 8; nop; .endr
    .loc 1 0
    .rept 8; nop; .endr
    .size second, 24
    .loc 1 30
    .rept 4; nop; .endr
    .type third, %function
    third: .rept 8; nop; .endr
    .size third, 8
  )");
  shop.Run("clang-14 -shared -nostdlib -Wl,--build-id code.s -o lib.so");
  const auto symbols = Nm(shop, shop.Path("lib.so"));
  const auto line_at = [&](const char* function, std::uint64_t distance) {
    return ResolveVaddr(shop, shop.Path("lib.so"), symbols.at(function).start + distance).line;
  };
  EXPECT_EQ(line_at("first", 0), 10u);
  EXPECT_EQ(line_at("second", 0), 0u);
  EXPECT_EQ(line_at("second", 8), 20u);
  EXPECT_EQ(line_at("second", 16), 20u);
  EXPECT_EQ(line_at("third", 0), 30u);
}

TEST(ResolveModule, KnowsThatLabelsOfTheKernelAreNoFiles) {
  for (const char* path : {"[vsyscall]", "[heap]", "//anon", ""}) {
    ModuleRequest request;
    request.path = path;
    request.file_offsets = {0x10};
    const auto answer = ResolveModule(request, {});
    EXPECT_EQ(answer.problem, "code without a file") << path;
    EXPECT_EQ(answer.locations.at(0).source, NameSource::kNone);
  }
}

TEST(ResolveModule, TakesAnEmptyRequest) { EXPECT_TRUE(ResolveModule({}, {}).locations.empty()); }

}  // namespace
}  // namespace csink::symbolizer
