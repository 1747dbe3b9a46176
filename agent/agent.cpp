#include "agent/agent.h"

#include <fcntl.h>

#include <cstdlib>

#include "agent/lifecycle/exec_policy.h"
#include "agent/process/ancestors.h"
#include "agent/process/lasting_objects.h"
#include "agent/process/task_list.h"
#include "agent/results/left_out.h"
#include "agent/results/outer_number.h"
#include "agent/results/tree_messages.h"
#include "agent/settings/complain.h"
#include "agent/signals/signal_view.h"
#include "agent/start/doctor.h"
#include "agent/threads/callers.h"
#include "agent/waiting/own_glibc.h"
#include "core/machine/clocks.h"
#include "core/machine/deadly_calls.h"
#include "core/util/raw_syscall.h"

/// File: the start of the agent, and the hooks' calls that concern more than one part.
///
/// The library's constructor (library.cpp) calls Start. Its steps, in order: remember the process
/// and its arguments, read the settings, decide whether this process is profiled, choose events,
/// install the signal handlers, arm the main thread, publish the agent to the hooks, start the
/// drain and the control thread. Hooks that run before PublishObserver find no agent and only
/// forward.

namespace csink::agent {
namespace {

#if defined(CSINK_SANITIZED)
constexpr std::uint32_t kEndRounds = 3;  // the last is the sanitizer's, which is no more after it
#else
// The C library calls destructors of thread-specific data in rounds, PTHREAD_DESTRUCTOR_ITERATIONS
// (4) at most. The agent ends the thread in its last round.
constexpr std::uint32_t kEndRounds = 4;
#endif

// Runs as late as possible among the destructors of thread-specific data, so that their CPU time is
// sampled, too: it sets the key's value again until the C library's last round.
void ThreadKeyDestructor(void* arg) {
  auto* slot = static_cast<ThreadSlot*>(arg);
  Agent* agent = TheAgent();
  if (!agent) return;
  if (++slot->end_rounds < kEndRounds) {
    agent->threads().KeepSlot(*slot);
    return;
  }
  agent->ThreadEnded(*slot);
}

}  // namespace

Agent::Agent(Kernel& kernel, ThreadRegistry& registry, RegionIndex& regions) noexcept
    : kernel_(kernel),
      registry_(registry),
      moments_(process_),
      rings_(kernel_),
      timers_(kernel_, registry_, kDrainSignal),
      spool_maker_(config_, batch_job_, start_state_, spool_place_, events_, rings_),
      collector_(kernel_, registry_, rings_, timers_, spool_, regions, spool_maker_),
      events_(process_, kernel_, registry_, rings_, timers_, spool_, collector_, config_,
              start_state_),
      threads_(process_, kernel_, registry_, events_, collector_),
      drainer_(process_, kernel_, registry_, rings_, timers_, spool_, collector_, meter_, events_,
               threads_, config_),
      waits_(process_, registry_, spool_, regions, collector_),
      control_(process_, registry_, spool_, collector_, meter_, events_, threads_, config_,
               start_state_),
      unloads_(process_, registry_, rings_, spool_, collector_),
      vfork_children_(process_, kernel_, rings_, collector_, events_, config_),
      tree_record_(process_, config_, spool_, collector_, events_, spool_maker_),
      child_ends_(process_, config_),
      last_drain_(process_, start_state_, config_, spool_, collector_, meter_, selection_,
                  tree_record_, child_ends_),
      execs_(process_, spool_, collector_, control_, selection_, last_drain_),
      forks_(process_, registry_, collector_, drainer_, threads_, meter_, control_, config_,
             start_state_, selection_, execs_, child_ends_, vfork_children_),
      restrictions_(process_, spool_, collector_, drainer_),
      process_exit_(process_, config_, start_state_, spool_, collector_, meter_, events_, drainer_,
                    control_, selection_, last_drain_) {}

void Agent::StartMeter() noexcept {
  if (events_.metered().empty()) return;
  // The counters are the machine's: what the first process reads holds for all below it.
  const bool is_first = CountAncestors(start_state_.parent_pid) == 0;
  if (config_.tree != 0 && !is_first) return;
  Text<256> why;
  if (meter_.Start(events_.metered(), process_.pid(), !is_first, why)) return;
  Text<512> line;
  line.Add("device counters are not read: ").Add(why.view());
  Complain(line.view());
}

void Agent::Start(int argument_count, char* const* arguments, char* const* environment) noexcept {
  const std::uint64_t began_ns = ThreadCpuNs();
  // Each step uses what the steps before it have read; in particular the paths of CSINK_OUTPUT and
  // CSINK_SPOOL_DIR count from the working directory that ReadStartState has read, because the
  // program may change its directory later.
  RememberArguments(start_state_, argument_count, arguments);
  process_.RememberProcess();
  // First: mistakes in settings are messages, and where these go depends on stderr at the start.
  ReadStartState(start_state_);
  SendMessagesToTree(environment, process_, start_state_);
  ReadConfig(environment, config_);
  SettleClock(config_.tree, start_state_);
  spool_place_.ReadEnvironment(environment);
  ReadBatchJob(environment, batch_job_);
  SettleOutputPath(config_, start_state_.directory, environment);
  SettleSpoolDir(config_, start_state_.directory);
  RecordOuterNumber(config_, start_state_, 0);
  // Before the first call of perf events.
  FindDeadlyCalls();
  if (config_.doctor != Doctor::kOff) {
    RunDoctor(config_, kernel_);
    return;
  }
  TheExecPolicy().Start(config_, environment);
  child_ends_.Start();
  if (!selection_.AtStart(config_, start_state_)) {
    RecordLeftOut(config_, spool::LeftOut::kExcluded, 0);
    return;
  }
  // Before the agent loads libraries itself (libagent-unwind.so in StartCallers).
  RememberFirstObjects();
  events_.Choose();
  threads_.MakeKey(ThreadKeyDestructor);
  // quick_exit runs no destructors of libraries, so StopAgent is not called. Handlers of
  // at_quick_exit run in reverse order of their registration; this one is registered before main,
  // so it runs last.
  at_quick_exit([] {
    if (Agent* agent = TheAgent()) agent->Finish(spool::End::kQuickExit, 0);
  });
  const auto before_fork = [] {
    if (Agent* agent = TheAgent()) agent->BeforeFork();
  };
  pthread_atfork(before_fork, nullptr, [] {
    if (Agent* agent = TheAgent()) agent->AfterForkInChild();
  });
  // In a tree each process has a row in the report, so one sample is enough for a spool. Without a
  // tree a spool with a few samples would not be reported.
  if (config_.tree != 0) collector_.set_final_threshold(1);
  // Before any timer that sends one of these signals.
  InstallSignalView();
  StartCallers(config_, collector_, rings_);
  if (config_.critical) {
    rings_.set_timed(true);
    timers_.set_timed(true);
    // A ring without samples has switches.
    (void)rings_.LookAtAll();
    moments_.Start(collector_, [](pid_t tid) {
      const Threads& threads = TheAgent()->threads();
      return tid == threads.agent_thread() || tid == threads.control_thread();
    });
  }
  // The time until here is in no sample; the agent's part of it is known.
  ProcessCpuNs(&start_state_.user_ns, &start_state_.system_ns, &start_state_.switches);
  const std::uint64_t armed_ns = ThreadCpuNs();
  collector_.accounts().evidence().start_agent_ns = armed_ns - began_ns;
  threads_.StartMain(armed_ns);
  events_.DescribeClock();
  process_.Activate();
  StartMeter();
  PublishObserver(this);
  // Hooks ask for the agent.
  moments_.Hold(false);
  if (config_.wait) waits_.set_glibc(OwnGlibc());
  control_.set_waits(waits_);
  control_.BeginSampling();
  // The constructor of a library that was loaded earlier may have created threads. No hook saw
  // them, because the agent was not published.
  const bool several = !IsAlone() && CountTasks() > 1;
  if (several) threads_.AdoptEarlier();
  drainer_.Start(several);
  control_.StartThread();
  collector_.accounts().AddOwnCost(ThreadCpuNs() - armed_ns);
}

bool Agent::BeforeThread() noexcept {
  if (!active()) return false;
  if (sandboxed()) return true;
  // Here IsOurProcess is false in a vfork child, and in a forked child in which an earlier fork
  // handler creates a thread. In the second case Forks::InChild adopts the thread.
  if (!IsOurProcess()) {
    forks_.NoteEarlyThread();
    return false;
  }
  drainer_.StartThread();
  return true;
}

void Agent::BeforeUnseenThread() noexcept {
  if (BeforeThread() && !sandboxed()) drainer_.SearchSoon();
}

void Agent::ThreadStarted(ThreadSlot& slot) noexcept {
  if (active() && threads_.Started(slot)) drainer_.SweepSoon();
}

void Agent::ThreadEnded(ThreadSlot& slot) noexcept {
  if (!active() || sandboxed() || !IsOurProcess()) return;
  threads_.Ended(slot);
  drainer_.ThreadEnded();
}

void Agent::AdoptThread(pid_t tid) noexcept {
  if (active() && !sandboxed()) threads_.Adopt(tid);
}

void Agent::EventsSwitched(bool off) noexcept {
  if (active() && !sandboxed() && IsOurProcess()) threads_.EventsSwitched(off);
}

void Agent::NoteThreadRoot(const void* return_address) noexcept {
  if (CallerChains* chains = collector_.chains()) {
    chains->facts().AddThreadRoot(reinterpret_cast<std::uint64_t>(return_address));
  }
}

void Agent::BeforeUnload() noexcept {
  if (!active() || !events_.source().records_mappings || sandboxed()) return;
  unloads_.Before(threads_.OwnSlot());
}

void Agent::BeforeStderrCloses() noexcept {
  if (!active() || sandboxed() || !IsOurProcess() || !IsStartStderr(start_state_, 2)) return;
  // A descriptor number that shells and programs with fixed numbers do not use. The duplicate is
  // closed on exec.
  constexpr int kAboveTheUsual = 100;
  const long r = RawSyscall(SYS_fcntl, 2, F_DUPFD_CLOEXEC, kAboveTheUsual);
  start_state_.saved_stderr = r < 0 ? -1 : static_cast<int>(r);
}

}  // namespace csink::agent
