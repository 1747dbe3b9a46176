#include <cstdint>
#include <new>

#include "agent/agent.h"
#include "agent/process/may_start.h"
#include "agent/settings/complain.h"
#include "core/perf/ring_buffer.h"
#include "core/util/raw_syscall.h"

/// File: libagent.so's constructor and destructor, and the static storage of the agent. Unit tests
/// leave this file out and make agents of their own.

extern "C" {
// Defined in start_order.ld: the memory that each process writes to at its start, and behind it the
// memory that a process of a tree writes to as well. Weak, because test programs are linked without
// that script.
extern __attribute__((weak, visibility("hidden"))) unsigned char csink_start_memory[];
extern __attribute__((weak, visibility("hidden"))) unsigned char csink_start_memory_end[];
extern __attribute__((weak, visibility("hidden"))) unsigned char csink_record_memory_end[];
}

namespace csink::agent {
namespace {

// All zero until used: 1 MiB and 160 KiB of .bss that cost nothing.
constinit ThreadRegistry g_registry;
constinit RegionIndex g_regions;
alignas(Agent) unsigned char g_agent_storage[sizeof(Agent)];

// Makes these pages by one system call, which costs less than ten page faults. Before Linux 5.14
// the kernel answers EINVAL, and each page is made when it is written to.
void MakeStartMemory(bool in_tree) noexcept {
  constexpr long kPopulateWrite = 23;  // MADV_POPULATE_WRITE
  const std::uintptr_t page = PageBytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(csink_start_memory) & ~(page - 1);
  if (begin == 0) return;
  const auto last =
      reinterpret_cast<std::uintptr_t>(in_tree ? csink_record_memory_end : csink_start_memory_end);
  const std::uintptr_t end = (last + page - 1) & ~(page - 1);
  RawSyscall(SYS_madvise, static_cast<long>(begin), static_cast<long>(end - begin), kPopulateWrite);
}

// The library's constructor: the first code of ours that runs.
__attribute__((constructor)) void StartAgent(int argument_count, char** arguments,
                                             char** environment) {
  if (!IsEnabled(environment) || IsSecureExecution() || !IsTheFirstAgent()) return;
  MakeStartMemory(FindVariable(environment, "CSINK_TREE") != nullptr);
  auto* agent = new (g_agent_storage) Agent(RealKernel(), g_registry, g_regions);
  agent->Start(argument_count, arguments, environment);
}

// Runs after the program's own exit handlers and destructors.
__attribute__((destructor)) void StopAgent() {
  if (Agent* agent = TheAgent()) agent->Finish(spool::End::kExit, 0);
}

}  // namespace

}  // namespace csink::agent
