// What both versions and Fortran say of a code: PAPI_perror with three arguments, as PAPI 3.5 has
// it.
#include "compat/papi/boundary/error_text.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <string>

#include "compat/papi/include/papi.h"
#include "tests/fakes/captured_stderr.h"

namespace csink::papi {
namespace {

TEST(TellError, CopiesTheSentenceAndAlwaysEndsIt) {
  const std::string sentence = PAPI_strerror(PAPI_ENOEVNT);
  char text[PAPI_MAX_STR_LEN];
  std::memset(text, 'x', sizeof text);
  EXPECT_EQ(TellError(PAPI_ENOEVNT, text, sizeof text), PAPI_OK);
  EXPECT_EQ(text, sentence);
  for (int length = 1; length <= static_cast<int>(sentence.size()) + 2; ++length) {
    std::memset(text, 'x', sizeof text);
    EXPECT_EQ(TellError(PAPI_ENOEVNT, text, length), PAPI_OK);
    EXPECT_EQ(text, sentence.substr(0, static_cast<std::size_t>(length) - 1));
    EXPECT_EQ(text[length], 'x') << "beyond its room";
  }
}

TEST(TellError, WithLengthZeroPrintsToStandardError) {
  char text[] = "as before";
  {
    const testing::CapturedStderr captured;
    EXPECT_EQ(TellError(PAPI_ENOEVST, text, 0), PAPI_OK);
    EXPECT_EQ(captured.text(), std::string(PAPI_strerror(PAPI_ENOEVST)) + "\n");
  }
  EXPECT_STREQ(text, "as before");
  const testing::CapturedStderr captured;
  EXPECT_EQ(TellError(PAPI_OK, nullptr, 100), PAPI_OK) << "nowhere else to go";
  EXPECT_EQ(captured.text(), "No error\n");
}

TEST(TellError, OfAnUnknownCodeOrALengthBelowZeroIsRefused) {
  const testing::CapturedStderr captured;
  char text[] = "as before";
  for (const int code : {1, INT_MAX, -PAPI_NUM_ERRORS, INT_MIN}) {
    EXPECT_EQ(TellError(code, text, sizeof text), PAPI_EINVAL) << code;
    EXPECT_EQ(TellError(code, nullptr, 0), PAPI_EINVAL) << code;
  }
  EXPECT_EQ(TellError(PAPI_ENOMEM, text, -1), PAPI_EINVAL);
  EXPECT_STREQ(text, "as before");
  EXPECT_EQ(captured.text(), "");
}

TEST(ErrorName, IsThatOfTheHeaderAndNoneForOtherNumbers) {
  EXPECT_STREQ(ErrorName(PAPI_OK), "PAPI_OK");
  EXPECT_STREQ(ErrorName(PAPI_ECMP), "PAPI_ECMP");
  EXPECT_STREQ(ErrorName(PAPI_EINVAL_DOM), "PAPI_EINVAL_DOM");
  EXPECT_STREQ(ErrorName(PAPI_EMULPASS), "PAPI_EMULPASS");
  for (const int code : {1, -PAPI_NUM_ERRORS, INT_MIN}) EXPECT_EQ(ErrorName(code), nullptr);
}

}  // namespace
}  // namespace csink::papi
