#include "symbolizer/report/annotate/md5.h"

#include <gtest/gtest.h>

#include <string>

#include "core/util/hex.h"
#include "symbolizer/names/elf/file.h"
#include "tests/symbolizer/workshop.h"

namespace csink::annotate {
namespace {

std::string Md5Of(const std::string& text) {
  return ToHex(Md5({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

// RFC 1321, A.5.
TEST(Md5, GivesWhatTheRfcSays) {
  EXPECT_EQ(Md5Of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Md5Of("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Md5Of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(
      Md5Of("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
      "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, AgreesWithMd5sumAroundTheEndsOfBlocks) {
  const symbolizer::testing::Workshop shop;
  for (const std::size_t size : {55u, 56u, 57u, 63u, 64u, 65u, 119u, 120u, 128u, 100'000u}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(i * 7 + i / 251);
    shop.Write("text", text);
    EXPECT_EQ(Md5Of(text), shop.Run("md5sum text").substr(0, 32)) << size;
  }
}

}  // namespace
}  // namespace csink::annotate
