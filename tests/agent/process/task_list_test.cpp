#include "agent/process/task_list.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace csink::agent {
namespace {

pid_t Tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

std::set<pid_t> Tasks() {
  std::set<pid_t> tasks;
  ForEachTask([](pid_t tid, void* arg) { static_cast<std::set<pid_t>*>(arg)->insert(tid); },
              &tasks);
  return tasks;
}

/// Threads that wait until they are let go.
class WaitingThreads {
 public:
  explicit WaitingThreads(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        ++started_;
        while (!leave_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }
    while (started_ != count) sched_yield();
  }
  ~WaitingThreads() {
    leave_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<int> started_{0};
  std::atomic<bool> leave_{false};
  std::vector<std::thread> threads_;
};

TEST(CountTasks, SeesEveryLivingThread) {
  // The thread sanitizer's runtime makes one of its own with the program's first.
  const WaitingThreads first(1);
  const std::size_t before = CountTasks();
  ASSERT_GE(before, 1u);
  const WaitingThreads threads(40);
  EXPECT_EQ(CountTasks(), before + 40);
}

TEST(ForEachTask, VisitsEveryThreadOnceMoreThanOneBufferOfThem) {
  const std::set<pid_t> before = Tasks();
  EXPECT_EQ(before.count(Tid()), 1u);
  const WaitingThreads threads(100);
  const std::set<pid_t> now = Tasks();
  EXPECT_EQ(now.size(), before.size() + 100);
  EXPECT_EQ(now.count(0), 0u);
  EXPECT_EQ(now.size(), CountTasks());
}

}  // namespace
}  // namespace csink::agent
