#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "compat/atime/measurement.h"

namespace csink::atime {

/// Closes a stream; errors of the last write are lost, so Series::Close closes its file itself.
struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Writes the time series: a line for each event of each sample,
/// `component,time_s,event,raw,value0,value1`. Times count from Begin. Values are in their units
/// (divided by their prefixes); they are empty while there is no value (differences exist from the
/// second sample on).
/// Owns:    its file.
/// Threads: Sampled is called by all timers concurrently; the other functions by one thread.
class Series : public SampleListener {
 public:
  /// Creates the file and writes the head. False, with a line on stderr: the file cannot be
  /// written.
  bool Open(const char* path);
  /// Sets the time from which samples count. Call it before the timers start.
  void Begin();
  void Sampled(const apapi_eventset& set) override;
  /// Call it after the last sample. False, with a line on stderr: not everything could be written.
  bool Close();

 private:
  std::string path_;
  File file_;
  std::mutex mutex_;  // protects file_ and failed_
  bool failed_ = false;
  long long began_ns_ = 0;
};

}  // namespace csink::atime
