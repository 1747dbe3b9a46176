#pragma once

#include <termios.h>

#include <string>

#include "core/util/result.h"

namespace csink::tool {

/// Why Screen::Wait returned. kRedraw: the terminal's size changed, or the process continued after
/// a stop.
enum class Wake { kTime, kKey, kRedraw, kEnd };

/// The terminal while `csink top` refreshes its output. If stdin and stdout are terminals, uses the
/// alternate screen and reads keys without Enter. The terminal's state is restored by the
/// destructor, after Ctrl-C and kill(1), and while the process is stopped by Ctrl-Z.
/// Owns:    the handlers of SIGINT, SIGTERM, SIGHUP, SIGWINCH and, on a terminal, of SIGTSTP
/// (unless ignored) and SIGCONT.
/// Threads: the process must have only one; one object at a time.
class Screen {
 public:
  /// `may_take` false: prints blocks of text, even on a terminal.
  explicit Screen(bool may_take);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool is_terminal() const { return is_terminal_; }
  /// Overwrites the screen with at most as many lines as fit. False: it cannot be written.
  bool Show(const std::string& text);
  /// Why Show failed; kOk: everything was written.
  const Error& error() const { return error_; }
  /// Waits at most `seconds`. For Wake::kKey, `key` is the key.
  Wake Wait(double seconds, char& key);
  /// Restores the terminal; later output stays visible.
  void Leave();

 private:
  void Take();
  void GiveBack();
  void Stop();
  bool Write(const std::string& text);

  bool is_terminal_ = false;
  bool has_keys_ = false;
  termios before_{};
  Error error_;
};

}  // namespace csink::tool
