#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

/// File: children between vfork and exec. A child has a record as a thread has one, with
/// kThreadIsChild. Its CPU time is not the process's, so its samples count for no account of the
/// process.

namespace csink {

std::uint32_t Collector::ChildRecord(const spool::ThreadRecord& facts) noexcept {
  // A shell makes thousands of children; those beyond the first ones are one row.
  constexpr std::uint32_t kOwnRecords = 64;
  spool::ThreadRecord record = facts;
  record.flags = spool::kThreadIsChild;
  const bool is_shared = child_records_ >= kOwnRecords;
  if (is_shared && shared_child_ != spool::kNone) return shared_child_;
  if (is_shared) {
    record.flags |= spool::kThreadShared;
    record.cpu_ns = record.child_system_ns = record.run_ns = 0;  // TakeChild adds them
  }
  const std::uint32_t id = spool_.Add(record);
  if (id == spool::kNone) return spool::kMergedThread;
  ++child_records_;
  if (is_shared) shared_child_ = id;
  return id;
}

void Collector::TakeChild(ThreadSlot& slot, const spool::ThreadRecord& facts,
                          const ChildTick* ticks, std::size_t count) noexcept {
  maps_read_this_drain_ = false;
  // Only a spool has a place for the record.
  if (EnsureSpool()) {
    slot.spool_thread = ChildRecord(facts);
    for (std::size_t i = 0; i < count; ++i) {
      OnSample(slot, static_cast<std::size_t>(accounts_.clock().event), ticks[i].pc,
               ticks[i].weight);
    }
    rings_.Drain(slot, *this);
    auto* record = slot.spool_thread != spool::kMergedThread
                       ? spool_.At<spool::ThreadRecord>(slot.spool_thread)
                       : nullptr;
    if (record && (record->flags & spool::kThreadShared) != 0) {
      StoreLive(record->threads, record->threads + 1);
      StoreLive(record->cpu_ns, record->cpu_ns + facts.cpu_ns);
      StoreLive(record->child_system_ns, record->child_system_ns + facts.child_system_ns);
      StoreLive(record->run_ns, record->run_ns + facts.run_ns);
      StoreLive(record->end_monotonic_ns, facts.end_monotonic_ns);
    }
    if (record) {
      StoreLive(record->sampled_ns, record->sampled_ns + slot.clock_weight);
      StoreLive(record->lost_records, record->lost_records + slot.lost_records);
    }
    accounts_.AddChildWeight(slot.clock_weight);
  }
  rings_.Disarm(slot);
}

}  // namespace csink
