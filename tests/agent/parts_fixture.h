#pragma once

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "agent/devices/meter.h"
#include "agent/drain/drainer.h"
#include "agent/start/sampled_events.h"
#include "agent/threads/threads.h"
#include "core/util/thread_id.h"
#include "tests/agent/hook_stand_ins.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/profil/spool_bytes.h"

namespace csink::agent::testing {

/// A thread that no hook knows, until it is told to go.
class UnknownThread {
 public:
  UnknownThread()
      : thread_([this] {
          tid_ = AskTid();
          ready_.release();
          go_.acquire();
        }) {
    ready_.acquire();
  }
  ~UnknownThread() {
    go_.release();
    thread_.join();
  }
  pid_t tid() const { return tid_; }

 private:
  pid_t tid_ = 0;
  std::binary_semaphore ready_{0};
  std::binary_semaphore go_{0};
  std::thread thread_;
};

/// The agent's parts on the fake kernel, wired as Agent wires them. The calling thread is main; its
/// clock stands at 1 ns.
class PartsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TheStandIns() = {};
    process_.RememberProcess();
    kernel_.SetThreadCpu(AskTid(), 1);
  }
  void TearDown() override {
    for (std::size_t i = 0; i < registry_.high_water(); ++i) {
      rings_.Disarm(registry_.at(i));
      timers_.Disarm(registry_.at(i));
    }
    registry_.ResetAfterFork();
  }
  /// Chooses events, arms main and begins to work.
  ThreadSlot& Begin(const char* events) {
    config_.events.Add(events);
    events_.Choose();
    EXPECT_TRUE(threads_.StartMain());
    events_.DescribeClock();
    process_.Activate();
    return *registry_.Find(AskTid());
  }

  struct Factory final : SpoolFactory {
    bool MakeSpool(SpoolWriter& spool) noexcept override {
      spool::Header header = {};
      header.event_count = 1;
      return spool.Create(folder.path(), "test", header).has_value();
    }
    csink::testing::TemporaryFolder folder;
  };

  static inline ThreadRegistry registry_;  // 1 MiB
  csink::testing::FakeKernel kernel_;
  RingSource rings_{kernel_};
  TimerSource timers_{kernel_, registry_, kDrainSignal};
  SpoolWriter spool_;
  RegionIndex regions_;
  Factory factory_;
  Collector collector_{kernel_, registry_, rings_, timers_, spool_, regions_, factory_};
  ProcessState process_;
  Config config_;
  StartState start_state_;
  Meter meter_;
  SampledEvents events_{process_, kernel_,    registry_, rings_,      timers_,
                        spool_,   collector_, config_,   start_state_};
  Threads threads_{process_, kernel_, registry_, events_, collector_};
  Drainer drainer_{process_,   kernel_, registry_, rings_,   timers_, spool_,
                   collector_, meter_,  events_,   threads_, config_};
};

}  // namespace csink::agent::testing
