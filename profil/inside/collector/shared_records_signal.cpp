#include "profil/inside/collector/shared_records.h"

/// File: which short threads share a record. The search goes through at most 64 entries, once for
/// each short thread with samples; the end of a thread costs much more.

namespace csink {

std::uint32_t* SharedRecords::CountEnded(std::uint64_t start_routine) noexcept {
  // Threads of an unknown routine have nothing in common.
  if (start_routine == 0) return nullptr;
  Routine* routine = nullptr;
  for (std::size_t i = 0; i < count_ && !routine; ++i) {
    if (routines_[i].start_routine == start_routine) routine = &routines_[i];
  }
  if (!routine) {
    // Threads of further routines have records of their own, up to the limit of all records.
    if (count_ == kRoutines) return nullptr;
    routine = &routines_[count_++];
    *routine = {start_routine, 0, spool::kNone};
  }
  if (routine->own_records == kOwnRecords) return &routine->shared;
  ++routine->own_records;
  return nullptr;
}

}  // namespace csink
