#include "agent/attach/image_threads.h"

#include <algorithm>

#include "core/util/copy_text.h"

namespace csink::attach {
namespace {

// As the collector (profil/inside/collector/collector.h): threads with a record, and the size of
// the buckets from which on new threads share one.
constexpr std::uint32_t kMaxRecords = 16 * 1024;
constexpr std::uint64_t kPerThreadBucketBytes = 4u << 20;

/// Writes the times of a thread that has a record of its own.
void StoreOwn(const ImageThread& thread, bool ended, spool::ThreadRecord& record) {
  StoreLive(record.cpu_ns, std::max(thread.RunNs(), thread.sampled_ns));
  StoreLive(record.sampled_ns, thread.sampled_ns);
  if (ended) {
    StoreLive(record.ended, 1u);
  } else if (thread.had_start) {
    record.start_monotonic_ns = thread.start_ns;
    StoreLive(record.end_monotonic_ns, thread.last_ns);
    StoreLive(record.run_ns, thread.RunNs());
    StoreLive(record.wait_ns, thread.last.wait_ns - thread.start.wait_ns);
    StoreLive(record.turns, thread.last.turns - thread.start.turns);
  }
}

}  // namespace

ImageThread& ImageThreads::Add(pid_t tid, bool sampled, const std::string& name,
                               const TaskTimes* times, std::uint64_t now_ns) {
  ImageThread& thread = live_[tid];
  thread = ImageThread();
  thread.name = name;
  thread.sampled = sampled;
  thread.had_start = times != nullptr;
  if (times) thread.start = thread.last = *times;
  thread.start_ns = thread.last_ns = now_ns;
  ++seen_;
  sampled_ += sampled;
  return thread;
}

ImageThread* ImageThreads::Find(pid_t tid) {
  const auto found = live_.find(tid);
  return found == live_.end() ? nullptr : &found->second;
}

void ImageThreads::ReadTimes(const std::string& folder, std::uint64_t now_ns) {
  for (auto& [tid, thread] : live_) {
    const auto times = ReadTaskTimes(folder, tid);
    if (!times || times->run_ns < thread.start.run_ns) continue;
    thread.last = *times;
    thread.last_ns = now_ns;
  }
}

std::uint64_t ImageThreads::RunSinceStart(const std::string& folder) const {
  std::uint64_t sum = 0;
  for (const auto& [tid, thread] : live_) {
    const auto times = ReadTaskTimes(folder, tid);
    if (times && times->run_ns > thread.start.run_ns) sum += times->run_ns - thread.start.run_ns;
  }
  return sum;
}

std::uint64_t ImageThreads::UnsampledNs() const {
  std::uint64_t sum = unsampled_ns_;
  for (const auto& [tid, thread] : live_) {
    if (!thread.sampled) sum += thread.RunNs();
  }
  return sum;
}

std::uint32_t ImageThreads::RecordOf(pid_t tid, ImageThread& thread, SpoolWriter& spool) {
  if (thread.record != spool::kNone) return thread.record;
  thread.record = spool::kMergedThread;
  if (records_ < kMaxRecords && spool.bucket_bytes() <= kPerThreadBucketBytes) {
    spool::ThreadRecord record = {};
    record.tid = static_cast<std::uint32_t>(tid);
    record.start_region = spool::kNone;
    CopyText(record.name, thread.name);
    const std::uint32_t id = spool.Add(record);
    if (id != spool::kNone) {
      thread.record = id;
      ++records_;
    }
  }
  return thread.record;
}

void ImageThreads::Rename(pid_t tid, const std::string& name, SpoolWriter* spool) {
  ImageThread* thread = Find(tid);
  if (thread == nullptr) return;
  thread->name = name;
  const bool has_record = thread->record != spool::kNone && thread->record != spool::kMergedThread;
  if (spool == nullptr || !has_record) return;
  if (auto* record = spool->At<spool::ThreadRecord>(thread->record)) CopyText(record->name, name);
}

void ImageThreads::Store(SpoolWriter& spool) {
  for (const auto& [tid, thread] : live_) {
    // A record that several threads share gets the times of each thread when that thread ends.
    if (thread.record == spool::kNone || thread.record == spool::kMergedThread) continue;
    if (auto* record = spool.At<spool::ThreadRecord>(thread.record)) {
      StoreOwn(thread, /*ended=*/false, *record);
    }
  }
}

void ImageThreads::End(pid_t tid, SpoolWriter* spool) {
  const auto found = live_.find(tid);
  if (found == live_.end()) return;
  const ImageThread& thread = found->second;
  if (!thread.sampled) unsampled_ns_ += thread.RunNs();
  spool::ThreadRecord* record = nullptr;
  if (spool != nullptr && thread.record != spool::kNone)
    record = spool->At<spool::ThreadRecord>(thread.record);
  if (record != nullptr && thread.record == spool::kMergedThread) {
    StoreLive(record->cpu_ns, record->cpu_ns + std::max(thread.RunNs(), thread.sampled_ns));
    StoreLive(record->sampled_ns, record->sampled_ns + thread.sampled_ns);
  } else if (record != nullptr) {
    StoreOwn(thread, /*ended=*/true, *record);
  }
  live_.erase(found);
}

}  // namespace csink::attach
