#include "agent/critical/moment_buffer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace csink::agent {
namespace {

using spool::MomentKind;
using spool::MomentRecord;

constexpr MomentBuffer::Wait kWait = {MomentKind::kMutexWait, 0x1000, 7};

struct Unmap {
  void operator()(MomentBuffer* buffer) const { munmap(buffer, sizeof *buffer); }
};
using Buffer = std::unique_ptr<MomentBuffer, Unmap>;

Buffer Make() {
  void* memory = mmap(nullptr, sizeof(MomentBuffer), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Buffer buffer(static_cast<MomentBuffer*>(memory));
  buffer->tid = 42;
  return buffer;
}

std::vector<MomentRecord> TakeAll(MomentBuffer& buffer, std::uint64_t* lost = nullptr) {
  std::vector<MomentRecord> all;
  const std::uint64_t dropped = buffer.Take([&](const MomentRecord* records, std::size_t count) {
    all.insert(all.end(), records, records + count);
  });
  if (lost) *lost = dropped;
  return all;
}

TEST(MomentBuffer, GivesWaitsAndPointsInTheOrderOfTheirEnds) {
  const Buffer buffer = Make();
  const std::uint64_t start = buffer->Begin(kWait, 10'000);
  buffer->PutPoint(MomentKind::kSemaphorePost, 0x2000, 0, 11'000);
  buffer->End(kWait, start, 15'000, MomentBuffer::kLeastWaitNs);
  const auto all = TakeAll(*buffer);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind, MomentKind::kSemaphorePost);
  EXPECT_EQ(all[0].start_ns, 11'000u);
  EXPECT_EQ(all[0].end_ns, 11'000u);
  EXPECT_EQ(all[1].kind, MomentKind::kMutexWait);
  EXPECT_EQ(all[1].start_ns, 10'000u);
  EXPECT_EQ(all[1].end_ns, 15'000u);
  EXPECT_EQ(all[1].object, 0x1000u);
  EXPECT_EQ(all[1].value, 7u);
  EXPECT_EQ(all[1].thread, 42u);
  EXPECT_EQ(all[1].flags, 0u);
  EXPECT_TRUE(TakeAll(*buffer).empty());
}

TEST(MomentBuffer, LeavesOutWaitsThatAreTooShortToBeOne) {
  const Buffer buffer = Make();
  buffer->End(kWait, buffer->Begin(kWait, 10'000), 10'900, MomentBuffer::kLeastWaitNs);
  EXPECT_TRUE(TakeAll(*buffer).empty());
  // The last thread at a barrier arrives and goes on at once; a wait ends after its begin.
  buffer->End(kWait, buffer->Begin(kWait, 20'000), 20'000, 0);
  const auto all = TakeAll(*buffer);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].end_ns, 20'001u);
}

TEST(MomentBuffer, RecordsAWaitThatTheThreadHasLeftAsCut) {
  const Buffer buffer = Make();
  buffer->Begin(kWait, 10'000);
  // A jump out of a handler; then the thread waits for something else.
  const MomentBuffer::Wait other = {MomentKind::kSleep, 0, 0};
  const std::uint64_t start = buffer->Begin(other, 30'000);
  buffer->End(other, start, 40'000, MomentBuffer::kLeastWaitNs);
  // Cancellation: the thread ends.
  buffer->Begin(kWait, 50'000);
  buffer->Cut(60'000);
  const auto all = TakeAll(*buffer);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kind, MomentKind::kMutexWait);
  EXPECT_EQ(all[0].end_ns, 30'000u);
  EXPECT_EQ(all[0].flags, spool::kMomentCut);
  EXPECT_EQ(all[1].kind, MomentKind::kSleep);
  EXPECT_EQ(all[1].flags, 0u);
  EXPECT_EQ(all[2].end_ns, 60'000u);
  EXPECT_EQ(all[2].flags, spool::kMomentCut);
}

TEST(MomentBuffer, DividesAWaitThatAHandlerInterruptsByAWaitOfItsOwn) {
  const Buffer buffer = Make();
  const std::uint64_t outer = buffer->Begin(kWait, 10'000);
  const MomentBuffer::Wait inner = {MomentKind::kSleep, 0, 0};
  buffer->End(inner, buffer->Begin(inner, 20'000), 30'000, 0);
  buffer->End(kWait, outer, 50'000, 0);
  const auto all = TakeAll(*buffer);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].start_ns, 10'000u);
  EXPECT_EQ(all[0].end_ns, 20'000u);
  EXPECT_EQ(all[1].kind, MomentKind::kSleep);
  EXPECT_EQ(all[2].start_ns, 20'000u);
  EXPECT_EQ(all[2].end_ns, 50'000u);
  EXPECT_EQ(all[2].flags, spool::kMomentCut);
}

TEST(MomentBuffer, GivesTheWaitThatTheThreadIsIn) {
  const Buffer buffer = Make();
  MomentRecord open = {};
  EXPECT_FALSE(buffer->TakeOpen(5, open));
  const std::uint64_t start = buffer->Begin(kWait, 10'000);
  ASSERT_TRUE(buffer->TakeOpen(12'000, open));
  EXPECT_EQ(open.start_ns, 10'000u);
  EXPECT_EQ(open.end_ns, 12'000u);
  EXPECT_EQ(open.flags, spool::kMomentOpen);
  buffer->End(kWait, start, 20'000, 0);
  EXPECT_FALSE(buffer->TakeOpen(30'000, open));
}

TEST(MomentBuffer, CountsWhatFindsNoRoomAndGoesOnAfterADrain) {
  const Buffer buffer = Make();
  for (std::uint64_t i = 0; i < MomentBuffer::kMoments + 5; ++i) {
    buffer->PutPoint(MomentKind::kMutexUnlock, i, 0, i + 1);
  }
  std::uint64_t lost = 0;
  auto all = TakeAll(*buffer, &lost);
  ASSERT_EQ(all.size(), MomentBuffer::kMoments);
  EXPECT_EQ(lost, 5u);
  EXPECT_EQ(all.front().object, 0u);
  EXPECT_EQ(all.back().object, MomentBuffer::kMoments - 1);
  buffer->PutPoint(MomentKind::kMutexUnlock, 99, 0, 1);
  all = TakeAll(*buffer, &lost);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].object, 99u);
  EXPECT_EQ(lost, 0u);
}

MomentBuffer* g_buffer = nullptr;
std::atomic<std::uint64_t> g_posts{0};

void Post(int) {
  g_buffer->PutPoint(MomentKind::kSemaphorePost, g_posts.load() + 1, 0, 1);
  g_posts.fetch_add(1);
}

// A handler posts semaphores while the thread records waits, and another thread drains.
TEST(MomentBuffer, KeepsEveryRecordOfAThreadAndOfTheHandlersThatInterruptIt) {
  const Buffer buffer = Make();
  g_buffer = buffer.get();
  g_posts = 0;
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = Post;
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  const itimerval often = {{0, 50}, {0, 50}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  std::atomic<bool> done{false};
  std::vector<MomentRecord> all;
  std::uint64_t lost = 0;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  std::thread drain([&] {
    for (bool last = false; !last;) {
      last = done.load();
      std::uint64_t more = 0;
      const auto taken = TakeAll(*buffer, &more);
      all.insert(all.end(), taken.begin(), taken.end());
      lost += more;
    }
  });
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  std::uint64_t waits = 0;
  while (waits < 200'000 || (g_posts < 50 && waits < 2'000'000'000)) {
    ++waits;
    const MomentBuffer::Wait wait = {MomentKind::kMutexWait, waits, ~waits};
    buffer->End(wait, buffer->Begin(wait, 1000 + waits), 3000 + waits, 0);
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  done = true;
  drain.join();
  std::uint64_t last_wait = 0;
  std::uint64_t last_post = 0;
  std::uint64_t seen = 0;
  for (const MomentRecord& record : all) {
    if (record.kind == MomentKind::kMutexWait) {
      ASSERT_GT(record.object, last_wait);
      ASSERT_EQ(record.value, ~record.object);
      ASSERT_EQ(record.start_ns, 1000 + record.object);
      last_wait = record.object;
    } else {
      ASSERT_EQ(record.kind, MomentKind::kSemaphorePost);
      ASSERT_GT(record.object, last_post);
      last_post = record.object;
    }
    ++seen;
  }
  EXPECT_EQ(seen + lost, waits + g_posts);
  EXPECT_GE(g_posts, 50u);
}

}  // namespace
}  // namespace csink::agent
