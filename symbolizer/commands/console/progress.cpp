#include "symbolizer/commands/console/progress.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <system_error>

#include "symbolizer/commands/console/terminal.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::tool {
namespace {

/// Nothing is shown before.
constexpr auto kBefore = std::chrono::seconds(1);
/// Time between two lines.
constexpr auto kBetween = std::chrono::milliseconds(250);

/// Writes to stderr. Errors are ignored.
void WriteLine(const std::string& text) { (void)!write(2, text.data(), text.size()); }

}  // namespace

Progress::Progress(bool quiet) : is_on_(!quiet && isatty(2) == 1) {}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  // The thread removes its line before it ends, so that the report begins on an empty one.
  changed_.notify_one();
  thread_.join();
}

void Progress::Say(std::string what) {
  if (!is_on_) return;
  {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
  }
  // The thread is started once, with the first text.
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { Show(); });
  } catch (const std::system_error&) {
    is_on_ = false;  // No thread could be created: no progress line
  }
}

void Progress::SayModule(const std::string& path, std::size_t done, std::size_t of) {
  if (!is_on_) return;
  std::string what = "reading symbols of " + report::Printable(report::BaseName(path));
  struct stat status;
  // The size explains why the file takes long. It is left out for small files.
  if (stat(path.c_str(), &status) == 0 && status.st_size >= 1'000'000) {
    what += " (" + std::to_string(status.st_size / 1'000'000) + " MB)";
  }
  Say(what + ", " + std::to_string(done) + " of " + std::to_string(of) + " files done");
}

void Progress::Show() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kBefore, [this] { return is_over_; })) return;
  while (!is_over_) {
    // One column less than the terminal has: a full line would wrap and could not be rewritten.
    const std::size_t width = SizeOf(2).columns - 1;
    WriteLine("\r\033[K" + report::KeepHead("csink: " + what_ + "...", width));
    changed_.wait_for(lock, kBetween, [this] { return is_over_; });
  }
  // Removes the line (ECMA-48: CR, EL).
  WriteLine("\r\033[K");
}

}  // namespace csink::tool
