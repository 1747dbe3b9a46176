#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "symbolizer/names/resolve/resolver.h"
#include "tests/symbolizer/workshop.h"

/// File: agreement with other tools over thousands of addresses. Function starts are
/// compared with nm's table by brute force, lines
/// and inlined functions with llvm-symbolizer.

namespace csink::symbolizer {
namespace {

using testing::HaveTool;
using testing::Nm;
using testing::NmSymbol;
using testing::Workshop;

constexpr char kSymbolizer[] = "llvm-symbolizer-14";

std::vector<std::uint64_t> RandomTextAddresses(const Workshop& shop, const std::string& path,
                                               std::size_t count) {
  std::istringstream lines(shop.Run("readelf -SW '" + path + "' | sed 's/^ *\\[[ 0-9]*\\] *//'"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, type, address, offset, size;
    words >> name >> type >> address >> offset >> size;
    if (name != ".text") continue;
    std::mt19937_64 random(2026);
    const std::uint64_t start = std::stoull(address, nullptr, 16);
    std::vector<std::uint64_t> vaddrs(count);
    for (auto& v : vaddrs) v = start + random() % std::stoull(size, nullptr, 16);
    std::sort(vaddrs.begin(), vaddrs.end());
    vaddrs.erase(std::unique(vaddrs.begin(), vaddrs.end()), vaddrs.end());
    return vaddrs;
  }
  ADD_FAILURE() << "no .text in " << path;
  return {};
}

/// The places of all frames ("dir/file.c:12", innermost first) per address.
using Chains = std::vector<std::vector<std::string>>;

Chains ChainsByLlvm(const Workshop& shop, const std::string& path,
                    const std::vector<std::uint64_t>& vaddrs) {
  std::ostringstream input;
  for (const std::uint64_t v : vaddrs) input << "0x" << std::hex << v << "\n";
  shop.Write("addresses", input.str());
  std::istringstream output(
      shop.Run(std::string(kSymbolizer) + " --obj='" + path + "' <addresses"));
  Chains chains(1);
  std::string function;
  std::string place;
  while (std::getline(output, function)) {
    if (function.empty()) {
      chains.emplace_back();
      continue;
    }
    std::getline(output, place);
    chains.back().push_back(place.substr(0, place.rfind(':')));
  }
  chains.resize(vaddrs.size());
  EXPECT_FALSE(chains.back().empty());
  return chains;
}

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Depth, and file and line of every call: all must be the same.
void ExpectSameCalls(const Location& location, const std::vector<std::string>& frames) {
  ASSERT_EQ(location.inlined.size() + 1, frames.size()) << std::hex << location.vaddr;
  for (std::size_t i = 0; i < location.inlined.size(); ++i) {
    const InlineFrame& frame = location.inlined[i];
    EXPECT_EQ(LastPart(frame.call_file) + ":" + std::to_string(frame.call_line),
              LastPart(frames[i + 1]))
        << std::hex << location.vaddr;
    EXPECT_FALSE(frame.function.empty());
  }
}

/// The last start of a sized symbol around the address; 0: none.
std::uint64_t StartByNm(const std::map<std::string, NmSymbol>& symbols, std::uint64_t vaddr) {
  std::uint64_t start = 0;
  for (const auto& [name, symbol] : symbols) {
    if (symbol.start <= vaddr && vaddr - symbol.start < symbol.size) {
      start = std::max(start, symbol.start);
    }
  }
  return start;
}

void ExpectAgreement(const Workshop& shop, const std::string& path, const std::string& symbol_file,
                     const ModuleAnswer& answer, const std::vector<std::uint64_t>& vaddrs) {
  const auto symbols = Nm(shop, symbol_file);
  const auto chains = ChainsByLlvm(shop, path, vaddrs);
  std::size_t named = 0;
  std::size_t with_line = 0;
  std::size_t inlined = 0;
  for (std::size_t i = 0; i < vaddrs.size(); ++i) {
    const Location& location = answer.locations[i];
    ExpectSameCalls(location, chains[i]);
    inlined += location.inlined.size();
    const std::uint64_t start = StartByNm(symbols, vaddrs[i]);
    if (start != 0) {
      ++named;
      EXPECT_EQ(location.function_vaddr, start) << std::hex << vaddrs[i] << location.function;
      // The name must be one of nm's names for that start.
      const auto known = std::find_if(symbols.begin(), symbols.end(), [&](const auto& entry) {
        return entry.second.start == start &&
               entry.first.substr(0, entry.first.find('@', 1)) == location.raw_name;
      });
      EXPECT_NE(known, symbols.end()) << location.raw_name;
    }
    // Line 0 is compiler-made code: llvm shows it as it is, we borrow the line before.
    const std::string& first = chains[i].at(0);
    const std::size_t colon = first.rfind(':');
    const std::string number = first.substr(colon + 1);
    if (number == "0") continue;
    ++with_line;
    EXPECT_EQ(std::to_string(location.line), number) << std::hex << vaddrs[i];
    const std::string file = first.substr(0, colon);
    EXPECT_EQ(LastPart(location.file), LastPart(file));
  }
  EXPECT_GT(named, vaddrs.size() / 2);
  EXPECT_GT(with_line, vaddrs.size() / 2);
  EXPECT_GT(inlined, vaddrs.size() / 10);
}

class Agreement : public ::testing::TestWithParam<const char*> {};

TEST_P(Agreement, HoldsForAnOptimisedCxxProgram) {
  if (!HaveTool(kSymbolizer)) GTEST_SKIP() << kSymbolizer << " is not here";
  Workshop shop;
  shop.Write("program.cpp", R"(
    #include <algorithm>
    #include <iostream>
    #include <map>
    #include <regex>
    #include <sstream>
    int main(int n, char** v) {
      std::map<std::string, std::vector<int>> words;
      const std::regex pattern("a(b|c)*d");
      for (std::string s; std::getline(std::cin, s);) {
        if (std::regex_match(s, pattern)) words[s].push_back(n);
      }
      for (auto& [word, counts] : words) std::sort(counts.begin(), counts.end());
      std::ostringstream out;
      for (auto& [word, counts] : words) out << word << counts.size();
      std::cout << out.str();
    })");
  shop.Run(std::string(GetParam()) + " -std=c++17 -O2 -g program.cpp -o program");
  const std::string path = shop.Path("program");
  const auto vaddrs = RandomTextAddresses(shop, path, 2000);
  std::vector<std::uint64_t> offsets;
  // One executable segment: one distance for all.
  const std::uint64_t distance = vaddrs[0] - testing::OffsetOf(shop, path, vaddrs[0]);
  for (const std::uint64_t v : vaddrs) offsets.push_back(v - distance);
  auto request = testing::RequestFor(shop, path, offsets);
  request.detail = Detail::kInlines;
  const auto answer = ResolveModule(request, {});
  ExpectAgreement(shop, path, path, answer, vaddrs);
}

INSTANTIATE_TEST_SUITE_P(, Agreement, ::testing::Values("g++ -gdwarf-4", "clang++-14"));

TEST(AgreementOnTheCLibrary, HoldsWithItsDebugFile) {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  if (!HaveTool(kSymbolizer)) GTEST_SKIP() << kSymbolizer << " is not here";
  Workshop shop;
  if (std::system(("test -r " + path).c_str()) != 0) GTEST_SKIP() << path << " is not here";
  const auto vaddrs = RandomTextAddresses(shop, path, 2000);
  std::vector<std::uint64_t> offsets;
  const std::uint64_t distance = vaddrs[0] - testing::OffsetOf(shop, path, vaddrs[0]);
  for (const std::uint64_t v : vaddrs) offsets.push_back(v - distance);
  auto request = testing::RequestFor(shop, path, offsets);
  request.detail = Detail::kInlines;
  const auto answer = ResolveModule(request, {});
  if (answer.debug_file.empty()) GTEST_SKIP() << "the C library's debug symbols are not here";
  ExpectAgreement(shop, path, answer.debug_file, answer, vaddrs);
}

}  // namespace
}  // namespace csink::symbolizer
