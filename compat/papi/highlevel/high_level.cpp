#include "compat/papi/highlevel/high_level.h"

#include "compat/papi/highlevel/thread_counters.h"
#include "compat/papi/highlevel/thread_regions.h"
#include "compat/papi/library.h"

namespace csink::papi {
namespace {

// The id function of NumberThreads: without one all threads would have the process's number.
unsigned long KernelsNumber() { return static_cast<unsigned long>(OwnTid()); }

}  // namespace

int StartLibrary(int level) noexcept {
  Library& library = TheLibrary();
  return library.ready() ? PAPI_OK : library.Initialize(level);
}

// The bit is read first: all threads share level(), and most calls need not write it.
void SayHighLevel() noexcept {
  Library& library = TheLibrary();
  if ((library.level() & PAPI_HIGH_LEVEL_INITED) == 0) library.AddLevel(PAPI_HIGH_LEVEL_INITED);
}

void NumberThreads() noexcept {
  Library& library = TheLibrary();
  if ((library.level() & PAPI_THREAD_LEVEL_INITED) != 0) [[likely]]
    return;
  if (library.threads.id_function() == nullptr) library.threads.SetIdFunction(KernelsNumber);
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

}  // namespace csink::papi
