#include "agent/attach/glibc_file.h"

#include <gtest/gtest.h>

#include "agent/waiting/own_glibc.h"

namespace csink::attach {
namespace {

TEST(GlibcFile, HasTheReleaseOfThisProcess) { EXPECT_EQ(GlibcOf("/proc/self"), agent::OwnGlibc()); }

TEST(GlibcFile, IsUnknownWithoutMappings) { EXPECT_EQ(GlibcOf("/proc/self/no-such-folder"), 0u); }

}  // namespace
}  // namespace csink::attach
