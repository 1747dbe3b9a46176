#include "symbolizer/commands/push/push_interval.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge.h"
#include "profil/reading/reader/reader.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/fake_resolver.h"
#include "tests/fakes/spool_builder.h"

namespace csink::tool {
namespace {

/// A receiver with one answer, which keeps the size of each request.
class OneAnswer final : public push::Transport {
 public:
  OneAnswer(const long& status, std::vector<std::size_t>& sizes) : status_(status), sizes_(sizes) {}
  push::Answer Post(const push::Request& request, std::uint64_t /*timeout_ms*/) override {
    sizes_.push_back(request.body.size());
    push::Answer answer;
    answer.status = status_;
    return answer;
  }

 private:
  const long& status_;
  std::vector<std::size_t>& sizes_;
};

/// A tree in which a process with ten samples has ended before each Read, until it was taken.
class ForkingTree final : public PartSource {
 public:
  Growth Read(const MergeOptions& options) override {
    ++left_;
    ProfileMerger merger(options);
    for (std::uint32_t i = 0; i < left_; ++i) {
      csink::testing::SpoolBuilder b;
      const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
      b.AddHits(app, 1, 0x401000 + 64 * (ended + i), 10);
      b.header().pid = 1000 + ended + i;
      const auto spool = spool::ParseSpool(b.Build());
      EXPECT_TRUE(spool);
      merger.Add(*spool, ProcessState::kComplete, "app.csink");
    }
    Growth growth;
    growth.now = merger.Finish();
    return growth;
  }
  void Taken() override { ended += std::exchange(left_, 0); }

  std::uint32_t ended = 0;  ///< Processes that are in no later Read

 private:
  std::uint32_t left_ = 0;
};

class PushInterval : public ::testing::Test {
 protected:
  IntervalPush Make(std::size_t most_refused_bytes) {
    push::Settings settings;
    settings.url = "http://receiver/v1development/profiles";
    settings.compress = false;
    Pusher pusher = Pusher::Over(settings, std::make_unique<OneAnswer>(status_, sizes_));
    const View view = pusher.ViewOfPush(false);
    return {std::move(pusher), view, resolve_, tree_, most_refused_bytes};
  }

  long status_ = 413;
  std::vector<std::size_t> sizes_;
  ForkingTree tree_;
  const csink::testing::FakeResolver names_ = {};  // Without names
  const report::Resolver resolve_ = std::cref(names_);
};

TEST_F(PushInterval, ARefusedPartIsInTheNextOne) {
  const csink::testing::CapturedStderr captured;
  IntervalPush parts = Make(IntervalPush::kMostRefusedBytes);
  for (int i = 0; i < 20; ++i) parts.Send();
  EXPECT_EQ(tree_.ended, 0u);
  EXPECT_GT(sizes_.back(), 3 * sizes_.front());
  status_ = 200;
  EXPECT_TRUE(parts.Finish(""));
  EXPECT_EQ(tree_.ended, 21u);
}

TEST_F(PushInterval, AReceiverThatRefusesForGoodGetsPartsOfABoundedSize) {
  const csink::testing::CapturedStderr captured;
  IntervalPush parts = Make(0);
  parts.Send();
  const std::size_t one = sizes_.front();
  EXPECT_EQ(tree_.ended, 1u);
  for (int i = 0; i < 199; ++i) parts.Send();
  EXPECT_EQ(tree_.ended, 200u);
  EXPECT_LT(sizes_.back(), 2 * one);
  status_ = 200;
  EXPECT_FALSE(parts.Finish(""));
  EXPECT_NE(captured.text().find("refused 200 parts with 2000 samples"), std::string::npos)
      << captured.text();
}

}  // namespace
}  // namespace csink::tool
