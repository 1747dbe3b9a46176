#include "symbolizer/names/elf/symbol_table.h"

#include <gtest/gtest.h>

#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::Nm;
using testing::ResolveVaddr;
using testing::Workshop;

/// One shared library from assembler source; `at` gives a place relative to a label.
class SymbolMatcherTest : public ::testing::Test {
 protected:
  void Assemble(const std::string& text, const std::string& flags = "") {
    shop_.Write("code.S", ".text\n" + text);
    shop_.Run("gcc -shared -nostdlib -Wl,--build-id " + flags + " code.S -o lib.so");
    symbols_ = Nm(shop_, shop_.Path("lib.so"));
  }
  std::uint64_t Start(const std::string& label) const { return symbols_.at(label).start; }
  Location At(const std::string& label, std::uint64_t distance) {
    return ResolveVaddr(shop_, shop_.Path("lib.so"), Start(label) + distance);
  }
  std::string NameAt(const std::string& label, std::uint64_t distance) {
    return At(label, distance).function;
  }
  static std::string Function(const std::string& name, int bytes,
                              const std::string& scope = "global") {
    const std::string n = std::to_string(bytes);
    return (scope == "local" ? "" : "." + scope + " " + name + "\n") + ".type " + name +
           ", %function\n" + name + ": .skip " + n + ", 0x90\n.size " + name + ", " + n + "\n";
  }
  static std::string Alias(const std::string& name, const std::string& of, int bytes,
                           const std::string& scope = "global") {
    return (scope == "local" ? "" : "." + scope + " " + name + "\n") + ".type " + name +
           ", %function\n.set " + name + ", " + of + "\n.size " + name + ", " +
           std::to_string(bytes) + "\n";
  }

  Workshop shop_;
  std::map<std::string, testing::NmSymbol> symbols_;
};

TEST_F(SymbolMatcherTest, NamesNothingBehindTheEndOfASizedSymbol) {
  Assemble(Function("sized", 16) + ".skip 32, 0x90\n" + Function("next", 16));
  EXPECT_EQ(NameAt("sized", 0), "sized");
  EXPECT_EQ(NameAt("sized", 15), "sized");
  EXPECT_EQ(At("sized", 16).source, NameSource::kNone);
  EXPECT_EQ(At("sized", 47).source, NameSource::kNone);
  EXPECT_EQ(NameAt("sized", 48), "next");
}

TEST_F(SymbolMatcherTest, ExtendsALabelToTheNextSymbolOfItsSection) {
  Assemble(Function("before", 16) + "label: .skip 32, 0x90\n" + Function("after", 16) +
           ".skip 16, 0x90\n.section .other, \"ax\", %progbits\n.skip 64, 0x90\n");
  EXPECT_EQ(NameAt("label", 0), "label");
  EXPECT_EQ(NameAt("label", 31), "label");
  EXPECT_EQ(At("label", 31).function_vaddr, Start("label"));
  EXPECT_EQ(NameAt("label", 32), "after");
  EXPECT_EQ(At("after", 16).source, NameSource::kNone);
}

TEST_F(SymbolMatcherTest, EndsALabelWithItsSection) {
  Assemble(Function("before", 16) + "last: .skip 16, 0x90\n" +
           ".section .zother, \"ax\", %progbits\n.skip 64, 0x90\nend:\n");
  EXPECT_EQ(NameAt("last", 15), "last");
  EXPECT_EQ(At("end", static_cast<std::uint64_t>(-32)).source, NameSource::kNone);
}

TEST_F(SymbolMatcherTest, TakesADynamicSymbolWithoutSizeOnlyAtItsAddress) {
  Assemble(".global label\nlabel: .skip 32, 0x90\n");
  const std::uint64_t start = Start("label");
  shop_.Run("strip lib.so");
  EXPECT_EQ(ResolveVaddr(shop_, shop_.Path("lib.so"), start).function, "label");
  EXPECT_EQ(ResolveVaddr(shop_, shop_.Path("lib.so"), start + 1).source, NameSource::kNone);
}

TEST_F(SymbolMatcherTest, EndsALabelWhereAnUnwindEntryBegins) {
  Assemble("label: .skip 16, 0x90\n.cfi_startproc\n.skip 16, 0x90\n.cfi_endproc\n");
  EXPECT_EQ(NameAt("label", 15), "label");
  EXPECT_EQ(At("label", 16).source, NameSource::kFde);
  EXPECT_EQ(At("label", 20).function_vaddr, Start("label") + 16);
}

TEST_F(SymbolMatcherTest, TakesTheInnermostOfNestedSymbols) {
  Assemble(".type outer, %function\nouter: .skip 16, 0x90\n" + Function("inner", 16, "local") +
           ".skip 16, 0x90\n.size outer, 48\n");
  EXPECT_EQ(NameAt("outer", 15), "outer");
  EXPECT_EQ(NameAt("outer", 16), "inner");
  EXPECT_EQ(NameAt("outer", 31), "inner");
  EXPECT_EQ(NameAt("outer", 32), "outer");
  EXPECT_EQ(NameAt("outer", 47), "outer");
}

TEST_F(SymbolMatcherTest, IgnoresLabelsInsideASizedFunction) {
  Assemble(".type whole, %function\nwhole: .skip 8, 0x90\nloop: .skip 24, 0x90\n.size whole, 32\n");
  EXPECT_EQ(NameAt("whole", 20), "whole");
}

TEST_F(SymbolMatcherTest, PrefersTheNameThatPeopleKnow) {
  Assemble(Function("__GI_read", 16, "local") + Alias("__read", "__GI_read", 16) +
           Alias("read", "__GI_read", 16, "weak") + Alias("_read", "__GI_read", 16));
  EXPECT_EQ(NameAt("__GI_read", 5), "read");
}

TEST_F(SymbolMatcherTest, PrefersExportedNames) {
  Assemble(Function("a", 16, "local") + Alias("longer_but_exported", "a", 16));
  EXPECT_EQ(NameAt("a", 5), "longer_but_exported");
}

TEST_F(SymbolMatcherTest, PrefersShorterThenAlphabeticalNames) {
  Assemble(Function("name_bb", 16) + Alias("name_ab", "name_bb", 16) +
           Alias("name_abc", "name_bb", 16));
  EXPECT_EQ(NameAt("name_bb", 5), "name_ab");
}

TEST_F(SymbolMatcherTest, PrefersSizedNamesOfFunctions) {
  Assemble(
      ".global zz_function\n.type zz_function, %function\n.global a_label\na_label:\nzz_function: "
      ".skip 16, 0x90\n.size zz_function, 16\n");
  EXPECT_EQ(NameAt("a_label", 0), "zz_function");
}

TEST_F(SymbolMatcherTest, PrefersTheDefaultVersionAndDropsVersions) {
  shop_.Write("map", "V1 { global: grow; local: *; }; V2 { global: grow; } V1;");
  Assemble(Function("old_grow", 16) + Function("new_grow", 16) +
               ".symver old_grow, grow@V1\n.symver new_grow, grow@@V2\n" +
               Alias("agrow_internal", "new_grow", 16, "local"),
           "-Wl,--version-script=map");
  EXPECT_EQ(NameAt("agrow_internal", 3), "grow");
  EXPECT_EQ(At("agrow_internal", 3).raw_name, "grow");
}

TEST_F(SymbolMatcherTest, NamesIndirectFunctions) {
  Assemble(
      ".global pick\n.type pick, %gnu_indirect_function\npick: .skip 16, 0x90\n.size pick, 16\n");
  EXPECT_EQ(NameAt("pick", 7), "pick");
}

TEST_F(SymbolMatcherTest, LetsTablesInCodeEndALabelButNameNothing) {
  Assemble("label: .skip 16, 0x90\n.type table, %object\ntable: .skip 16, 0\n.size table, 16\n");
  EXPECT_EQ(NameAt("label", 15), "label");
  EXPECT_EQ(At("label", 16).source, NameSource::kNone);
}

TEST_F(SymbolMatcherTest, LooksOverMappingSymbolsAndLocalLabels) {
  Assemble("label: .skip 8, 0x90\n$x: .skip 8, 0x90\n$d.42: .skip 8, 0x90\n$xyz: .skip 8, 0x90\n",
           "-Wa,--keep-locals");
  EXPECT_EQ(NameAt("label", 8), "label");
  EXPECT_EQ(NameAt("label", 16), "label");
  EXPECT_EQ(NameAt("label", 24), "$xyz");
}

TEST(IsLabelOnly, TellsLabelsFromNames) {
  for (const char* label : {"", "$x", "$d", "$t", "$a", "$d.1", ".L12", ".Lanything"}) {
    EXPECT_TRUE(IsLabelOnly(label)) << label;
  }
  for (const char* name : {"$", "$xyz", "$b", "main", ".text", "L12", "x$"}) {
    EXPECT_FALSE(IsLabelOnly(name)) << name;
  }
}

}  // namespace
}  // namespace csink::symbolizer
