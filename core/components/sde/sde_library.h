#pragma once

#include <cstdint>

namespace csink::sde {

/// What libsde.so.1 offers to a libpapi: its exports sde_ti_*, as `nm -D` of Debian's libsde1 7.0.0
/// lists them and as they answered when they were tried. An event is known by a number: the first
/// is 0, and none is used twice. Where nothing else is said the answer is 0, or a negative one of
/// sde_lib.h's SDE_E...
///
/// An event that was unregistered has no name any more, or so it seems: libsde 7.0.0 looks for its
/// number in memory that it has freed (valgrind), and nothing tells of it before. So we ask for no
/// more numbers than somebody wants to know of.
///
/// Threads: any, as far as libsde is: none of these takes its lock but `number_of` of a new name.
struct Functions {
  /// Numbers given so far.
  int (*event_count)() = nullptr;
  /// "LIBRARY::EVENT", libsde's own; nullptr: there is no such event.
  char* (*name)(int number) = nullptr;
  /// The name where nobody has described it.
  char* (*description)(int number) = nullptr;
  /// Any LIBRARY::EVENT has a number: of one that nobody has registered yet it is kept for it.
  int (*number_of)(const char* name, std::uint32_t* number) = nullptr;
  /// Since the last reset, or what is now (PAPI_SDE_INSTANT). A recorder's value, and what is
  /// derived from it but its count, is memory for the caller to free.
  int (*read)(std::uint32_t number, long long* value) = nullptr;
  int (*reset)(std::uint32_t number) = nullptr;
  /// Sets the program's own variable. Callbacks, groups, sets and recorders have none.
  int (*write)(std::uint32_t number, long long value) = nullptr;
  /// 1: a variable that the program changes without a word.
  int (*is_simple)(std::uint32_t number) = nullptr;
  /// 0: libsde counts itself and will say so, or the event is still to come. Else it will not:
  /// negative for what is no number. Reads through the number: it must exist.
  int (*set_overflow)(std::uint32_t number, int threshold) = nullptr;
  /// 1: set while the event was still to come.
  int (*is_set_to_overflow)(std::uint32_t number) = nullptr;

  bool Has(std::uint32_t number) const noexcept { return name(static_cast<int>(number)); }
};

/// libsde as this process has it: linked, loaded by a library of the program's, or static (libsde.a
/// with our libpapi.a). nullptr: not here, or not yet; asking again costs a few look-ups. We never
/// load it: nobody would have registered an event. Once found it stays loaded, whoever else drops
/// it.
/// Threads: any. Signals: safe once it was found.
const Functions* Find() noexcept;

/// Whether that address lies in libsde, or in the program that libsde is part of.
bool IsInside(const void* address) noexcept;

}  // namespace csink::sde
