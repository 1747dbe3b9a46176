#include "profil/format/format.h"
#include "profil/inside/collector/short_threads.h"

/// File: the table of short threads. A search goes through at most 64 entries, once for each thread
/// that ends without a sample; a thread's end costs much more.

namespace csink {

void ShortThreadTable::Add(std::uint64_t start_routine, std::uint64_t cpu_ns) noexcept {
  Routine* routine = nullptr;
  for (std::size_t i = 0; i < count_ && !routine; ++i) {
    if (routines_[i].start_routine == start_routine) routine = &routines_[i];
  }
  if (!routine && count_ < kRoutines) {
    routine = &routines_[count_++];
    // The entry that fills the table becomes the one for all further routines.
    *routine = {count_ < kRoutines ? start_routine : 0, 0, 0, spool::kNone};
  }
  // The table is full: the last entry stands for all routines that it does not have.
  if (!routine) routine = &routines_[kRoutines - 1];
  ++routine->threads;
  routine->cpu_ns += cpu_ns;
}

}  // namespace csink
