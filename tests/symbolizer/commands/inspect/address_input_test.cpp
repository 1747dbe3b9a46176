#include "symbolizer/commands/inspect/address_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/util/unique_fd.h"

namespace csink::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AddressInputTest : public ::testing::Test {
 protected:
  AddressInputTest() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    from_ = UniqueFd(ends[0]);
    to_ = UniqueFd(ends[1]);
  }
  void Write(const std::string& text) {
    ASSERT_EQ(::write(to_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::vector<std::uint64_t> Next(AddressInput& input) {
    std::vector<std::uint64_t> addresses{99};
    const bool has_more = input.Next(addresses);
    EXPECT_EQ(has_more, !addresses.empty());
    return addresses;
  }

  UniqueFd from_;
  UniqueFd to_;
};

TEST_F(AddressInputTest, AllowsCarriageReturnsBlanksAndPrefixes) {
  Write("401000\r\n 0x401010 \n\n\t0X4\t\nffffffff81000000");
  to_ = UniqueFd();
  AddressInput input(from_.get());
  EXPECT_THAT(Next(input), ElementsAre(0x401000, 0x401010, 4, 0xffffffff81000000));
  EXPECT_THAT(Next(input), IsEmpty());
  EXPECT_THAT(input.problem(), IsEmpty());
}

TEST_F(AddressInputTest, GivesWhatIsThereBeforeTheWriterIsDone) {
  AddressInput input(from_.get());
  Write("10\n20\n3");
  EXPECT_THAT(Next(input), ElementsAre(0x10, 0x20));
  Write("0\n");
  EXPECT_THAT(Next(input), ElementsAre(0x30));
  Write("40");
  to_ = UniqueFd();
  EXPECT_THAT(Next(input), ElementsAre(0x40));
  EXPECT_THAT(Next(input), IsEmpty());
}

TEST_F(AddressInputTest, EndsAtALineThatIsNoAddress) {
  for (const char* line : {"main", "-1", "0x", "10 20", "12345678901234567", "401000h"}) {
    Write(std::string("10\n") + line + "\n20\n");
    AddressInput input(from_.get());
    EXPECT_THAT(Next(input), ElementsAre(0x10)) << line;
    EXPECT_THAT(Next(input), IsEmpty()) << line;
    EXPECT_EQ(input.problem(), std::string("is not an address: ") + line +
                                   " (expected hexadecimal numbers, one per line)");
  }
}

TEST_F(AddressInputTest, RefusesALineWithoutEnd) {
  Write(std::string(60'000, '7'));
  AddressInput input(from_.get());
  EXPECT_THAT(Next(input), IsEmpty());
  EXPECT_THAT(input.problem(), HasSubstr("is not an address: " + std::string(60, '7') + "... ("));
}

TEST_F(AddressInputTest, SaysThatNothingCanBeRead) {
  AddressInput input(to_.get());  // The end that is written to
  EXPECT_THAT(Next(input), IsEmpty());
  EXPECT_THAT(input.problem(), HasSubstr("standard input"));
}

}  // namespace
}  // namespace csink::tool
