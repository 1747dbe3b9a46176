#pragma once

#include <cstdint>

/// File: libsde's interface for a libpapi, found at run time: libpapi is not linked with libsde and
/// never loads it.

namespace csink::sde {

/// The functions that libsde.so.1 provides for a libpapi: its exports sde_ti_*, as `nm -D` of
/// Debian's libsde1 7.0.0 lists them. The descriptions below are what was found by trying them. An
/// event is identified by a number: the first is 0, and numbers are not used again. Unless stated
/// otherwise, functions return 0, or a negative SDE_E... of sde_lib.h.
///
/// An unregistered event has no name any more, but that is not reliable: libsde 7.0.0 searches its
/// number in memory that it has freed (valgrind), and reports nothing before. So no more numbers
/// are asked for than the user needs.
///
/// Threads: any, as far as libsde allows: none of these takes its lock, except `number_of` for a
///          new name.
struct Functions {
  /// The number of events that were numbered so far.
  int (*event_count)() = nullptr;
  /// The name "LIBRARY::EVENT", in libsde's memory; nullptr: there is no such event.
  char* (*name)(int number) = nullptr;
  /// The description; the name where there is none.
  char* (*description)(int number) = nullptr;
  /// The number of any name LIBRARY::EVENT. For an event that is not registered yet the number is
  /// reserved.
  int (*number_of)(const char* name, std::uint32_t* number) = nullptr;
  /// The value since the last reset, or the momentary value (PAPI_SDE_INSTANT). A recorder's value,
  /// and values derived from it except its count, are memory that the caller must free.
  int (*read)(std::uint32_t number, long long* value) = nullptr;
  /// Makes the present value the start of a difference. Returns 0 also for an event that does not
  /// exist any more.
  int (*reset)(std::uint32_t number) = nullptr;
  /// Sets the program's own variable. Callbacks, groups, sets and recorders have none.
  int (*write)(std::uint32_t number, long long value) = nullptr;
  /// 1: the event is a variable whose changes libsde does not report.
  int (*is_simple)(std::uint32_t number) = nullptr;
  /// 0: libsde counts the event itself and will report it, or the event is not registered yet.
  /// Otherwise it will not be reported; negative: not a number. The number must exist: libsde reads
  /// through it.
  int (*set_overflow)(std::uint32_t number, int threshold) = nullptr;
  /// 1: set_overflow was called before the event was registered.
  int (*is_set_to_overflow)(std::uint32_t number) = nullptr;

  /// Whether the event is registered, as far as libsde knows (see above).
  bool Has(std::uint32_t number) const noexcept { return name(static_cast<int>(number)); }
};

/// libsde's functions as this process has them: linked, loaded by a library of the program's, or
/// static (libsde.a with our libpapi.a). nullptr: libsde is not in the process, or not yet; another
/// call costs a few symbol look-ups. libsde is never loaded by us: without another user of it in
/// the process it has no events. Once found, it stays loaded.
/// Threads: any. Signals: safe after it was found.
const Functions* Find() noexcept;

/// Whether the address is inside libsde, or inside the program that libsde is linked into. Signals:
/// safe.
bool IsInside(const void* address) noexcept;

}  // namespace csink::sde
