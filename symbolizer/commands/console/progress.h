#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace csink::tool {

/// Shows on stderr, in one line that is rewritten and finally removed, what takes so long. Only on
/// a terminal, and only after one second, so that usual reports print nothing.
/// Owns:    on a terminal, a thread of its own from the first Say on. The destructor ends it.
/// Threads: one owner.
class Progress {
 public:
  /// `quiet`: nothing is ever shown.
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether Say has any effect. If not, the caller need not make texts.
  bool is_on() const { return is_on_; }
  /// Sets the text. The line is redrawn every quarter of a second.
  void Say(std::string what);
  /// "reading symbols of libfoo.so (212 MB), 3 of 17 files done". The size is shown from 1 MB on.
  void SayModule(const std::string& path, std::size_t done, std::size_t of);

 private:
  /// The thread: waits a second, then redraws the line until is_over_.
  void Show();

  /// False if nothing may be shown, or if no thread could be created.
  bool is_on_;
  /// Joinable from the first Say on.
  std::thread thread_;
  /// Protects what_ and is_over_.
  std::mutex mutex_;
  /// Notified at the end, so that the destructor does not wait for the next line.
  std::condition_variable changed_;
  std::string what_;
  bool is_over_ = false;
};

}  // namespace csink::tool
