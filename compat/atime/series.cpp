#include "compat/atime/series.h"

#include <cerrno>
#include <cstring>
#include <ctime>

#include "compat/apapi_client/message.h"
#include "compat/atime/energy/numbers.h"

/// File: the file of samples. The timers of all components write to it, so lines are composed first
/// and then written under a lock.

namespace csink::atime {

bool Series::Open(const char* path) {
  // Kept for the messages of Close.
  path_ = path;
  file_.reset(std::fopen(path, "we"));
  if (!file_) {
    apapi::Say(kWho, "cannot write " + path_ + ": " + std::strerror(errno));
    return false;
  }
  // A failed write is reported by Close, as that of a sample is.
  failed_ = std::fputs("component,time_s,event,raw,value0,value1\n", file_.get()) < 0;
  return true;
}

void Series::Begin() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);  // the clock of libapapi's times
  began_ns_ = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void Series::Sampled(const apapi_eventset& set) {
  // Times before Begin do not exist: the timers start after it.
  const std::string when = Seconds(set.current_time - began_ns_);
  std::string lines;
  for (int i = 0; i < set.num_events; ++i) {
    const csink_apapi_event_times times = TimesOf(set, i);
    // This sample has no value of the event; its last one would look like a new one.
    if (!times.is_current) continue;
    lines += CsvField(set.cmp_name) + "," + when + "," + CsvField(set.event_ops[i].event_name) +
             "," + RawValue(set, i) + "," + LastValue0(set, i, times.samples) + "," +
             LastValue1(set, i, times.samples) + "\n";
  }
  // The lock covers the write alone; the lines are formatted without it.
  const std::lock_guard lock(mutex_);
  // After the first failed write nothing more is written: a series with a gap would look complete.
  if (!file_ || failed_) return;
  failed_ = std::fwrite(lines.data(), 1, lines.size(), file_.get()) != lines.size();
}

bool Series::Close() {
  const std::lock_guard lock(mutex_);
  if (!file_) return true;
  // fclose writes what is buffered, so a full disk may show only here.
  failed_ |= std::fclose(file_.release()) != 0;
  if (failed_) apapi::Say(kWho, "not all samples could be written to " + path_);
  return !failed_;
}

}  // namespace csink::atime
