#include "agent/mpi/mpi_calls.h"

#include <dlfcn.h>

#include <cstring>

/// File: the two families of MPI libraries have different handles. Open MPI's are the addresses of
/// objects, which dlsym finds; those of MPICH and its relatives are constants of a common ABI.

namespace csink::mpi {
namespace {

// MPI_MAX_LIBRARY_VERSION_STRING: 256 in Open MPI, 8192 in MPICH.
char g_version[8192 + 1];

// Stores the function `name` of the library. Returns false if the library has none.
template <class Function>
bool Find(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// mpi.h of MPICH 4.0; the same in MPICH's ABI initiative (Intel MPI, Cray MPICH, MVAPICH):
// MPI_COMM_WORLD, MPI_BYTE, MPI_ERRORS_RETURN, MPI_STATUS_IGNORE.
constexpr Handle kMpichWorld = 0x44000000;
constexpr Handle kMpichByte = 0x4c00010d;
constexpr Handle kMpichErrorsReturn = 0x54000001;
constexpr std::uintptr_t kMpichNoStatus = 1;

// PMPI_Get_library_version of these: "MPICH Version:\t4.0.2...", "Intel(R) MPI Library 2021...",
// "MVAPICH2 Version...", "MPI VERSION    : CRAY MPICH version 8.1...".
bool IsOfMpich(const char* version) noexcept {
  return std::strstr(version, "MPICH") || std::strstr(version, "MVAPICH") ||
         std::strstr(version, "Intel(R) MPI");
}

}  // namespace

const char* MpiCalls::Load(void* library) noexcept {
  int (*get_version)(char*, int*) = nullptr;
  const bool complete = Find(library, "PMPI_Initialized", Initialized) &&
                        Find(library, "PMPI_Finalized", Finalized) &&
                        Find(library, "PMPI_Comm_rank", CommRank) &&
                        Find(library, "PMPI_Comm_size", CommSize) &&
                        Find(library, "PMPI_Comm_set_errhandler", SetErrorHandler) &&
                        Find(library, "PMPI_Isend", Isend) && Find(library, "PMPI_Irecv", Irecv) &&
                        Find(library, "PMPI_Test", Test) && Find(library, "PMPI_Cancel", Cancel) &&
                        Find(library, "PMPI_Request_free", RequestFree);
  if (!complete) return "the MPI library has no profiling interface (PMPI_)";
  // Open MPI's predefined handles are the addresses of these objects (mpi.h,
  // OMPI_PREDEFINED_GLOBAL), and its MPI_STATUS_IGNORE is 0.
  void* open_mpi_world = dlsym(library, "ompi_mpi_comm_world");
  if (open_mpi_world) {
    world = reinterpret_cast<Handle>(open_mpi_world);
    byte = reinterpret_cast<Handle>(dlsym(library, "ompi_mpi_byte"));
    errors_return = reinterpret_cast<Handle>(dlsym(library, "ompi_mpi_errors_return"));
    no_status = nullptr;
    return byte != 0 && errors_return != 0 ? nullptr : "this version of Open MPI is not known";
  }
  // The handles of MPICH are constants of mpi.h. They are used only with a library that is known to
  // have them: another one would take them for something else.
  int length = 0;
  if (!Find(library, "PMPI_Get_library_version", get_version) ||
      get_version(g_version, &length) != 0 || !IsOfMpich(g_version)) {
    return "this MPI library is neither Open MPI nor a relative of MPICH";
  }
  world = kMpichWorld;
  byte = kMpichByte;
  errors_return = kMpichErrorsReturn;
  no_status = reinterpret_cast<void*>(kMpichNoStatus);
  return nullptr;
}

}  // namespace csink::mpi
