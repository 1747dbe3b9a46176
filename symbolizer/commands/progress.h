#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace csink::tool {

/// Shows on stderr, in one line that is rewritten and finally removed, what takes so long. Only on
/// a terminal, and only after one second.
/// Threads: one owner. On a terminal, the object starts a thread of its own with the first Say.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_on() const { return is_on_; }
  void Say(std::string what);
  /// "reading symbols of libfoo.so (212 MB), 3 of 17"
  void SayModule(const std::string& path, std::size_t done, std::size_t of);

 private:
  void Show();

  bool is_on_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool is_over_ = false;
};

}  // namespace csink::tool
