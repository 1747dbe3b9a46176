#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "compat/atime/measurement.h"

namespace csink::atime {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// The time series: a line for each event of each sample,
/// `component,time_s,event,raw,value0,value1`. Times count from when the measurement began; values
/// are in their units (divided by their factors), empty where there is none yet: differences begin
/// with the second sample. Owns:    its file. Threads: Sampled from all timers.
class Series : public SampleListener {
 public:
  /// False, with a line on stderr: no such file can be written.
  bool Open(const char* path);
  /// Before the timers start.
  void Begin();
  void Sampled(const apapi_eventset& set) override;
  /// After the last sample. False, with a line on stderr: not everything could be written.
  bool Close();

 private:
  std::string path_;
  File file_;
  std::mutex mutex_;  // of file_ and failed_
  bool failed_ = false;
  long long began_ns_ = 0;
};

}  // namespace csink::atime
