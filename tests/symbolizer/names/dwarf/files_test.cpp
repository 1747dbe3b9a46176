#include "symbolizer/names/dwarf/files.h"

#include <gtest/gtest.h>

#include "core/util/hex.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::ReadWhole;
using testing::Workshop;

ElfFile Open(const std::string& path) {
  auto object = ObjectBytes::Open(path);
  EXPECT_TRUE(object) << path;
  auto elf = ElfFile::Read(std::move(*object));
  EXPECT_TRUE(elf) << path;
  return std::move(*elf);
}

/// Two libraries that share what dwz took out of both.
class AlternateFile : public ::testing::Test {
 protected:
  void Build(const std::string& link, const std::string& flags = "") {
    if (!HaveTool("dwz")) GTEST_SKIP() << "dwz is not here";
    std::string text;
    for (int i = 0; i < 40; ++i) {
      const std::string n = std::to_string(i);
      text += "struct shared_name_" + n + " { int member_one_" + n + "; long member_two_" + n +
              "; struct shared_name_" + n + "* next_" + n + "; };\n";
      text += "int use_" + n + "(struct shared_name_" + n + "* p) { return p->member_one_" + n +
              "; }\n";
    }
    shop_.Write("shared.h", text);
    for (const char* name : {"a", "b"}) {
      shop_.Write(std::string(name) + ".c",
                  "#include \"shared.h\"\nint main_" + std::string(name) + "(void){return 0;}\n");
      shop_.Run(std::string("gcc -O1 -g -fPIC -shared -Wl,--build-id ") + name + ".c -o opt-" +
                name + ".so");
    }
    shop_.Run("mkdir opt && mv opt-a.so opt/a.so && mv opt-b.so opt/b.so && dwz " + flags +
              " -m shared.debug -M " + link + " opt/a.so opt/b.so");
    elf_ = Open(shop_.Path("opt/a.so"));
    ASSERT_TRUE(elf_->FindSection(".gnu_debugaltlink") || elf_->FindSection(".debug_sup"));
  }
  bool IsFound() {
    const auto files = MakeDebugFiles(*elf_, "/opt/a.so", "/opt/a.so", shop_.folder());
    const auto found = files->Alternate();
    return found != nullptr && found->HasDebugSection("str");
  }
  void PutAt(const std::string& path) { shop_.Write(path, ReadWhole(shop_.Path("shared.debug"))); }

  Workshop shop_;
  std::optional<ElfFile> elf_;
};

TEST_F(AlternateFile, IsFoundByItsAbsoluteName) {
  Build("/usr/lib/debug/.dwz/x/shared.debug");
  if (IsSkipped()) return;
  EXPECT_FALSE(IsFound());
  PutAt("usr/lib/debug/.dwz/x/shared.debug");
  EXPECT_TRUE(IsFound());
}

TEST_F(AlternateFile, IsFoundBesideTheFile) {
  Build("shared.debug");
  if (IsSkipped()) return;
  EXPECT_FALSE(IsFound());
  PutAt("opt/shared.debug");
  EXPECT_TRUE(IsFound());
}

TEST_F(AlternateFile, IsFoundFromWhereALinkLeads) {
  Build("../shared.debug");
  if (IsSkipped()) return;
  shop_.Run("mkdir -p deep/er && mv opt/a.so deep/er/a.so && ln -s ../deep/er/a.so opt/a.so");
  PutAt("deep/shared.debug");
  EXPECT_TRUE(IsFound());
}

TEST_F(AlternateFile, IsFoundInTheFolderOfAlternateFiles) {
  Build("/gone/shared.debug");
  if (IsSkipped()) return;
  PutAt("usr/lib/debug/.dwz/shared.debug");
  EXPECT_TRUE(IsFound());
}

TEST_F(AlternateFile, IsFoundByBuildId) {
  Build("/gone/shared.debug");
  if (IsSkipped()) return;
  const std::string id = ToHex(testing::BuildIdOf(shop_, shop_.Path("shared.debug")));
  PutAt("usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  EXPECT_TRUE(IsFound());
}

TEST_F(AlternateFile, WithAnotherBuildIdIsRefused) {
  Build("/usr/lib/debug/.dwz/shared.debug");
  if (IsSkipped()) return;
  shop_.Write("other.c", "int other;");
  shop_.Run("gcc -g -shared -fPIC -Wl,--build-id other.c -o other.so");
  shop_.Write("usr/lib/debug/.dwz/shared.debug", ReadWhole(shop_.Path("other.so")));
  EXPECT_FALSE(IsFound());
}

TEST_F(AlternateFile, OfDwarf5IsToldByItsChecksum) {
  Build("/usr/lib/debug/.dwz/shared.debug", "--dwarf-5");
  if (IsSkipped()) return;
  ASSERT_TRUE(elf_->HasDebugSection("sup"));
  PutAt("usr/lib/debug/.dwz/shared.debug");
  EXPECT_TRUE(IsFound());
  std::string damaged = ReadWhole(shop_.Path("shared.debug"));
  // The checksum in the other file's .debug_sup.
  const ElfFile other = Open(shop_.Path("shared.debug"));
  const auto at = other.FindSection(".debug_sup");
  ASSERT_TRUE(at);
  const auto& section = other.sections()[*at];
  damaged[section.sh_offset + section.sh_size - 1] ^= 1;
  shop_.Write("usr/lib/debug/.dwz/shared.debug", damaged);
  EXPECT_FALSE(IsFound());
}

/// A library compiled with split units, in a folder of its own.
class SplitUnits : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    shop_.Write("src/unit.c", "int Inside(int x) { return x * 3; }\n");
    shop_.Run(std::string("cd src && gcc -O1 -g -gsplit-dwarf -fPIC -c ") + GetParam() +
              " unit.c -o unit.o && gcc -shared unit.o -o ../lib.so");
    elf_ = Open(shop_.Path("lib.so"));
    // What the skeleton says, by readelf's word.
    const std::string info = shop_.Run("readelf --debug-dump=info lib.so");
    unit_.name = After(info, "dwo_name");
    unit_.folder = After(info, "DW_AT_comp_dir");
    std::string id = After(info, "DWO ID");
    if (id.empty()) id = After(info, "dwo_id");
    unit_.id = std::stoull(id, nullptr, 16);
    ASSERT_EQ(unit_.name, "unit.dwo");
    ASSERT_EQ(unit_.folder, shop_.Path("src"));
    files_ = MakeDebugFiles(*elf_, shop_.Path("lib.so"), shop_.Path("lib.so"), "");
  }
  /// The last word of the line behind `label`.
  static std::string After(const std::string& text, const std::string& label) {
    const std::size_t at = text.find(label);
    if (at == std::string::npos) return {};
    std::string line = text.substr(at, text.find('\n', at) - at);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line.substr(line.find_last_of(" \t") + 1);
  }
  static bool IsObject(const std::shared_ptr<const ElfFile>& file) {
    return file != nullptr && file->HasDebugSection("info.dwo");
  }

  Workshop shop_;
  std::optional<ElfFile> elf_;
  std::unique_ptr<DebugFiles> files_;
  SplitName unit_;
};

TEST_P(SplitUnits, AreFoundWhereTheCompilerLeftThem) {
  EXPECT_TRUE(IsObject(files_->Split(unit_)));
  EXPECT_EQ(files_->Split(unit_), files_->Split(unit_)) << "the same file is not read twice";
}

TEST_P(SplitUnits, AreFoundBesideTheModule) {
  shop_.Run("mv src/unit.dwo .");
  EXPECT_TRUE(IsObject(files_->Split(unit_)));
  shop_.Run("rm unit.dwo");
  const auto later = MakeDebugFiles(*elf_, shop_.Path("lib.so"), shop_.Path("lib.so"), "");
  EXPECT_EQ(later->Split(unit_), nullptr);
}

TEST_P(SplitUnits, AreFoundByAnAbsoluteName) {
  shop_.Run("mkdir other && mv src/unit.dwo other/");
  unit_.name = shop_.Path("other/unit.dwo");
  EXPECT_TRUE(IsObject(files_->Split(unit_)));
}

TEST_P(SplitUnits, OfAnotherCompilationArePassedOver) {
  // DWARF 4 has the id in an attribute, which who reads the unit compares.
  if (std::string(GetParam()) == "-gdwarf-4") return;
  shop_.Run(
      "cp src/unit.dwo . && cd src && echo 'int More;' >> unit.c && "
      "gcc -O1 -g -gsplit-dwarf -gdwarf-5 -fPIC -c unit.c -o unit.o");
  const auto found = files_->Split(unit_);
  ASSERT_TRUE(IsObject(found));
  EXPECT_EQ(found->object().inode(), ObjectBytes::Open(shop_.Path("unit.dwo"))->inode());
  shop_.Run("rm unit.dwo");
  const auto later = MakeDebugFiles(*elf_, shop_.Path("lib.so"), shop_.Path("lib.so"), "");
  EXPECT_EQ(later->Split(unit_), nullptr);
}

TEST_P(SplitUnits, AreFoundInAPackage) {
  const std::string tool = std::string(GetParam()) == "-gdwarf-5" ? "llvm-dwp-14" : "dwp";
  if (!HaveTool(tool)) GTEST_SKIP() << tool << " is not here";
  EXPECT_EQ(files_->Package(), nullptr);
  shop_.Run(tool + " src/unit.dwo -o lib.so.dwp");
  const auto later = MakeDebugFiles(*elf_, shop_.Path("lib.so"), shop_.Path("lib.so"), "");
  const auto package = later->Package();
  ASSERT_NE(package, nullptr);
  EXPECT_TRUE(package->HasDebugSection("cu_index"));
}

TEST_P(SplitUnits, InWhatIsNoPackageAreNotLookedFor) {
  shop_.Run("cp lib.so lib.so.dwp");
  EXPECT_EQ(files_->Package(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(, SplitUnits, ::testing::Values("-gdwarf-4", "-gdwarf-5"),
                         [](const auto& info) { return info.index == 0 ? "Dwarf4" : "Dwarf5"; });

}  // namespace
}  // namespace csink::symbolizer
