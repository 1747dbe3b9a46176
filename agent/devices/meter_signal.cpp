#include <errno.h>

#include <cstring>

#include "agent/devices/meter.h"
#include "core/machine/clocks.h"
#include "core/util/futex.h"

/// File: the agent's side of the memory shared with csink-meter. A command is a number and a state
/// in one word; the meter carries it out and stores the same word in `done`. The values are read
/// under a sequence counter, which is odd while the meter writes, because no lock can be shared
/// with another process that may be killed.

namespace csink::agent {
namespace {

// A reading of registers takes microseconds, one of a BMC up to a second. The program does not wait
// that long at its end: the last values may then be some hundred milliseconds old, and the report
// says so.
constexpr std::uint64_t kEndWaitNs = 150'000'000;
// Attempts to read values that the meter is changing. After that the record keeps its older values
// until the next copy.
constexpr int kAttempts = 8;

std::uint32_t Load(const std::uint32_t& word) noexcept {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

}  // namespace

void Meter::Command(MeterCommand command) noexcept {
  if (!table_) return;
  const std::uint32_t number = (table_->command >> 2) + 1;
  const std::uint32_t word = number << 2 | static_cast<std::uint32_t>(command);
  __atomic_store_n(&table_->command, word, __ATOMIC_RELEASE);
  // Not FUTEX_PRIVATE: the waiter is another process.
  FutexWake(&table_->command, FutexScope::kShared);
  if (command != MeterCommand::kEnd) return;
  const std::uint64_t until = MonotonicNs() + kEndWaitNs;
  for (;;) {
    const std::uint32_t done = Load(table_->done);
    const std::uint64_t now = MonotonicNs();
    // The futex waits for a change of `done`, which may be the answer to an earlier command.
    if (done == word || now >= until) return;
    FutexWait(&table_->done, done, until - now, FutexScope::kShared);
  }
}

void Meter::StartAnew() noexcept {
  if (!table_) return;
  records_ = 0;  // they were in the discarded spool
  __atomic_fetch_add(&table_->anew, 1, __ATOMIC_RELEASE);
  Command(static_cast<MeterCommand>(table_->command & kMeterCommandMask));
}

void Meter::CopyTo(SpoolWriter& spool) noexcept {
  if (!table_ || !spool.open() || Load(table_->done) == 0) return;
  const std::uint32_t count = table_->count < kMostMeters ? table_->count : kMostMeters;
  if (records_ < count) {
    for (; records_ < count; ++records_) {
      const MeterValue& from = table_->values[records_];
      spool::DeviceCounterRecord record = {};
      std::memcpy(record.units, from.units, sizeof record.units);
      record.machine = table_->machine;
      std::size_t bytes = 0;
      while (bytes < sizeof from.name && from.name[bytes] != 0) ++bytes;
      const std::uint32_t id = spool.AddDeviceCounter(record, {from.name, bytes});
      if (id == spool::kNone) return;
      if (records_ == 0) first_record_ = id;
    }
  }
  // The names do not change after the first reading, so only the numbers are copied from here on.
  for (std::uint32_t i = 0; i < records_; ++i) {
    auto* to = spool.At<spool::DeviceCounterRecord>(first_record_ + i);
    if (!to) return;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::uint32_t before = Load(table_->sequence);
      const MeterValue& from = table_->values[i];
      spool::DeviceCounterRecord now = *to;
      now.value_type = from.value_type;
      now.flags = from.flags;
      now.first_ns = from.first_ns;
      now.last_ns = from.last_ns;
      now.covered_ns = from.covered_ns;
      now.machine_busy_ns = table_->machine_busy_ns;
      now.readings = from.readings;
      now.failed_readings = from.failed;
      now.value = from.value;
      now.minimum = from.minimum;
      now.maximum = from.maximum;
      now.time_sum = from.time_sum;
      // Adds 0: a fence that orders the reads above before this one, in a form that ThreadSanitizer
      // understands.
      const std::uint32_t after = __atomic_fetch_add(&table_->sequence, 0u, __ATOMIC_ACQ_REL);
      if ((before & 1) != 0 || before != after) continue;
      *to = now;
      break;
    }
  }
}

}  // namespace csink::agent
