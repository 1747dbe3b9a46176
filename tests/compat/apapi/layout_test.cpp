#include "layout.h"

#include <gtest/gtest.h>

extern "C" int ApapiFieldsInC(void);

namespace {

TEST(ApapiHeader, IsTheSameInCAndInCxx) { EXPECT_EQ(ApapiFieldsInC(), APAPI_FIELDS); }

TEST(ApapiHeader, NamesTheDefaultComponentsInUpstreamsOrder) {
  const char* const expected[] = {"rapl", "nvml", "maxeler", "ipmi", "micknc", nullptr};
  for (int i = 0; i < 6; ++i) EXPECT_STREQ(APAPI_default_components[i], expected[i]);
}

}  // namespace
