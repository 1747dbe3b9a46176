#include "profil/inside/chains/caller_chains.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>

#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using testing::SpoolBytes;
using testing::TemporaryFolder;

// Two functions that tell where they were called from.
__attribute__((noinline)) std::uint64_t Here() {
  asm volatile("" ::: "memory");  // not a constant
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}
__attribute__((noinline)) std::uint64_t There() {
  const std::uint64_t back = Here();
  asm volatile("" ::: "memory");
  return back;
}

class CallerChainsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_->Create(folder_.path(), "test", header));
    regions_->ReadMaps(*spool_);
    ASSERT_NE(chains_, nullptr);
  }
  void TearDown() override { munmap(chains_, sizeof(CallerChains)); }
  std::uint32_t Chain(std::initializer_list<std::uint64_t> callers, bool complete = true) {
    Callers walked;
    walked.Clear();
    for (const std::uint64_t pc : callers) walked.Add(pc);
    if (complete) walked.EndAt(spool::ChainEnd::kOutermost);
    return ChainOf(walked);
  }
  std::uint32_t ChainOf(const Callers& walked) {
    const std::uint32_t id = chains_->ChainOf(walked, *regions_, *spool_, true, stop_);
    bad_ = stop_.cut();
    return id;
  }
  std::vector<spool::ChainNode> Nodes() {
    return SpoolBytes(spool_->path()).Records<spool::ChainNode>(spool::SegmentKind::kChains);
  }

  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<RegionIndex> regions_ = std::make_unique<RegionIndex>();
  CallerChains* chains_ = CallerChains::Map();
  ChainStop stop_ = {};
  bool bad_ = false;
  const std::uint64_t a_ = Here();
  const std::uint64_t b_ = Here();
  const std::uint64_t c_ = There();
};

TEST_F(CallerChainsTest, SharesWhatChainsHaveInCommon) {
  const std::uint32_t first = Chain({a_, b_, c_});
  const std::uint32_t second = Chain({b_, b_, c_});
  EXPECT_NE(first, second);
  EXPECT_EQ(Chain({a_, b_, c_}), first);
  const auto nodes = Nodes();
  ASSERT_EQ(nodes.size(), 1u + 4u);  // c, b below it, and one direct caller each
  EXPECT_EQ(nodes[first - 1].pc, a_);
  EXPECT_EQ(nodes[first - 1].parent, nodes[second - 1].parent);
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_LE(nodes[i].parent, i);
  EXPECT_FALSE(bad_);
}

TEST_F(CallerChainsTest, CutsAtWhatIsNoReturnAddress) {
  for (const std::uint64_t rubbish : {std::uint64_t{0}, std::uint64_t{8}, ~std::uint64_t{0},
                                      reinterpret_cast<std::uint64_t>(&bad_), a_ + 1}) {
    const std::uint32_t id = Chain({a_, rubbish, c_});
    EXPECT_TRUE(bad_) << rubbish;
    const spool::ChainNode node = Nodes()[id - 1];
    EXPECT_EQ(node.pc, a_);
    EXPECT_EQ(node.flags, spool::kChainCut);
    EXPECT_EQ(node.parent, 0u);
  }
  EXPECT_EQ(Nodes().size(), 1u + 1u);
}

TEST_F(CallerChainsTest, SaysThatAChainWithoutCallersIsCut) {
  const std::uint32_t id = Chain({16, a_});
  EXPECT_TRUE(bad_);
  ASSERT_NE(id, 0u);
  const spool::ChainNode node = Nodes()[id - 1];
  EXPECT_EQ(node.flags, spool::kChainCut | spool::kChainEmpty);
  EXPECT_EQ(node.region, spool::kNone);
  EXPECT_EQ(node.parent, 0u);
  EXPECT_EQ(Chain({}, false), id);  // nothing was found at all
  EXPECT_TRUE(bad_);
  EXPECT_EQ(Chain({}), 0u);  // nobody called: the tables say so
  EXPECT_FALSE(bad_);
  EXPECT_EQ(Nodes().size(), 1u);
}

TEST_F(CallerChainsTest, EndsAtAThreadsRoot) {
  chains_->facts().AddThreadRoot(b_);
  const std::uint32_t id = Chain({a_, b_, 16}, false);
  EXPECT_FALSE(bad_);
  const auto nodes = Nodes();
  EXPECT_EQ(nodes.size(), 1u + 2u);
  EXPECT_EQ(nodes[id - 1].flags, 0u);
}

TEST_F(CallerChainsTest, MarksWhatEndsInNothing) {
  const std::uint32_t id = Chain({a_, c_}, false);
  EXPECT_TRUE(bad_);
  EXPECT_EQ(Nodes()[Nodes()[id - 1].parent - 1].flags, spool::kChainCut);
}

TEST_F(CallerChainsTest, KeepsTheDirectCallerWhenTheTableIsFull) {
  // No room for more: the spool is frozen, as before a sandbox.
  const std::uint32_t known = Chain({a_}, false);
  spool_->Freeze();
  std::uint32_t id = 0;
  for (std::uint64_t n = 0; n < 4096; ++n) {
    Callers walked;
    walked.Clear();
    walked.Add(a_);
    for (unsigned bit = 0; bit < 12; ++bit) walked.Add(n >> bit & 1 ? b_ : c_);
    walked.EndAt(spool::ChainEnd::kOutermost);
    id = ChainOf(walked);
  }
  EXPECT_EQ(stop_.end, spool::ChainEnd::kNoRoom);
  EXPECT_EQ(id, known);
  // A direct caller that is not there either: cut all the same.
  const std::uint32_t nobody = Chain({c_, b_, c_, a_});
  EXPECT_TRUE(bad_);
  ASSERT_NE(nobody, 0u);
  EXPECT_EQ(Nodes()[nobody - 1].flags, spool::kChainCut | spool::kChainEmpty);
}

TEST_F(CallerChainsTest, BeginsAnewAfterAFork) {
  Chain({a_, b_});
  chains_->facts().AddThreadRoot(c_);
  chains_->Clear();
  EXPECT_TRUE(chains_->facts().IsRoot(c_));
  const auto other = std::make_unique<SpoolWriter>();
  spool::Header header = {};
  header.event_count = 1;
  ASSERT_TRUE(other->Create(folder_.path(), "child", header));
  Callers walked;
  walked.Clear();
  walked.Add(a_);
  walked.EndAt(spool::ChainEnd::kOutermost);
  EXPECT_EQ(chains_->ChainOf(walked, *regions_, *other, true, stop_), 2u);
}

// A whole sample: function without a frame, whose caller lies on top of the stack.
TEST_F(CallerChainsTest, FindsTheCallerOfAFunctionWithoutAFrame) {
  const auto kept = std::make_unique<KeptStackSample>();
  StackSample& sample = kept->sample;
  sample.has_registers = true;
  sample.pc = reinterpret_cast<std::uint64_t>(&Here);  // its first instruction
  sample.registers[kStackPointerRegister] = 0x10000;
  sample.registers[kFramePointerRegister] = 0x20000;
#if defined(__aarch64__)
  sample.registers[kLinkRegister] = a_;
#endif
  sample.addresses[0] = sample.pc;
  sample.addresses[1] = b_;  // the kernel has left the direct caller out
  sample.address_count = 2;
  sample.stack = kept->stack;
  sample.stack_bytes = sample.stack_first_bytes = 64;
  std::memcpy(kept->stack, &a_, sizeof a_);
  chains_->facts().AddThreadRoot(a_);
  const std::uint32_t id = chains_->ChainOf(sample, *regions_, *spool_, true, stop_);
  ASSERT_NE(id, 0u);
  EXPECT_EQ(Nodes()[id - 1].pc, a_);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kThread);
}

TEST_F(CallerChainsTest, TellsWhatAReturnAddressIsNot) {
  Chain({a_, 16});
  EXPECT_EQ(stop_.end, spool::ChainEnd::kNotCode);
  EXPECT_EQ(stop_.region, regions_->Find(a_));
  Chain({a_, a_ + 1});
  EXPECT_EQ(stop_.end, spool::ChainEnd::kNotAfterCall);
}

TEST_F(CallerChainsTest, TellsTheRootsApart) {
  chains_->facts().SetMainRoot(c_ - 1, c_ + 1);
  chains_->facts().AddThreadRoot(b_);
  Chain({a_, c_}, false);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kMain);
  Chain({a_, b_}, false);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kThread);
  // No call stands before the address that makecontext leaves.
  chains_->facts().SetContextRoot(a_ + 1);
  Chain({a_, a_ + 1}, false);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kContext);
  EXPECT_FALSE(bad_);
}

TEST_F(CallerChainsTest, BlamesTheCodeBeforeAGuess) {
  Callers walked;
  walked.Clear();
  walked.Add(a_);
  walked.EndAt(spool::ChainEnd::kFramePointers);
  walked.guessed_from = walked.count;
  walked.Add(16);
  ChainOf(walked);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kFramePointers);
  EXPECT_EQ(stop_.region, regions_->Find(a_));
}

TEST_F(CallerChainsTest, NamesTheCodeWithoutTables) {
  Callers walked;
  walked.Clear();
  walked.EndAt(spool::ChainEnd::kNoRows, a_);
  ChainOf(walked);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kNoRows);
  EXPECT_EQ(stop_.region, regions_->Find(a_));
  void* code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(code, MAP_FAILED);
  regions_->ReadMaps(*spool_);
  walked.EndAt(spool::ChainEnd::kNoRows, reinterpret_cast<std::uint64_t>(code));
  ChainOf(walked);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kJit);
  walked.EndAt(spool::ChainEnd::kNoRows, 16);
  ChainOf(walked);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kNotCode);
  munmap(code, 4096);
}

TEST_F(CallerChainsTest, CutsADeepChain) {
  Callers walked;
  walked.Clear();
  for (std::size_t i = 0; i < Callers::kMax; ++i) EXPECT_TRUE(walked.Add(i % 2 ? a_ : b_));
  EXPECT_FALSE(walked.Add(a_));
  ChainOf(walked);
  EXPECT_EQ(stop_.end, spool::ChainEnd::kDepth);
}

}  // namespace
}  // namespace csink
