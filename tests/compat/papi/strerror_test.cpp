#include <gtest/gtest.h>

#include <set>
#include <string>

#include "compat/papi/include/papi.h"
#include "tests/fakes/captured_stderr.h"

namespace {

TEST(Strerror, HasASentenceOfItsOwnForEveryCode) {
  std::set<std::string> sentences;
  for (int code = PAPI_OK; code > -PAPI_NUM_ERRORS; --code) {
    const char* sentence = PAPI_strerror(code);
    ASSERT_NE(sentence, nullptr) << code;
    EXPECT_GT(std::string(sentence).size(), 5u) << code;
    sentences.insert(sentence);
  }
  EXPECT_EQ(sentences.size(), static_cast<size_t>(PAPI_NUM_ERRORS));
}

TEST(Strerror, HasNothingForOtherNumbers) {
  for (const int code : {1, 7, INT_MAX, -PAPI_NUM_ERRORS, -PAPI_NUM_ERRORS - 1, INT_MIN}) {
    EXPECT_EQ(PAPI_strerror(code), nullptr) << code;
  }
}

}  // namespace
