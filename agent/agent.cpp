#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "agent/doctor/doctor.h"
#include "agent/doctor/doctor_trial.h"
#include "agent/events/default_events.h"
#include "agent/events/probe.h"
#include "agent/exec/exec_policy.h"
#include "agent/process/lasting_objects.h"
#include "agent/process/only_agent.h"
#include "agent/process/task_list.h"
#include "agent/settings/complain.h"
#include "agent/signals/seccomp_filter.h"
#include "agent/signals/signal_view.h"
#include "core/machine/clocks.h"
#include "core/perf/perf_probe.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

namespace csink::agent {
namespace {

// All zero until used: 1 MiB and 160 KiB of .bss that cost nothing.
constinit ThreadRegistry g_registry;
constinit RegionIndex g_regions;
alignas(Agent) unsigned char g_agent_storage[sizeof(Agent)];

#if defined(CSINK_SANITIZED)
constexpr std::uint32_t kEndRounds = 3;  // the last is the sanitizer's, which is no more after it
#else
constexpr std::uint32_t kEndRounds = 4;
#endif

// Runs last of all thread-specific destructors: it puts itself back until the
// C library gives up asking (PTHREAD_DESTRUCTOR_ITERATIONS is 4).
void ThreadKeyDestructor(void* arg) {
  auto* slot = static_cast<ThreadSlot*>(arg);
  Agent* agent = TheAgent();
  if (!agent) return;
  if (++slot->end_rounds < kEndRounds) {
    pthread_setspecific(agent->thread_key(), slot);
    return;
  }
  agent->ThreadEnded(*slot);
}

}  // namespace

Agent::Agent() noexcept
    : kernel_(RealKernel()),
      registry_(g_registry),
      rings_(kernel_),
      timers_(kernel_, registry_, kDrainSignal),
      collector_(kernel_, registry_, rings_, timers_, spool_, g_regions, *this) {}

bool Agent::ArmMain() noexcept {
  ThreadSlot* slot = registry_.Claim();
  if (!slot) return false;
  slot->is_main = true;
  const pid_t tid = AskTid();
  slot->tid.store(tid, std::memory_order_relaxed);
  Result<void> armed = Error{};
  if (!timer_source_) {
    if (config_.source == SourceChoice::kTimer) {
      UseTimerSource(Error{Errc::kUnsupported, 0, "CSINK_SOURCE=timer"});
    } else if (!PerfIsSurvivable()) {
      UseTimerSource(Error{Errc::kPermission, EPERM, ""});
    }
  }
  const bool rests = collector_.pauses().resting();  // forked out of a paused program
  slot->resting = rests;
  while (!timer_source_ && events_.count > 0 && !rests) {
    rings_.Configure(events_);
    rings_.set_random_first(config_.random_start, config_.tree);
    armed = rings_.Arm(*slot, tid);
    if (armed && ChoosesEventsItself() && rings_.counts_hardware() && !rings_.HasCounted(*slot)) {
      rings_.Disarm(*slot);
      slot->ForgetAccounts();
      SampleClockInstead("cycles had no counter at the start: another program uses it");
      continue;
    }
    if (armed) break;
    const Error error = armed.error();
    if (GiveUpKernelMode(error)) continue;
    const std::size_t failed = rings_.failed_event();
    const bool refused = error.code == Errc::kPermission && error.sys_errno != 0 &&
                         events_.events[failed].kind == EventClass::kClock;
    const bool only_task_clock = events_.count == 1 && events_.events[0].kind == EventClass::kClock;
    if (refused || only_task_clock || error.code == Errc::kUnsupported) {
      UseTimerSource(error);
      break;
    }
    Text<400> line;
    line.Add("event ").Add(events_.events[failed].name).Add(" is left out: ");
    line.Add(WhyLeftOut(kernel_, events_.events[failed], error).view());
    if (events_.count == 1) line.Add("; sampling task-clock instead");
    Complain(line.view());
    for (std::size_t i = failed; i + 1 < events_.count; ++i) {
      events_.events[i] = events_.events[i + 1];
    }
    if (--events_.count == 0) {
      events_.events[0] = TaskClock();
      events_.count = 1;
      source_reason_.Clear();
      source_reason_.Add("no event of CSINK_EVENTS is to be had");
    }
  }
  SayWhyNoKernelMode();
  collector_.pauses().set_system_is_sampled(timer_source_ || config_.kernel);
  bool ok = rests || (armed.has_value() && slot->ring_count > 0);
  if (timer_source_ && !rests) ok = ArmTimer(*slot, tid);
  collector_.accounts().BeginThread(*slot, tid, ok);
  if (key_made_) pthread_setspecific(thread_key_, slot);
  slot->hooked = key_made_;
  slot->state.store(SlotState::kLive, std::memory_order_release);
  return ok;
}

void Agent::Start(int argument_count, char* const* arguments, char* const* environment) noexcept {
  RememberArguments(start_state_, argument_count, arguments);
  pid_ = OwnPid();
  ReadConfig(environment, config_);
  ReadSpoolPlaces(environment);
  ReadBatchJob(environment, batch_job_);
  ReadStartState(start_state_);
  SettleOutputPath(config_, start_state_.directory, environment);
  SettleSpoolDir(config_, start_state_.directory);
  if (config_.doctor) {
    RunDoctor(config_, kernel_);
    return;
  }
  TheExecPolicy().Start(config_, environment);
  if (!IsWanted()) return;
  RememberFirstObjects();  // before we load any ourselves
  ChooseEvents();
  IncludeKernelMode();
  key_made_ = pthread_key_create(&thread_key_, ThreadKeyDestructor) == 0;
  // Registered first, so it runs last; quick_exit calls nothing else that we could see.
  at_quick_exit([] {
    if (Agent* agent = TheAgent()) agent->Finish(spool::End::kQuickExit, 0);
  });
  const auto before_fork = [] {
    if (Agent* agent = TheAgent()) agent->BeforeFork();
  };
  pthread_atfork(before_fork, nullptr, [] {
    if (Agent* agent = TheAgent()) agent->AfterForkInChild();
  });
  if (config_.tree != 0) collector_.set_final_threshold(1);
  InstallSignalView();
  StartStacks();
  ArmMain();
  DescribeClock();
  phase_.store(Phase::kActive, std::memory_order_release);
  StartMeter();
  Publish();
  PauseAtStart();
  if (!IsAlone() && CountTasks() > 1) {
    AdoptEarlierThreads();  // that a library before us has made in its constructor
    StartAgentThread();
  } else if (!timer_source_) {
    StartDrainTimer(AskTid());
  }
  StartControlThread();
}

void Agent::StartDrainTimer(pid_t tid) noexcept {
  if (!DrainSignalIsOurs() || !CpuTimersAreSurvivable()) {
    StartAgentThread();
    return;
  }
  const long timer = kernel_.TimerCreate(tid, kDrainSignal, &drain_timer_);
  if (timer < 0)
    return;  // still drained at the end, and by the agent thread once there are threads
  drain_timer_ = static_cast<int>(timer);
  SetDrainTimer(tid);
  drainer_.store(Drainer::kTimer, std::memory_order_release);
}

void Agent::DrainSignalTaken() noexcept {
  if (!active()) return;
  ReplaceDrainSignal();
}

void Agent::ReplaceDrainSignal() noexcept {
  if (!active() || timer_source_ || sandboxed_) return;
  StopDrainTimer();
  StartAgentThread();
}

void Agent::ReadSpoolPlaces(char* const* environment) noexcept {
  if (const char* dir = FindVariable(environment, "XDG_RUNTIME_DIR")) runtime_dir_.Add(dir);
  const char* temporary = FindVariable(environment, "TMPDIR");
  temporary_dir_.Add(temporary && temporary[0] == '/' ? temporary : "/tmp");
}

void Agent::AfterForkInChild() noexcept {
  const bool was_active = active();
  const bool early_threads = early_threads_;
  early_threads_ = false;
  pid_ = OwnPid();
  forked_ = true;
  made_child_ = false;
  drain_timer_ = -1;
  agent_tid_ = 0;
  exec_lock_held_ = false;
  agent_thread_starting_.store(false, std::memory_order_relaxed);
  agent_thread_cost_ns_ = 0;
  drainer_.store(Drainer::kNobody, std::memory_order_relaxed);
  finishing_tid_.store(0, std::memory_order_relaxed);
  meter_.ForgetAfterFork();
  registry_.ResetAfterFork();
  collector_.ResetAfterFork();
  StacksAfterFork();
  control_.ResetAfterFork();
  if (!was_active || config_.follow == Follow::kNone) {
    phase_.store(Phase::kFinished, std::memory_order_relaxed);
    return;
  }
  start_state_.monotonic_ns = MonotonicNs();
  ReadStartState(start_state_);
  if (sandboxed_) {
    phase_.store(Phase::kFinished, std::memory_order_relaxed);
    return;
  }
  ArmMain();
  if (early_threads) {
    AdoptEarlierThreads();
    StartAgentThread();
  } else if (!timer_source_) {
    StartDrainTimer(AskTid());
  }
  StartControlThread();
}

void Agent::BeforeSeccomp(const void* filter) noexcept {
  if (!active() || !IsOurProcess()) return;
  if (sandboxed_) {  // a filter more, that may not be looked at
    SetLogSilent(true);
    return;
  }
  // Strict mode leaves read, write, exit and the return from a handler.
  const FilterVerdict verdict = filter ? JudgeFilter(filter) : FilterVerdict{false, false, true};
  if (verdict.leaves_us_alone) return;
  if (!verdict.lets_us_tick) StopTicks("the program's seccomp filter forbids handlers of signals");
  SetLogSilent(!verdict.lets_us_speak);
  entering_sandbox_ = true;
  const SignalsBlocked quiet;
  const pid_t tid = AskTid();
  collector_.lock().Lock(tid);
  collector_.Freeze();
  collector_.lock().Unlock();
  sandboxed_ = true;
}

void Agent::AfterSeccomp(bool succeeded) noexcept {
  if (entering_sandbox_ && !succeeded) {
    sandboxed_ = false;
    SetLogSilent(false);
    collector_.Unfreeze();
  }
  entering_sandbox_ = false;
}

void Agent::BeforeChroot() noexcept {
  if (!active() || sandboxed_ || !IsOurProcess()) return;
  const SignalsBlocked quiet;
  const pid_t tid = AskTid();
  collector_.lock().Lock(tid);
  if (collector_.EnsureSpool()) spool_.Reserve();
  collector_.lock().Unlock();
}

void Agent::BeforeUserChange() noexcept {
  if (!active() || sandboxed_ || !IsOurProcess() || !spool_.open()) return;
  const SignalsBlocked quiet;
  const pid_t tid = AskTid();
  collector_.lock().Lock(tid);
  spool_.Reserve();
  collector_.lock().Unlock();
}

void Agent::BeforeStderrCloses() noexcept {
  if (!active() || sandboxed_ || !IsOurProcess() || !IsStartStderr(start_state_, 2)) return;
  constexpr int kAboveTheUsual = 100;
  const long r = RawSyscall(SYS_fcntl, 2, F_DUPFD_CLOEXEC, kAboveTheUsual);
  start_state_.saved_stderr = r < 0 ? -1 : static_cast<int>(r);
}

namespace {

// The library's constructor: the first code of ours that runs.
__attribute__((constructor)) void StartAgent(int argument_count, char** arguments,
                                             char** environment) {
  if (!IsEnabled(environment) || IsSecureExecution() || !IsTheFirstAgent()) return;
  auto* agent = new (g_agent_storage) Agent();
  agent->Start(argument_count, arguments, environment);
}

// Runs after the program's own exit handlers and destructors.
__attribute__((destructor)) void StopAgent() {
  if (Agent* agent = TheAgent()) agent->Finish(spool::End::kExit, 0);
}

}  // namespace

}  // namespace csink::agent
