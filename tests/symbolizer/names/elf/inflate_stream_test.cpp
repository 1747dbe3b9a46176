#include "symbolizer/names/elf/inflate_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

/// Words again and again, and noise in between: every kind of block.
std::string SomeBytes() {
  std::mt19937 random(7);
  std::string bytes;
  while (bytes.size() < 1u << 20) {
    if (random() % 4 == 0) {
      for (int i = 0; i < 300; ++i) bytes += static_cast<char>(random());
    } else {
      bytes += "word " + std::to_string(random() % 100);
    }
  }
  return bytes;
}

class InflatedPieces : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    shop_.Write("blob", bytes_);
    shop_.Write("a.c", "int Work(int x) { return x; }\n");
    shop_.Run("gcc -shared -fPIC a.c -o a.so && objcopy --add-section .debug_info=blob a.so");
    shop_.Run(std::string("objcopy --compress-debug-sections=") + GetParam() + " a.so");
  }
  std::unique_ptr<InflateStream> Open() {
    auto object = ObjectBytes::Open(shop_.Path("a.so"));
    EXPECT_TRUE(object.has_value());
    auto file = ElfFile::Read(std::move(*object));
    EXPECT_TRUE(file.has_value());
    file_.emplace(std::move(*file));
    section_ = file_->FindDebugSection("info").value();
    EXPECT_TRUE(file_->IsCompressed(section_));
    return InflateStream::Open(*file_, section_);
  }

  testing::Workshop shop_;
  const std::string bytes_ = SomeBytes();
  std::optional<ElfFile> file_;
  std::size_t section_ = 0;
};

TEST_P(InflatedPieces, OfAnySizeAreThoseOfTheSection) {
  const auto stream = Open();
  ASSERT_NE(stream, nullptr);
  std::mt19937 random(11);
  std::size_t at = 0;
  while (at < bytes_.size()) {
    const std::size_t most = random() % 8 == 0 ? 200'000 : 700;
    const std::size_t size = std::min<std::size_t>(bytes_.size() - at, random() % most);
    if (random() % 3 == 0) {
      ASSERT_TRUE(stream->Read(size, nullptr)) << at;
    } else {
      std::string piece(size, '\0');
      ASSERT_TRUE(stream->Read(size, reinterpret_cast<std::uint8_t*>(piece.data()))) << at;
      ASSERT_EQ(piece, bytes_.substr(at, size)) << at;
    }
    at += size;
  }
  std::uint8_t more = 0;
  EXPECT_FALSE(stream->Read(1, &more));
}

TEST_P(InflatedPieces, OfADamagedSectionEnd) {
  const auto sound = Open();
  ASSERT_NE(sound, nullptr);
  const Elf64_Shdr header = file_->sections()[section_];
  std::fstream file(shop_.Path("a.so"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(header.sh_offset + header.sh_size / 2));
  const std::string zeros(header.sh_size / 2, '\0');
  file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
  file.close();
  const auto stream = Open();
  ASSERT_NE(stream, nullptr);
  EXPECT_FALSE(stream->Read(bytes_.size(), nullptr));
}

INSTANTIATE_TEST_SUITE_P(Kinds, InflatedPieces, ::testing::Values("zlib", "zlib-gnu"));

}  // namespace
}  // namespace csink::symbolizer
