#include "core/util/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace csink {
namespace {

TEST(Result, CarriesAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result);
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, CarriesTheCause) {
  Result<int> result(Error{Errc::kPermission, EACCES, "refused"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::kPermission);
  EXPECT_EQ(result.error().sys_errno, EACCES);
}

TEST(Result, OfNothingIsSuccessByDefault) {
  EXPECT_TRUE(Result<void>());
  EXPECT_FALSE(Result<void>(Error{Errc::kSystem, EIO, "io"}));
}

TEST(ErrcFromErrno, KnowsTheRefusalsOfPerf) {
  EXPECT_EQ(ErrcFromErrno(EACCES), Errc::kPermission);
  EXPECT_EQ(ErrcFromErrno(EPERM), Errc::kPermission);
  EXPECT_EQ(ErrcFromErrno(ENOENT), Errc::kNoEvent);
  EXPECT_EQ(ErrcFromErrno(EMFILE), Errc::kLimit);
  EXPECT_EQ(ErrcFromErrno(EBUSY), Errc::kConflict);
  EXPECT_EQ(ErrcFromErrno(EINVAL), Errc::kInvalid);
  EXPECT_EQ(ErrcFromErrno(ENOSYS), Errc::kUnsupported);
  EXPECT_EQ(ErrcFromErrno(EIO), Errc::kSystem);
}

}  // namespace
}  // namespace csink
