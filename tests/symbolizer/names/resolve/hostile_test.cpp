#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "symbolizer/names/resolve/resolver.h"
#include "tests/symbolizer/workshop.h"

/// File: damaged files. Whatever the bytes, every offset gets an answer, and the
/// sanitizer builds see no access out of bounds.

namespace csink::symbolizer {
namespace {

using testing::ObjcopyKnowsZstd;
using testing::Workshop;

class HostileFile : public ::testing::TestWithParam<const char*> {
 protected:
  /// The same files for all cases.
  static void SetUpTestSuite() {
    shop_ = std::make_unique<Workshop>();
    shop_->Write("code.cpp", R"(
      #include <cstdlib>
      #include <string>
      struct Shape { virtual ~Shape() = default; virtual int Area() const { return 1; } };
      struct Square : Shape { int side = std::rand(); int Area() const override { return side * side; } };
      template <class T> int Sum(const T& t) { return t.Area() + std::rand(); }
      int Use(const std::string& s) { Square q; return Sum(q) + static_cast<int>(s.size()); })");
    shop_->Run("g++ -O1 -g -fPIC -shared code.cpp -o lib.so");
    shop_->Run("strip lib.so -o stripped.so");
    shop_->Run("objcopy --compress-debug-sections=zlib lib.so zlib.so");
    if (ObjcopyKnowsZstd()) shop_->Run("objcopy --compress-debug-sections=zstd lib.so zstd.so");
    shop_->Run(
        "objcopy -S --keep-symbol=_Z3UseRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE "
        "lib.so mini && xz mini && objcopy --add-section .gnu_debugdata=mini.xz stripped.so "
        "mini.so");
  }
  static void TearDownTestSuite() { shop_.reset(); }

  void SetUp() override {
    if (GetParam() == std::string("zstd.so") && !ObjcopyKnowsZstd()) {
      GTEST_SKIP() << "this objcopy does not know zstd";
    }
    good_ = testing::ReadWhole(shop_->Path(GetParam()));
    request_.path = shop_->Path("bad.so");
    for (std::uint64_t offset = 0; offset < good_.size() && offset < 0x3000; offset += 37) {
      request_.file_offsets.push_back(offset);
    }
    request_.file_offsets.push_back(~std::uint64_t{0});
  }

  void Try(const std::string& bytes) {
    testing::WriteWhole(request_.path, bytes);
    const ModuleAnswer answer = ResolveModule(request_, {});
    ASSERT_EQ(answer.locations.size(), request_.file_offsets.size());
    for (const Location& location : answer.locations) {
      ASSERT_FALSE(location.function.empty());
      ASSERT_LT(location.function.size(), 100'000u);
    }
  }

  static std::unique_ptr<Workshop> shop_;
  std::string good_;
  ModuleRequest request_;
};

std::unique_ptr<Workshop> HostileFile::shop_;

TEST_P(HostileFile, CutAnywhereGivesAnAnswer) {
  Try(good_);
  const std::size_t step = good_.size() / 200 + 1;
  for (std::size_t size = 0; size < good_.size(); size += size < 80 ? 1 : step) {
    Try(good_.substr(0, size));
    if (HasFatalFailure()) FAIL() << "cut to " << size;
  }
}

TEST_P(HostileFile, FlippedBytesGiveAnAnswer) {
  std::mt19937 random(4711);
  // Section headers stand at the end, program headers at the start: both deserve more hits.
  for (int round = 0; round < 500; ++round) {
    std::string bad = good_;
    for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips) {
      std::size_t at = random() % bad.size();
      if (round % 3 == 0) at = random() % 1024;
      if (round % 3 == 1) at = bad.size() - 1 - random() % std::min<std::size_t>(bad.size(), 4096);
      bad[at] = static_cast<char>(round % 2 == 0 ? random() : (random() % 2 == 0 ? 0xff : 0));
    }
    Try(bad);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(, HostileFile,
                         ::testing::Values("lib.so", "stripped.so", "zlib.so", "zstd.so",
                                           "mini.so"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace csink::symbolizer
