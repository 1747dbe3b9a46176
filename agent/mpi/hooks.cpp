#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "agent/mpi/mpi_calls.h"
#include "agent/mpi/reduction.h"
#include "core/util/raw_log.h"

/// File: the functions of MPI that libcsink-mpi.so defines in front of the MPI library: the begin
/// and the end, in C and Fortran. Each calls the function of the profiling interface that stands
/// behind it. Open MPI's Fortran functions call PMPI_ functions directly, so that the C functions
/// here do not see them; MPICH's call the C functions, so that each step is done once only.

#define CSINK_EXPORT __attribute__((visibility("default")))
#define CSINK_CALLER __builtin_return_address(0)

namespace csink::mpi {
namespace {

// The state of MPI in this process. MPI is begun and ended once, by one thread.
struct State {
  bool begun = false;
  bool finalized = false;
  bool aborted = false;
  bool has_agent = false;
  pid_t process = 0;     ///< That called MPI_Init; its children have a copy of this state
  bool reports = false;  ///< Rank 0, and the file of the job was written
  AgentCalls agent{};
};
State g_state;

/// A function of the MPI library. The library may not be among the global ones: Python's extension
/// modules are loaded with RTLD_LOCAL. Then the libraries that the caller needs are searched.
void* LibraryOf(void* caller) noexcept {
  if (dlsym(RTLD_DEFAULT, "PMPI_Finalize")) return RTLD_DEFAULT;
  Dl_info info = {};
  if (!dladdr(caller, &info) || !info.dli_fname) return nullptr;
  // The handle is kept: MPI is used to the end of the process.
  return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/// The function of the MPI library behind the one that is defined here. Without an MPI library the
/// result is nullptr, and one line says so.
template <class Function>
Function RealFunction(void* caller, const char* name) noexcept {
  void* library = LibraryOf(caller);
  if (void* found = dlsym(library, name)) return reinterpret_cast<Function>(found);
  static bool said = false;
  if (!said) RawLog(LogLevel::kError, "libcsink-mpi.so finds no MPI library with PMPI_ functions");
  said = true;
  return nullptr;
}

// MPI_ERR_OTHER of Open MPI; any value but 0 is an error.
constexpr int kFailed = 16;

/// Tells the agent that the process is a rank. Repeated calls do nothing, because MPICH's Fortran
/// functions call the C functions.
void AfterInit(int error) noexcept {
  if (error != 0 || g_state.begun) return;
  g_state.process = getpid();
  g_state.has_agent = g_state.agent.Load();
  if (!g_state.has_agent) return;
  // Under csink run nothing is reduced.
  g_state.begun = g_state.agent.Begin() == 0;
}

/// Reduces the profiles while MPI can still send messages.
void BeforeFinalize(void* caller) noexcept {
  if (g_state.finalized) return;
  g_state.finalized = true;
  // MPI was begun by a function that is not among these.
  AfterInit(0);
  MpiCalls mpi{};
  const char* missing = mpi.Load(LibraryOf(caller));
  int initialized = 0;
  int finalized = 0;
  if (!missing) {
    mpi.Initialized(&initialized);
    mpi.Finalized(&finalized);
    // MPI itself says what is wrong.
    if (initialized == 0 || finalized != 0) return;
    g_state.reports = Reduce(mpi, g_state.agent, g_state.has_agent);
    return;
  }
  char line[256] = "the ranks' profiles are not reduced, their spools are left for csink merge: ";
  std::strncat(line, missing, sizeof line - std::strlen(line) - 1);
  RawLog(LogLevel::kWarn, line);
}

/// The report is made after MPI_Finalize, so that the other ranks do not wait for it, polling.
void AfterFinalize() noexcept {
  if (!g_state.reports) return;
  g_state.reports = false;
  if (g_state.agent.Report() == 0) return;
  RawLog(LogLevel::kWarn,
         "the report of the job could not be made; its file is in the folder of spools, "
         "*.ranks.csink: csink report FILE");
}

/// A rank that ends without MPI_Finalize keeps its spool.
__attribute__((destructor)) void AtEnd() {
  if (!g_state.begun || g_state.finalized || g_state.aborted) return;
  // A forked child of the rank ends without MPI.
  if (g_state.process != getpid()) return;
  RawLog(LogLevel::kWarn,
         "the rank ended without MPI_Finalize: there is no report of the job; the spools of the "
         "ranks are left for csink merge");
}

using Init = int (*)(int*, char***);
using InitThread = int (*)(int*, char***, int, int*);
using Finalize = int (*)();
using Abort = int (*)(Handle, int);
using FortranInit = void (*)(int*);
using FortranInitThread = void (*)(int*, int*, int*);

}  // namespace
}  // namespace csink::mpi

using namespace csink;
using namespace csink::mpi;

extern "C" {

CSINK_EXPORT int MPI_Init(int* count, char*** arguments) {
  const auto real = RealFunction<Init>(CSINK_CALLER, "PMPI_Init");
  if (!real) return kFailed;
  const int error = real(count, arguments);
  AfterInit(error);
  return error;
}

CSINK_EXPORT int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const auto real = RealFunction<InitThread>(CSINK_CALLER, "PMPI_Init_thread");
  if (!real) return kFailed;
  const int error = real(count, arguments, required, provided);
  AfterInit(error);
  return error;
}

CSINK_EXPORT int MPI_Finalize(void) {
  const auto real = RealFunction<Finalize>(CSINK_CALLER, "PMPI_Finalize");
  if (!real) return kFailed;
  BeforeFinalize(CSINK_CALLER);
  const int error = real();
  AfterFinalize();
  return error;
}

/// The handle of a communicator is passed on as it came, in a register of full width.
CSINK_EXPORT int MPI_Abort(Handle communicator, int code) {
  const auto real = RealFunction<Abort>(CSINK_CALLER, "PMPI_Abort");
  // From MPI_Finalize on, the reduction itself says what is missing.
  if (g_state.begun && !g_state.finalized) {
    g_state.aborted = true;
    RawLog(LogLevel::kWarn,
           "MPI_Abort: there is no report of the job; the spools of the ranks are left for csink "
           "merge");
  }
  return real ? real(communicator, code) : kFailed;
}

// The names that Fortran compilers give them, and those of the module mpi_f08.
#define CSINK_FORTRAN_INIT(name)                                          \
  CSINK_EXPORT void name(int* error) {                                    \
    const auto real = RealFunction<FortranInit>(CSINK_CALLER, "p" #name); \
    int ignored = kFailed;                                                \
    if (!error) error = &ignored;                                         \
    if (!real) return void(*error = kFailed);                             \
    real(error);                                                          \
    AfterInit(*error);                                                    \
  }
#define CSINK_FORTRAN_INIT_THREAD(name)                                         \
  CSINK_EXPORT void name(int* required, int* provided, int* error) {            \
    const auto real = RealFunction<FortranInitThread>(CSINK_CALLER, "p" #name); \
    int ignored = kFailed;                                                      \
    if (!error) error = &ignored;                                               \
    if (!real) return void(*error = kFailed);                                   \
    real(required, provided, error);                                            \
    AfterInit(*error);                                                          \
  }
#define CSINK_FORTRAN_FINALIZE(name)                                      \
  CSINK_EXPORT void name(int* error) {                                    \
    const auto real = RealFunction<FortranInit>(CSINK_CALLER, "p" #name); \
    int ignored = kFailed;                                                \
    if (!error) error = &ignored;                                         \
    if (!real) return void(*error = kFailed);                             \
    BeforeFinalize(CSINK_CALLER);                                         \
    real(error);                                                          \
    AfterFinalize();                                                      \
  }

CSINK_FORTRAN_INIT(mpi_init_)
CSINK_FORTRAN_INIT(mpi_init_f08_)
CSINK_FORTRAN_INIT_THREAD(mpi_init_thread_)
CSINK_FORTRAN_INIT_THREAD(mpi_init_thread_f08_)
CSINK_FORTRAN_FINALIZE(mpi_finalize_)
CSINK_FORTRAN_FINALIZE(mpi_finalize_f08_)

}  // extern "C"
