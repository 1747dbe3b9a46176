#include "compat/papi/highlevel/high_level.h"

#include <unistd.h>

#include <string>

#include "compat/papi/boundary/library_state.h"
#include "compat/papi/highlevel/thread_counters.h"
#include "compat/papi/highlevel/thread_regions.h"
#include "compat/papi/lifecycle/lifecycle.h"
#include "compat/papi/threads/thread_list.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"

namespace csink::papi {
namespace {

// The id function of NumberThreads: without one all threads would have the process's number.
unsigned long KernelsNumber() { return static_cast<unsigned long>(OwnTid()); }

}  // namespace

int StartLibrary(int level) noexcept { return TheLibrary().ready() ? PAPI_OK : StartUp(level); }

// The bit is read first: all threads share level(), and most calls need not write it.
void SayHighLevel() noexcept {
  LibraryState& library = TheLibrary();
  if ((library.level() & PAPI_HIGH_LEVEL_INITED) == 0) library.AddLevel(PAPI_HIGH_LEVEL_INITED);
}

void NumberThreads() noexcept {
  LibraryState& library = TheLibrary();
  if ((library.level() & PAPI_THREAD_LEVEL_INITED) != 0) [[likely]]
    return;
  if (Threads().id_function() == nullptr) Threads().SetIdFunction(KernelsNumber);
  library.AddLevel(PAPI_THREAD_LEVEL_INITED);
}

// The counters belong to the thread; its regions belong to RegionRecorder, which reports them at
// exit.
void DropHighLevel(ThreadContext& context) noexcept {
  delete context.counters;
  context.counters = nullptr;
  if (context.regions) context.regions->Leave();
  context.regions = nullptr;
}

void SayWarning(std::string_view text) { RawLog(LogLevel::kWarn, text); }

void SayInfo(std::string_view text) {
  // Not RawLog: its level for information is off by default, and PAPI_HL_VERBOSE asks for these
  // lines.
  std::string line = "csink: info: ";
  line.append(text).push_back('\n');
  RawSyscall(SYS_write, STDERR_FILENO, SyscallArg(line.c_str()), static_cast<long>(line.size()));
}

}  // namespace csink::papi
