#include "symbolizer/report/formats/parts/protobuf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace csink::report {
namespace {

TEST(SmallMessage, EncodesAsProtozeroDoes) {
  const std::vector<std::uint64_t> numbers = {0, 1, 127, 128, 300, ~std::uint64_t{0}};
  const std::string text(1000, 'x');
  std::string expected = "before";
  {
    protozero::pbf_writer table(expected);
    protozero::pbf_writer message(table, 3);
    message.add_uint64(1, 0);
    AddNumber(message, 2, 1u << 20);
    AddNumber(message, 3, 0);
    message.add_packed_uint64(4, numbers.begin(), numbers.end());
    message.add_string(500, text);
  }
  SmallMessage message;
  message.AddVarint(1, 0);
  message.AddNumber(2, 1u << 20);
  message.AddNumber(3, 0);
  SmallMessage packed;
  packed.AddPacked(4, numbers);
  message.AddEncoded(packed.bytes());
  message.AddBytes(500, text);
  std::string table = "before";
  message.AppendTo(table, 3);
  EXPECT_EQ(table, expected);
}

TEST(SmallMessage, IsUsedAgain) {
  SmallMessage message;
  message.AddBytes(1, std::string(100, 'x'));
  message.Clear();
  EXPECT_EQ(message.bytes(), "");
  message.AddNumber(1, 5);
  EXPECT_EQ(message.bytes(), "\x08\x05");
}

TEST(SmallMessage, OmitsEmptyPackedFieldsAndKeepsEmptyMessages) {
  SmallMessage message;
  message.AddPacked(1, std::vector<std::uint32_t>());
  std::string table;
  message.AppendTo(table, 2);
  EXPECT_EQ(table, std::string("\x12\x00", 2));
}

}  // namespace
}  // namespace csink::report
