#pragma once

#include <cstddef>
#include <cstdint>

namespace csink::agent {

/// The function that a thread runs, as far as its start routine alone does not say it.
///
/// std::thread, std::async and boost::thread pass the same routine of their library to
/// pthread_create for every thread. Its argument is an object of a class of the program, and the
/// routine calls the object's virtual function. The class is known by the name in its type
/// information, so that code built without it (-fno-rtti) keeps the start routine. Where the
/// callable is a pointer to a function, the pointer is read out of libstdc++'s object (that of
/// std::thread, or the state of std::async).
/// glib's and libgomp's threads have the function in the first word of their argument; these
/// libraries are known by the names of their files (glibc 2.35 or later).
///
/// Returns the address of the function, or `routine` if nothing else is established. Memory is read
/// by system calls, so that any `argument` is allowed. Keeps errno. Threads: any. Signals: not
/// safe.
std::uint64_t StartedFunction(std::uint64_t routine, std::uint64_t argument) noexcept;

/// Where a pointer to the function lies in an object of libstdc++'s std::thread::_State_impl.
struct CallableField {
  std::size_t offset = 0;  ///< 0: the callable is no pointer, or the layout is not known
  bool is_member = false;  ///< A pointer to a member function, which takes two words
};
/// From the mangled list of the callable's and the arguments' types: what follows
/// "NSt6thread11_State_implINS_8_InvokerISt5tupleIJ". The arguments lie before the callable, the
/// last one first (libstdc++'s _Tuple_impl). Arguments of class types have unknown sizes, except
/// references (std::ref). `substitutions`: how many substitutions the name has defined before
/// `types` (Itanium C++ ABI, 5.1.10). For tests.
CallableField FindCallable(const char* types, std::size_t substitutions = 4) noexcept;

}  // namespace csink::agent
