#include "symbolizer/names/demangle/demangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "symbolizer/names/demangle/languages.h"
#include "symbolizer/names/demangle/punycode.h"

namespace csink::symbolizer {
namespace {

struct Pair {
  const char* mangled;
  const char* expected;
};

TEST(Demangle, ReadsCxxNames) {
  const Pair pairs[] = {
      {"_Z3fooi", "foo(int)"},
      {"_ZN3abc3defEv", "abc::def()"},
      {"_ZNSt6vectorIiSaIiEE9push_backERKi",
       "std::vector<int, std::allocator<int> >::push_back(int const&)"},
      {"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"},
      {"_Z4workv.cold", "work() [clone .cold]"},
      {"_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()"},
  };
  for (const auto& [mangled, expected] : pairs) EXPECT_EQ(Demangle(mangled), expected);
}

TEST(Demangle, LeavesOtherNamesAsTheyAre) {
  for (const char* name : {"main",
                           "",
                           "_",
                           "_Z",
                           "_R",
                           "_Znonsense!",
                           "_ZN3abc",
                           "_RNvC1",
                           "Rust",
                           "main.(*T).Method",
                           "type:.eq.main.T",
                           "_D3std5stdioX",
                           "_DYNAMIC",
                           "$s4main3fooyyF",
                           "__A_MOD_b",
                           "___MOD_b",
                           "__m_MOD_",
                           "__m_mod_f",
                           "_RNvC6_123foo3barX!",
                           "_R0NvC1a1b"}) {
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(Demangle, ReadsNamesOfD) {
  const Pair pairs[] = {
      {"_Dmain", "D main"},
      {"_D3std3xml4chopFNaNbNfKAyamZQf", "std.xml.chop(ref immutable(char)[], ulong)"},
      {"_D3std5range__T6ChunksTAhZQl8popFrontMFNaNbNiNfZv",
       "std.range.Chunks!(ubyte[]).Chunks.popFront()"},
  };
  for (const auto& [mangled, expected] : pairs) EXPECT_EQ(Demangle(mangled), expected);
}

TEST(Demangle, ReadsProceduresOfFortranModulesAsDebugInformationDoes) {
  EXPECT_EQ(Demangle("__solver_MOD_step"), "solver::step");
  EXPECT_EQ(Demangle("__a_2_MOD___copy_a_2_T"), "a_2::__copy_a_2_T");
  EXPECT_EQ(Demangle("__solver_MOD_step.constprop.0"), "solver::step.constprop.0");
}

TEST(Demangle, ReadsTheZEncodingOfHaskell) {
  const Pair pairs[] = {
      {"base_GHCziBase_map_info", "GHC.Base.map"},
      {"base_GHCziBase_zpzp_info", "GHC.Base.++"},
      {"base_GHCziBase_zdfMonadIOzuzdczgzg_info", "GHC.Base.$fMonadIO_$c>>"},
      {"ghczmprim_GHCziTypes_ZMZN_closure", "GHC.Types.[] [closure]"},
      {"ghczmprim_GHCziTypes_ZC_con_info", "GHC.Types.: [constructor]"},
      {"ghczmprim_GHCziTupleziPrim_Z3T_con_info", "GHC.Tuple.Prim.(,,) [constructor]"},
      {"ghczmprim_GHCziPrim_Z1H_closure", "GHC.Prim.(# #) [closure]"},
      {"containerszm0zi6zi7_DataziMapziInternal_insertzuzdsgo1_slow",
       "Data.Map.Internal.insert_$sgo1 [slow]"},
      {"Main_zdwfib_info", "Main.$wfib"},
      {"Main_buzzzq_entry", "Main.buz'"},
      {"Main_x0z3bbU_info", "Main.x0\xce\xbb"},
  };
  for (const auto& [mangled, expected] : pairs) EXPECT_EQ(Demangle(mangled), expected);
}

TEST(Demangle, LeavesNamesOfCThatLookLikeHaskell) {
  for (const char* name : {"zlib_z_info",
                           "zlib_Z_info",
                           "Fuzz_lizz_info",
                           "Fuzz_lizard_info",
                           "Fuzz_hazard_info",
                           "buzz_lizard_info",
                           "Fuzz_size_info",
                           "Lizi_info",
                           "GHCziBase_info",
                           "Main_main_info",
                           "stg_ap_pp_info",
                           "s2BqZZ_info",
                           "a_b_GHCziBase_map_info",
                           "base_GHCziBase_map",
                           "base_GHCziBase_mapz_info",
                           "base_GHCziBase_mapZ_info",
                           "base_GHCziBase__info",
                           "base__map_info",
                           "base_GHCzi_map_info",
                           "base_GHCziBase_Z999999999T_info",
                           "base_GHCziBase_Z3X_info",
                           "base_GHCziBase_xz1fU_info",
                           "base_GHCziBase_xz110000U_info",
                           "base_GHCziBase_xz0d800U_info",
                           "base_GHCziBase_xz3b_info",
                           "_info",
                           "z_info",
                           "Z_info",
                           "_z_info",
                           "zi_zi_zi_info",
                           "size",
                           "zz"}) {
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(Demangle, SurvivesNamesOfDThatGrowExponentially) {
  // Each parameter is a delegate whose parameters are the one before, twice.
  std::string name = "_D1fFPFiZv";
  std::size_t last = name.find("PF");
  for (int i = 0; i < 60; ++i) {
    const std::size_t start = name.size();
    name += "PF";
    for (int k = 0; k < 2; ++k) {
      const std::size_t distance = name.size() - last;
      name += "Q";
      if (distance >= 26) name += static_cast<char>('A' + distance / 26);
      name += static_cast<char>('a' + distance % 26);
    }
    name += "Zv";
    last = start;
  }
  EXPECT_EQ(Demangle(name + "Zv"), name + "Zv");
}

TEST(Demangle, ReadsNamesOfNewCompilers) {
#ifndef CSINK_HAS_LLVM_DEMANGLER
  GTEST_SKIP() << "built without llvm-19-dev";
#endif
  // From clang 19.
  const Pair pairs[] = {
      {"_Z1fIiTnNSt9enable_ifIXsr3stdE13is_integral_vIT_EEiE4typeELi0EEvS1_",
       "void f<int, 0>(int)"},
      {"_Z1gITkSt8integraliEvT_", "void g<int>(int)"},
      {"_Z1kITnDkSt8integralLi3EEvv", "void k<3>()"},
      {"_Z1mIJidcETnNSt9enable_ifIXgtsZT_Li1EEiE4typeELi0EEvDpT_",
       "void m<int, double, char, 0>(int, double, char)"},
      {"_Z3bigDB37_", "big(_BitInt(37))"},
      {"_ZNH1A3getIRS_EEiOT_", "int A::get<A&>(this A&)"},
      {"_Z3bigDB37_.isra.0.cold", "big(_BitInt(37)) [clone .isra.0] [clone .cold]"},
  };
  for (const auto& [mangled, expected] : pairs) EXPECT_EQ(Demangle(mangled), expected);
}

TEST(Demangle, ReadsNamesOfBoostAsCxxfiltDoes) {
  // Functions of asio, hana, spirit.qi and spirit.x3 of boost 1.81, compiled by g++ 12: a mangled
  // name, then the answer of `c++filt -r`. Without -r, c++filt refuses names of more than 1,024
  // bytes.
  std::ifstream file(BOOST_NAMES);
  std::string mangled;
  std::string expected;
  int names = 0;
  std::size_t longest = 0;
  while (std::getline(file, mangled) && std::getline(file, expected)) {
    EXPECT_EQ(Demangle(mangled), expected);
    longest = std::max(longest, mangled.size());
    ++names;
  }
  EXPECT_GE(names, 8);
  EXPECT_GT(longest, 1024U);
}

TEST(Demangle, ReadsNamesOfSeveralKilobytes) {
  // f<a1<...>> with 300 different classes in each other, and each of them once more.
  std::string name = "_Z1fI";
  std::string text = "void f<";
  for (int i = 100; i < 400; ++i) {
    name += "16class_number_" + std::to_string(i) + "I";
    text += "class_number_" + std::to_string(i) + "<";
  }
  name += "i" + std::string(300, 'E') + "EvT_i";
  const std::string argument = text.substr(7);
  std::string closing = "int";
  for (int i = 0; i < 300; ++i) closing += i == 0 ? ">" : " >";
  EXPECT_GT(name.size(), 5000U);
  EXPECT_EQ(Demangle(name), text + closing + " >(" + argument + closing + ", int)");
}

TEST(Demangle, ReadsLongNamesWithManyReferences) {
  // Each of 30 classes once more, by its number: each reference could stand for all before it.
  static const char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f";
  std::string text;
  for (int i = 0; i < 30; ++i) {
    name += std::string("2A") + kDigits[i];
    text += std::string(i == 0 ? "A" : ", A") + kDigits[i];
  }
  for (int i = 0; i < 30; ++i) {
    name += i == 0 ? std::string("S_") : std::string("S") + kDigits[i - 1] + "_";
  }
  EXPECT_EQ(Demangle(name), "f(" + text + ", " + text + ")");
}

TEST(Demangle, SurvivesDeepNames) {
  for (const char* text : {"P", "Dp", "St6vectorI", "XclL_Z", "N1aI"}) {
    std::string name = "_Z1fDB37_";
    while (name.size() < 16'000) name += text;
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(Demangle, SurvivesConversionOperatorsWithNestedTemplateParameters) {
  // libiberty parses each T_I...E twice behind "cv": 40 of them would take hours.
  for (const char* parameter : {"T_I", "T0_I", "TL_I"}) {
    std::string name = "_ZN1acv";
    for (int i = 0; i < 40; ++i) name += parameter;
    name += "i" + std::string(40, 'E') + "Ev";
    EXPECT_EQ(Demangle(name), name);
  }
  EXPECT_EQ(Demangle("_ZN1acvT_IiEEv"), "a::operator int<int>()");
}

TEST(Demangle, SurvivesParametersThatStandForParameters) {
  // Each function's parameters stand for an argument that is the function before, with parameters.
  std::string function = "Z1fIiEvT_T_T_";
  for (int i = 0; i < 40; ++i) function = "Z1fIXad_" + function + "EEvDTT_EDTT_EDTT_E";
  EXPECT_EQ(Demangle("_" + function), "_" + function);
  // A pack of 900 types, expanded 50 times within another.
  std::string name = "_Z1fIJ" + std::string(900, 'i') + "EEv";
  for (int i = 0; i < 50; ++i) name += "St5tupleIJDpRSt5tupleIJDpRT_EEEE";
  EXPECT_EQ(Demangle(name), name);
}

TEST(Demangle, LeavesMonstersAsTheyAre) {
  const std::string name = "_Z" + std::string(1 << 20, 'P') + "i";
  EXPECT_EQ(Demangle(name), name);
}

TEST(Demangle, SurvivesNamesThatGrowExponentially) {
  // Each parameter holds the one before twice: P<int, int>, P<P<..>, P<..>>, ...
  static const char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string cxx = "_Z1f1PIiiE";
  EXPECT_EQ(Demangle(cxx), "f(P<int, int>)");
  for (int i = 0; i < 36; ++i) {
    const std::string before = std::string("S") + kDigits[i] + "_";
    cxx += "S_I" + before + before + "E";
    if (i == 1) {
      EXPECT_NE(Demangle(cxx), cxx);
    }
  }
  EXPECT_EQ(Demangle(cxx), cxx);
  std::string rust = "_RIC1a";
  std::string last = "T";
  for (int i = 0; i < 60; ++i) {
    const std::size_t at = rust.size() - 2;
    rust += last + "E";
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string number;
    for (std::size_t v = at == 0 ? 0 : at - 1;; v /= 62) {
      number.insert(number.begin(), digits[v % 62]);
      if (v < 62) break;
    }
    last = "TB" + number + "_B" + number + "_";
  }
  EXPECT_LE(Demangle(rust + "E").size(),
            std::max<std::size_t>(kMaxDemangledBytes, rust.size() + 1));
}

TEST(DemangleRustLegacy, DropsTheHashAndReadsEscapes) {
  const Pair pairs[] = {
      {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
      {"_ZN4main4main17he714a2e23ed7db23E", "main::main"},
      {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
       "3bar17h930b740aa94f1d3aE",
       "<Test + 'static as foo::Bar<Test>>::bar"},
      {"_ZN11$RF$testing17h0123456789abcdefE", "&testing"},
      {"_ZN5a$C$b17h0123456789abcdefE", "a,b"},
      {"_ZN13test$u20$test4foob17h0123456789abcdefE", "test test::foob"},
      {"_ZN4core3ops17h0123456789abcdefE.llvm.123456", "core::ops"},
      {"_ZN4core3ops17h0123456789abcdefE.cold", "core::ops [clone .cold]"},
      {"_ZN8$u7f$abc17h0123456789abcdefE",
       "\x7f"
       "abc"},
  };
  for (const auto& [mangled, expected] : pairs) EXPECT_EQ(Demangle(mangled), expected);
}

TEST(DemangleRustLegacy, LeavesCxxNamesToOthers) {
  EXPECT_FALSE(DemangleRustLegacy("_ZN3abc3defEv"));
  EXPECT_FALSE(DemangleRustLegacy("_ZN3abc17h0123456789abcdegE"));
  EXPECT_FALSE(DemangleRustLegacy("_ZN3abc17h0123456789abcdef"));
  EXPECT_FALSE(DemangleRustLegacy("_ZN17h0123456789abcdefE"));
  EXPECT_FALSE(DemangleRustLegacy("_ZN99abc17h0123456789abcdefE"));
}

TEST(DemangleRustV0, ReadsTheGrammar) {
  // From RFC 2603's examples and from what rustc 1.95 makes.
  const Pair pairs[] = {
      {"_RNvC6_123foo3bar", "123foo::bar"},
      {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
      {"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"},
      {"_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_"
       "4iter8iterator8Iterator9rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
       "<core::slice::Iter<u8> as "
       "core::iter::iterator::Iterator>::rposition::<core::slice::memchr::memrchr::{closure#1}>::{"
       "closure#0}"},
      {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_"
       "ECs1iopQbuBiw2_3std",
       "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
      {"_RNvMC0TRhPOThEE3foo", "<(&u8, *const *mut (u8,))>::foo"},
      {"_RNvMC0FG_RL0_hEu3foo", "<for<'a> fn(&'a u8)>::foo"},
      {"_RNvMC0FUKCEz3foo", "<unsafe extern \"C\" fn() -> !>::foo"},
      {"_RMC0Ahj8_", "<[u8; 8]>"},
      {"_RMC0INtC1a1AKpE", "<a::A<_>>"},
      {"_RMC0INtC1a1AKhn1_E", nullptr},
      {"_RMC0INtC1a1AKln1_E", "<a::A<-1>>"},
      {"_RMC0INtC1a1AKb1_E", "<a::A<true>>"},
      {"_RMC0INtC1a1AKc76_E", "<a::A<'v'>>"},
      {"_RMC0INtC1a1AKca_E", "<a::A<'\\n'>>"},
      {"_RMC0INtC1a1AKRe616263_E", "<a::A<{\"abc\"}>>"},
      {"_RNvCu8gdel_5qa5foo", nullptr},
      {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
       "utf8_idents::"
       "\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x90\xe1"
       "\x83\x93_"
       "\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98\xe1\x83\x94\xe1\x83\x9a\xe1"
       "\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98"},
      {"_RNvC4main4main.llvm.42", "main::main"},
      {"_RNvC4main4main.cold", "main::main [clone .cold]"},
  };
  for (const auto& [mangled, expected] : pairs) {
    if (expected == nullptr) {
      EXPECT_FALSE(DemangleRustV0(mangled)) << mangled;
    } else {
      EXPECT_EQ(DemangleRustV0(mangled).value_or("nothing"), expected) << mangled;
    }
  }
}

TEST(DemangleRustV0, RefusesReferencesThatLeadForwardOrToThemselves) {
  EXPECT_FALSE(DemangleRustV0("_RMC0B2_"));
  EXPECT_FALSE(DemangleRustV0("_RB_"));
  EXPECT_FALSE(DemangleRustV0("_RMC0BZZZZZZZZZZZZ_"));
}

TEST(DemangleRustV0, RefusesDeepNesting) {
  EXPECT_FALSE(DemangleRustV0("_RMC0" + std::string(100'000, 'P') + "h"));
  EXPECT_TRUE(DemangleRustV0("_RMC0" + std::string(100, 'P') + "h"));
}

TEST(DecodePunycode, ReadsTheSamplesOfTheStandard) {
  std::string out;
  EXPECT_TRUE(DecodePunycode("", "ihqwcrb4cv8a8dqg056pqjye", out));
  EXPECT_EQ(out,
            "\xe4\xbb\x96\xe4\xbb\xac\xe4\xb8\xba\xe4\xbb\x80\xe4\xb9\x88\xe4\xb8\x8d\xe8\xaf\xb4"
            "\xe4\xb8\xad\xe6\x96\x87");
  out.clear();
  EXPECT_TRUE(DecodePunycode("Bcher", "kva", out));
  EXPECT_EQ(out,
            "B\xc3\xbc"
            "cher");
  EXPECT_FALSE(DecodePunycode("", "999999999999", out));
  EXPECT_FALSE(DecodePunycode("", "KVA", out));
}

}  // namespace
}  // namespace csink::symbolizer
