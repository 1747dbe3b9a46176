#pragma once

#include <cstdint>

/// File: the functions of the MPI library that the program uses, found at run time, so that one
/// libcsink-mpi.so serves all of them. Only functions of the profiling interface (PMPI_) are
/// called: a tool that wraps MPI_Send does not see the profiles.

namespace csink::mpi {

/// A communicator, data type or error handler. Open MPI's are pointers, those of MPICH and its
/// relatives are ints. An int in the low half of a register is what a function that takes an int
/// reads (System V ABI of x86-64, AAPCS64), so one type serves both.
using Handle = std::uintptr_t;

/// A request of either library; MPICH uses the first four bytes.
union Request {
  std::uintptr_t pointer;
  std::int32_t number;
};

/// The functions and constants of one MPI library.
/// Threads: one. Signals: not safe (dlsym).
struct MpiCalls {
  int (*Initialized)(int* flag);
  int (*Finalized)(int* flag);
  int (*CommRank)(Handle communicator, int* rank);
  int (*CommSize)(Handle communicator, int* size);
  int (*SetErrorHandler)(Handle communicator, Handle handler);
  int (*Isend)(const void* data, int count, Handle type, int to, int tag, Handle communicator,
               Request* request);
  int (*Irecv)(void* data, int count, Handle type, int from, int tag, Handle communicator,
               Request* request);
  int (*Test)(Request* request, int* done, void* status);
  int (*Cancel)(Request* request);
  int (*RequestFree)(Request* request);

  Handle world;          ///< MPI_COMM_WORLD
  Handle byte;           ///< MPI_BYTE
  Handle errors_return;  ///< MPI_ERRORS_RETURN
  void* no_status;       ///< MPI_STATUS_IGNORE

  /// Finds everything through `library`, a handle for dlsym. Returns nullptr, or what is missing,
  /// as words for the user.
  const char* Load(void* library) noexcept;
};

}  // namespace csink::mpi
