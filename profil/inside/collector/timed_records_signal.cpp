#include "core/machine/clocks.h"
#include "profil/inside/collector/timed_records.h"

namespace csink {

template <class T>
std::size_t TimedRecords::Add(const T* records, std::size_t count) noexcept {
  if (!spool_.open() || bytes_ >= most_bytes_) return count;
  const std::size_t added = spool_.AddMany(records, count);
  bytes_ += added * sizeof(T);
  // A refusal of the file system counts as the limit: later records would leave a gap that nobody
  // could see.
  if (added != count) bytes_ = most_bytes_;
  if (bytes_ >= most_bytes_) counts_.full_monotonic_ns = MonotonicNs();
  return count - added;
}

void TimedRecords::AddMoments(const spool::MomentRecord* moments, std::size_t count) noexcept {
  counts_.moments_left_out += Add(moments, count);
}

void TimedRecords::AddSample(const spool::TimedSampleRecord& sample) noexcept {
  counts_.samples_left_out += Add(&sample, 1);
}

void TimedRecords::AddSwitch(ThreadSlot& slot, std::uint64_t time_ns, Switch how) noexcept {
  ThreadSlot::Timed& timed = slot.timed;
  const auto direction = [](Switch which) { return which == Switch::kIn; };
  const auto last = static_cast<Switch>(timed.last_switch);
  if (timed.last_switch != 0 && direction(last) == direction(how)) return;
  timed.last_switch = static_cast<unsigned char>(how);
  timed.last_record_ns = time_ns;
  const spool::SwitchRecord record = {
      time_ns, static_cast<std::uint32_t>(slot.tid.load(std::memory_order_relaxed)),
      static_cast<spool::SwitchKind>(how)};
  counts_.switches_left_out += Add(&record, 1);
}

void TimedRecords::LostUntil(ThreadSlot& slot, std::uint64_t time_ns) noexcept {
  ThreadSlot::Timed& timed = slot.timed;
  // Nothing is known of a thread before its first record anyway.
  if (timed.last_record_ns == 0 || time_ns <= timed.last_record_ns) return;
  const spool::SwitchRecord record = {
      timed.last_record_ns, static_cast<std::uint32_t>(slot.tid.load(std::memory_order_relaxed)),
      spool::SwitchKind::kLost};
  counts_.switches_left_out += Add(&record, 1);
  ++counts_.lost_stretches;
  counts_.lost_ns += time_ns - timed.last_record_ns;
  timed.last_record_ns = time_ns;
  timed.last_switch = 0;
}

void TimedRecords::AddPoint(spool::MomentKind kind, std::uint64_t time_ns, std::uint64_t object,
                            std::uint64_t value, pid_t thread) noexcept {
  const spool::MomentRecord record = {
      time_ns, time_ns, object, value, static_cast<std::uint32_t>(thread), kind, 0};
  AddMoments(&record, 1);
}

void TimedRecords::AddBegin(ThreadSlot& slot) noexcept {
  ThreadSlot::Timed& timed = slot.timed;
  if (timed.begin_is_written || timed.start_ns == 0) return;
  timed.begin_is_written = true;
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  if (timed.creator != 0 && slot.created_ns != 0) {
    AddPoint(spool::MomentKind::kThreadCreated, slot.created_ns, timed.handle,
             static_cast<std::uint64_t>(tid), timed.creator);
  }
  AddPoint(spool::MomentKind::kThreadStart, timed.start_ns, timed.handle, 0, tid);
}

void TimedRecords::AddEnd(ThreadSlot& slot, std::uint64_t end_ns) noexcept {
  AddBegin(slot);
  AddPoint(spool::MomentKind::kThreadEnd, end_ns, slot.timed.handle, 0,
           slot.tid.load(std::memory_order_relaxed));
}

void TimedRecords::Store(spool::Header& header) const noexcept {
  if (!on_) return;
  spool::TimedCounts& to = header.timed;
  StoreLive(to.recorded, std::uint32_t{1});
  StoreLive(to.hooked, std::uint32_t{hooked_});
  StoreLive(to.moments_left_out, counts_.moments_left_out);
  StoreLive(to.samples_left_out, counts_.samples_left_out);
  StoreLive(to.switches_left_out, counts_.switches_left_out);
  StoreLive(to.full_monotonic_ns, counts_.full_monotonic_ns);
  StoreLive(to.lost_stretches, counts_.lost_stretches);
  StoreLive(to.lost_ns, counts_.lost_ns);
}

}  // namespace csink
