// The names as a compiler's code calls them: arguments by reference, lengths of texts behind the
// last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "compat/fortran/answers.h"
#include "compat/papi/include/papi.h"

extern "C" {
void papif_library_init_(int* check);
void papif_shutdown_();
void papif_perror_(const void* first, std::uintptr_t second, int* check, std::size_t length);
void papif_event_name_to_code_(const char* name, int* code, int* check, std::size_t length);
void papif_event_code_to_name_(const int* code, char* name, int* check, std::size_t length);
void papif_get_dmem_info_(long long* numbers, int* check);
void papif_get_event_info_(const int* code, char* symbol, char* long_descr, char* short_descr,
                           int* count, char* note, int* flags, int* check,
                           std::size_t symbol_length, std::size_t long_length,
                           std::size_t short_length, std::size_t note_length);
void papif_set_inherit_(const int* inherit, int* check);
void papif_enum_dev_type_(const int* modifier, int* handle, int* check);
void papif_get_dev_attr_(const int* handle, const int* id, const int* attribute, int* value,
                         char* text, int* check, std::size_t length);
}

namespace csink::fortran {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PapifCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    int check = PAPI_VER_CURRENT;
    papif_library_init_(&check);
    ASSERT_EQ(check, PAPI_VER_CURRENT);
  }
  void TearDown() override { papif_shutdown_(); }
};

TEST(PapifLibraryInit, AnswersAWrongVersionInTheSameArgument) {
  int check = PAPI_VER_CURRENT + 1;
  papif_library_init_(&check);
  EXPECT_EQ(check, PAPI_EINVAL);
}

TEST(PapifSetInherit, NeedsTheLibrary) {
  const int all = PAPI_INHERIT_ALL;
  int check = PAPI_OK;
  papif_set_inherit_(&all, &check);
  EXPECT_EQ(check, PAPI_ENOINIT);
}

TEST_F(PapifCalls, PerrorOfSevenTellsTheMessage) {
  int code = 0, check = 4711;
  papif_event_name_to_code_("no_such_event", &code, &check, 13);
  ASSERT_LT(check, 0);
  testing::internal::CaptureStderr();
  papif_perror_("message   ", 10, &check, 0);
  const std::string wide(70'000, 'm');
  papif_perror_(wide.data(), wide.size(), &check, 0);
  papif_perror_("", 0, &check, 0);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, StartsWith("message: "));
}

TEST_F(PapifCalls, PerrorOfThreePointFiveExplainsACode) {
  char destination[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!";
  const int code = PAPI_ENOEVST;
  int check = 4711;
  papif_perror_(&code, reinterpret_cast<std::uintptr_t>(destination), &check, 40);
  EXPECT_EQ(check, PAPI_OK);
  const std::string sentence = PAPI_strerror(PAPI_ENOEVST);
  EXPECT_EQ(std::string(destination), (sentence + std::string(40, ' ')).substr(0, 40) + "!");
}

TEST_F(PapifCalls, LengthsOfOldCompilersHaveRubbishInTheirUpperHalf) {
  int code = 0, check = 4711;
  papif_event_name_to_code_("PAPI_TOT_CYC-----", &code, &check, 0xdeadbeef0000000cu);
  EXPECT_EQ(check, PAPI_OK);
  EXPECT_EQ(code, PAPI_TOT_CYC);
}

TEST_F(PapifCalls, NothingIsWrittenBehindAText) {
  char name[] = "xxxxxxxx!!!!";
  const int code = PAPI_TOT_CYC;
  int check = 4711;
  papif_event_code_to_name_(&code, name, &check, 8);
  EXPECT_EQ(check, PAPI_OK);
  EXPECT_STREQ(name, "PAPI_TOT!!!!");
}

TEST_F(PapifCalls, EventInfoHasAnOrderOfItsOwn) {
  char texts[4][200];
  int count = -1, flags = -1, check = 4711;
  const int code = PAPI_FP_OPS;
  papif_get_event_info_(&code, texts[0], texts[1], texts[2], &count, texts[3], &flags, &check, 20,
                        200, 200, 200);
  EXPECT_EQ(check, PAPI_OK);
  PAPI_event_info_t info;
  ASSERT_EQ(PAPI_get_event_info(PAPI_FP_OPS, &info), PAPI_OK);
  EXPECT_EQ(std::string(texts[0], 20), "PAPI_FP_OPS         ");
  EXPECT_THAT(std::string(texts[1], 200), StartsWith(info.long_descr));
  EXPECT_THAT(std::string(texts[2], 200), StartsWith(info.short_descr));
  EXPECT_EQ(count, static_cast<int>(info.count));
}

TEST_F(PapifCalls, DmemInfoWritesTwelveNumbers) {
  long long numbers[13] = {};
  numbers[12] = 4711;
  int check = 4711;
  papif_get_dmem_info_(numbers, &check);
  EXPECT_EQ(check, PAPI_OK);
  EXPECT_GT(numbers[1], 0);
  EXPECT_EQ(numbers[12], 4711);
}

TEST_F(PapifCalls, ADeviceTextFitsItsVariable) {
  const int kind = PAPI_DEV_TYPE_ENUM__CPU, id = 0, attribute = PAPI_DEV_ATTR__CPU_CHAR_NAME;
  int handle = -1, value = 4711, check = 4711;
  papif_enum_dev_type_(&kind, &handle, &check);
  ASSERT_EQ(check, PAPI_OK);
  char text[] = "xxxx!";
  papif_get_dev_attr_(&handle, &id, &attribute, &value, text, &check, 4);
  EXPECT_EQ(check, PAPI_OK);
  EXPECT_EQ(text[4], '!');
  EXPECT_EQ(value, 4711);
}

TEST_F(PapifCalls, ARatesEventComesInThreeWays) {
  const int code = PAPI_FP_OPS;
  EXPECT_EQ(EventOf(&code, 4711), PAPI_FP_OPS);
  EXPECT_EQ(EventOf(reinterpret_cast<void*>(std::intptr_t{code}), 4711), PAPI_FP_OPS);
  const auto zero_extended = static_cast<std::uintptr_t>(static_cast<unsigned>(code));
  EXPECT_EQ(EventOf(reinterpret_cast<void*>(zero_extended), 4711), PAPI_FP_OPS);
  EXPECT_EQ(EventOf("PAPI_FP_OPS   ", 14), PAPI_FP_OPS);
}

TEST_F(PapifCalls, ARatesEventMayBeWrong) {
  const int code = 4711;
  EXPECT_EQ(EventOf(&code, 0), 4711);
  EXPECT_EQ(EventOf("NO_SUCH_EVENT", 13), PAPI_NULL);
  EXPECT_EQ(EventOf(nullptr, 0), PAPI_NULL);
}

}  // namespace
}  // namespace csink::fortran
