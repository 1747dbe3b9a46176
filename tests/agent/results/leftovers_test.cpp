#include "agent/results/leftovers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "agent/process/start_state.h"
#include "profil/format/format.h"
#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

constexpr std::uint64_t kHourNs = 3'600'000'000'000;
constexpr std::uint64_t kNowNs = 100 * kHourNs;

class LeftoversTest : public ::testing::Test {
 protected:
  /// A spool of process 77, which has other start ticks if it exists.
  std::string Spool(std::uint64_t ticks, spool::State state = spool::State::kComplete,
                    std::uint64_t updated_ns = kNowNs, const std::string& host = "here",
                    std::uint64_t pid = 77) {
    const std::string path = folder_.path() + "/app." + host + "." + std::to_string(pid) + "." +
                             std::to_string(ticks) + ".0.csink";
    const auto header = std::make_unique<spool::Header>();
    header->state = state;
    header->update_monotonic_ns = updated_ns;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(header.get()), sizeof *header);
    return path;
  }
  /// The spool of the program that calls: not complete, and written now.
  std::string Own(std::uint64_t ticks) { return Spool(ticks, spool::State::kLive); }
  bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

  csink::testing::TemporaryFolder folder_;
};

TEST_F(LeftoversTest, TheOldestGoFirst) {
  const std::string second = Spool(20);
  const std::string first = Spool(10);
  const std::string third = Spool(30);
  const std::string own = Own(40);
  RemoveLeftovers(own.c_str(), 2, kNowNs);
  EXPECT_FALSE(Exists(first));
  EXPECT_FALSE(Exists(second));
  EXPECT_TRUE(Exists(third));
  EXPECT_TRUE(Exists(own));
}

TEST_F(LeftoversTest, UpToTheLimitAllStay) {
  Spool(10);
  const std::string own = Own(20);
  RemoveLeftovers(own.c_str(), 2, kNowNs);
  EXPECT_EQ(folder_.files(), 2u);
  RemoveLeftovers(own.c_str(), 0, kNowNs);  // no limit
  EXPECT_EQ(folder_.files(), 2u);
}

TEST_F(LeftoversTest, ARunningProcessKeepsItsSpool) {
  const std::string running = Spool(ProcessStartTicks(), spool::State::kLive, 0, "here",
                                    static_cast<std::uint64_t>(getpid()));
  const std::string own = Own(~0ull >> 1);
  RemoveLeftovers(own.c_str(), 1, kNowNs);
  EXPECT_TRUE(Exists(running));
}

// However many running processes are older than the spools that ended ones left.
TEST_F(LeftoversTest, OlderSpoolsOfRunningProcessesDoNotShieldTheRest) {
  for (std::uint64_t ticks = 1; ticks <= 10; ++ticks) {
    Spool(ticks, spool::State::kLive, kNowNs);  // not old enough: taken for running
  }
  const std::string left = Spool(20);
  const std::string own = Own(30);
  RemoveLeftovers(own.c_str(), 5, kNowNs);
  EXPECT_FALSE(Exists(left));
  EXPECT_EQ(folder_.files(), 11u);
}

TEST_F(LeftoversTest, RemovesNoMoreThanFourAtOnce) {
  for (std::uint64_t ticks = 1; ticks <= 9; ++ticks) Spool(ticks);
  const std::string own = Own(30);
  RemoveLeftovers(own.c_str(), 1, kNowNs);
  EXPECT_EQ(folder_.files(), 6u);
  RemoveLeftovers(own.c_str(), 1, kNowNs);
  EXPECT_EQ(folder_.files(), 2u);
  RemoveLeftovers(own.c_str(), 1, kNowNs);
  EXPECT_EQ(folder_.files(), 1u);
  EXPECT_TRUE(Exists(own));
}

// A process of another pid namespace cannot be seen.
TEST_F(LeftoversTest, ASpoolThatWasWrittenLatelyStays) {
  const std::string lately = Spool(10, spool::State::kLive, kNowNs - kHourNs / 2);
  const std::string long_ago = Spool(20, spool::State::kLive, kNowNs - 2 * kHourNs);
  const std::string own = Own(30);
  RemoveLeftovers(own.c_str(), 1, kNowNs);
  EXPECT_TRUE(Exists(lately));
  EXPECT_FALSE(Exists(long_ago));
}

TEST_F(LeftoversTest, OtherHostsAndOtherFilesAreLeftAlone) {
  const std::string other = Spool(10, spool::State::kComplete, kNowNs, "there");
  const std::string strange = folder_.path() + "/app.here.77.x.0.csink";
  std::ofstream(strange) << "not a spool";
  const std::string own = Own(30);
  RemoveLeftovers(own.c_str(), 1, kNowNs);
  EXPECT_TRUE(Exists(other));
  EXPECT_TRUE(Exists(strange));
}

}  // namespace
}  // namespace csink::agent
