#include "agent/waiting/own_glibc.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include "agent/waiting/glibc_release.h"

namespace csink::agent {
namespace {

TEST(OwnGlibc, KnowsTheLayoutOfThisProcess) {
  const std::uint32_t release = GlibcRelease(gnu_get_libc_version());
  ASSERT_NE(OwnGlibc(), 0u);
  if (release < kOldConditionsBefore || release >= kNewConditions) {
    EXPECT_EQ(OwnGlibc(), release);
  }
}

}  // namespace
}  // namespace csink::agent
