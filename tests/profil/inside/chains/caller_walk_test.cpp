#include "profil/inside/chains/caller_walk.h"

#include <gtest/gtest.h>

#include <memory>

namespace csink {
namespace {

TEST(WhyNotCopied, TellsTheCopyFromTheStack) {
  const auto sample = std::make_unique<StackSample>();
  sample->registers[kStackPointerRegister] = 0x10000000;
  sample->stack_bytes = 8192;
  sample->stack_ended = false;
  EXPECT_EQ(WhyNotCopied(*sample, 0x10002000), spool::ChainEnd::kCopyEnded);
  EXPECT_EQ(WhyNotCopied(*sample, 0x10000000 - 8), spool::ChainEnd::kOutsideStack);
  EXPECT_EQ(WhyNotCopied(*sample, 0x4141414141414141), spool::ChainEnd::kOutsideStack);
  // A frame of 64 MiB.
  EXPECT_EQ(WhyNotCopied(*sample, 0x14000000), spool::ChainEnd::kCopyEnded);
  sample->stack_ended = true;
  EXPECT_EQ(WhyNotCopied(*sample, 0x10002000), spool::ChainEnd::kUnreadable);
}

}  // namespace
}  // namespace csink
