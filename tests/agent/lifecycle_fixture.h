#pragma once

#include "agent/control/controller.h"
#include "agent/lifecycle/execs.h"
#include "agent/lifecycle/forks.h"
#include "agent/lifecycle/last_drain.h"
#include "agent/lifecycle/process_exit.h"
#include "agent/lifecycle/restrictions.h"
#include "agent/process/selection.h"
#include "agent/results/child_ends.h"
#include "agent/results/spool_maker.h"
#include "agent/results/tree_record.h"
#include "core/util/raw_log.h"
#include "tests/agent/parts_fixture.h"

namespace csink::agent::testing {

/// The parts that fork, exec and end, wired as Agent wires them. Spools lie in `factory_.folder`,
/// records of a tree in `tree_`. No report is started unless a test asks for it.
class LifecycleTest : public PartsTest {
 protected:
  void SetUp() override {
    PartsTest::SetUp();
    config_.random_start = false;  // else a sample may stay for the event's replacement
    config_.report = false;
  }
  void TearDown() override {
    SetLogSilent(false);
    PartsTest::TearDown();
  }
  /// As PartsTest::Begin. Then main's clock runs far ahead of the real one of this process, so that
  /// no CPU time of the test counts as that of a thread which the agent never saw.
  ThreadSlot& Begin(const char* events) {
    ThreadSlot& slot = PartsTest::Begin(events);
    kernel_.SetThreadCpu(AskTid(), 100'000'000'000);
    return slot;
  }
  /// `times` samples in main's ring.
  void Sample(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) kernel_.ring(kernel_.rings_ever() - 1).Sample(0x1000);
  }
  /// The process belongs to a tree of `csink run`.
  void JoinTree() {
    config_.tree = 7;
    config_.spool_dir.Add(tree_.path());
    collector_.set_final_threshold(1);
  }
  bool LockIsFree() {
    const bool free = collector_.lock().TryLock(1);
    if (free) collector_.lock().Unlock();
    return free;
  }

  csink::testing::TemporaryFolder tree_;
  BatchJob batch_job_;
  SpoolPlace place_;
  Selection selection_;
  SpoolMaker maker_{config_, batch_job_, start_state_, place_, events_, rings_};
  TreeRecord record_{process_, config_, spool_, collector_, events_, maker_};
  ChildEnds child_ends_{process_, config_};
  LastDrain last_drain_{process_, start_state_, config_, spool_,     collector_,
                        meter_,   selection_,   record_, child_ends_};
  Controller control_{process_, registry_, spool_,  collector_,  meter_,
                      events_,  threads_,  config_, start_state_};
  Execs execs_{process_, spool_, collector_, control_, selection_, last_drain_};
  VforkChildren vfork_children_{process_, kernel_, rings_, collector_, events_, config_};
  Forks forks_{process_, registry_,    collector_, drainer_, threads_,    meter_,         control_,
               config_,  start_state_, selection_, execs_,   child_ends_, vfork_children_};
  Restrictions restrictions_{process_, spool_, collector_, drainer_};
  ProcessExit process_exit_{process_, config_,  start_state_, spool_,     collector_, meter_,
                            events_,  drainer_, control_,     selection_, last_drain_};
};

/// More samples than a process needs for a spool at its end.
inline constexpr std::size_t kEnough = 20;

}  // namespace csink::agent::testing
