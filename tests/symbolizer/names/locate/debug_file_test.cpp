#include "symbolizer/names/locate/debug_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::BuildIdOf;
using testing::HaveTool;
using testing::Nm;
using testing::OffsetOf;
using testing::RequestFor;
using testing::Workshop;

/// A stripped library at /opt/lib.so of a root of its own, and its debug file.
class DebugFileTest : public ::testing::Test {
 protected:
  void Build(const std::string& build_id, const std::string& name = "lib") {
    shop_.Write(name + ".c",
                "static __attribute__((noinline)) int Hidden(int x) { return x * 3 + x / 5; }\n"
                "int Exported(int x) { return Hidden(x) + Hidden(x + 1) * 2; }\n");
    shop_.Run("gcc -O1 -g -shared -fPIC -Wl,--build-id=" + build_id + " " + name + ".c -o full.so");
    hidden_ = Nm(shop_, shop_.Path("full.so")).at("Hidden").start;
    shop_.Run("objcopy --only-keep-debug full.so " + name +
              ".debug && mkdir -p opt && strip full.so -o opt/lib.so");
  }
  void Link() { shop_.Run("objcopy --add-gnu-debuglink=lib.debug opt/lib.so"); }
  ModuleAnswer Resolve() {
    const std::string path = shop_.Path("opt/lib.so");
    ModuleRequest request = RequestFor(shop_, path, {OffsetOf(shop_, path, hidden_)});
    request.path = "/opt/lib.so";
    Options options;
    options.root = shop_.folder();
    return ResolveModule(request, options);
  }
  void ExpectFound(const std::string& debug_file) {
    const ModuleAnswer answer = Resolve();
    EXPECT_EQ(answer.debug_file, debug_file);
    EXPECT_TRUE(answer.has_symbols);
    EXPECT_TRUE(answer.has_lines);
    const Location& location = answer.locations.at(0);
    EXPECT_EQ(location.function, "Hidden");
    EXPECT_EQ(location.file.substr(location.file.rfind('/') + 1), "lib.c");
    EXPECT_EQ(location.line, 1u);
  }
  void ExpectNothing() {
    const ModuleAnswer answer = Resolve();
    EXPECT_EQ(answer.debug_file, "");
    EXPECT_FALSE(answer.has_symbols);
    EXPECT_EQ(answer.locations.at(0).source, NameSource::kFde);
  }

  Workshop shop_;
  std::uint64_t hidden_ = 0;
};

TEST_F(DebugFileTest, IsFoundByBuildId) {
  Build("0xabcdef0123456789");
  ExpectNothing();
  const std::string path = "/usr/lib/debug/.build-id/ab/cdef0123456789.debug";
  shop_.Write(path.substr(1), testing::ReadWhole(shop_.Path("lib.debug")));
  ExpectFound(path);
}

TEST_F(DebugFileTest, WithAnotherBuildIdIsRefused) {
  Build("0x1111111111111111");
  const std::string other = testing::ReadWhole(shop_.Path("lib.debug"));
  Build("0xabcdef0123456789");
  shop_.Write("usr/lib/debug/.build-id/ab/cdef0123456789.debug", other);
  ExpectNothing();
  Link();
  shop_.Write("opt/lib.debug", other);
  ExpectNothing();
}

class DebugLink : public DebugFileTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(DebugLink, IsFollowedToEachPlace) {
  Build("none");
  Link();
  ExpectNothing();
  const std::string path = GetParam();
  shop_.Write(path.substr(1), testing::ReadWhole(shop_.Path("lib.debug")));
  ExpectFound(path);
}

INSTANTIATE_TEST_SUITE_P(, DebugLink,
                         ::testing::Values("/opt/lib.debug", "/opt/.debug/lib.debug",
                                           "/usr/lib/debug/opt/lib.debug"));

TEST_F(DebugFileTest, IsFoundBesideAFileThatIsNamedFromItsFolder) {
  Build("none");
  Link();
  shop_.Write("opt/lib.debug", testing::ReadWhole(shop_.Path("lib.debug")));
  const auto elf = ElfFile::Read(std::move(*ObjectBytes::Open(shop_.Path("opt/lib.so"))));
  ASSERT_TRUE(elf);
  const auto before = std::filesystem::current_path();
  for (const auto& [folder, name, found] :
       {std::tuple{"opt", "lib.so", "./lib.debug"}, {".", "opt/lib.so", "opt/lib.debug"}}) {
    std::filesystem::current_path(shop_.Path(folder));
    const auto debug = FindDebugFile(*elf, name, "", nullptr);
    std::filesystem::current_path(before);
    ASSERT_TRUE(debug) << name;
    EXPECT_EQ(debug->path, found);
  }
}

TEST_F(DebugFileTest, WithAnotherCrcIsRefusedWhenThereIsNoBuildId) {
  Build("none");
  Link();
  std::string bytes = testing::ReadWhole(shop_.Path("lib.debug"));
  shop_.Write("opt/lib.debug", bytes + "x");
  ExpectNothing();
  const std::string problem = Resolve().problem;
  EXPECT_TRUE(problem.starts_with("the debug file /opt/lib.debug belongs to another build (CRC "))
      << problem;
  shop_.Write("opt/lib.debug", bytes);
  ExpectFound("/opt/lib.debug");
  EXPECT_EQ(Resolve().problem, "");
}

TEST_F(DebugFileTest, IsTakenByBuildIdEvenWhenTheCrcChanged) {
  // Packagers compress debug files after linking them: the build id still fits.
  Build("0xabcdef0123456789");
  Link();
  shop_.Write("opt/lib.debug", testing::ReadWhole(shop_.Path("lib.debug")) + "x");
  ExpectFound("/opt/lib.debug");
}

TEST_F(DebugFileTest, IsNotTheFileItself) {
  Build("none");
  shop_.Run("cp opt/lib.so lib.debug");
  Link();
  shop_.Run("ln -s lib.so opt/lib.debug");
  ExpectNothing();
}

TEST_F(DebugFileTest, UsesTheRunningFilesSegments) {
  // In a debug file the segments' file offsets are stale: with other code in front, an
  // offset taken through them would name another function.
  Build("0xabcdef0123456789");
  const std::string debug = shop_.Write("usr/lib/debug/.build-id/ab/cdef0123456789.debug",
                                        testing::ReadWhole(shop_.Path("lib.debug")));
  ASSERT_NE(shop_.Run("readelf -lW " + debug + " | grep LOAD"),
            shop_.Run("readelf -lW opt/lib.so | grep LOAD"));
  ExpectFound("/usr/lib/debug/.build-id/ab/cdef0123456789.debug");
}

TEST_F(DebugFileTest, MiniDebugInfoNamesStaticFunctions) {
  if (!HaveTool("xz")) GTEST_SKIP() << "xz is not here";
  Build("0xabcdef0123456789");
  shop_.Run(
      "objcopy -S --remove-section .gnu_debuglink --remove-section .comment --keep-symbol=Hidden "
      "lib.debug mini && xz -k mini && "
      "objcopy --add-section .gnu_debugdata=mini.xz opt/lib.so");
  const ModuleAnswer answer = Resolve();
  EXPECT_TRUE(answer.has_symbols);
  EXPECT_FALSE(answer.has_lines);
  EXPECT_EQ(answer.locations.at(0).function, "Hidden");
  EXPECT_EQ(answer.locations.at(0).function_vaddr, hidden_);
}

TEST_F(DebugFileTest, DamagedMiniDebugInfoIsLeftOut) {
  Build("0xabcdef0123456789");
  shop_.Write("mini.xz",
              "\xfd"
              "7zXZ and then nothing of the kind");
  shop_.Run("objcopy --add-section .gnu_debugdata=mini.xz opt/lib.so");
  ExpectNothing();
}

}  // namespace
}  // namespace csink::symbolizer
