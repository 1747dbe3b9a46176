#pragma once

#include <termios.h>

#include <string>

#include "core/util/result.h"

/// File: the screen of `csink top`.

namespace csink::tool {

/// Why Screen::Wait returned. kTime: the time is over. kKey: a key was pressed. kRedraw: the
/// terminal's size changed, or the process continued after a stop. kEnd: a signal asks this process
/// to end.
enum class Wake { kTime, kKey, kRedraw, kEnd };

/// The terminal while `csink top` refreshes its output. If stdin and stdout are terminals, uses the
/// alternate screen and reads keys without Enter. The terminal's state is restored by the
/// destructor, after Ctrl-C and kill(1), and while the process is stopped by Ctrl-Z.
/// Owns:    the handlers of SIGINT, SIGTERM, SIGHUP, SIGWINCH and, on a terminal, of SIGTSTP
/// (unless ignored) and SIGCONT. These signals are blocked except in Wait.
/// Threads: the process must have only one; one object at a time.
class Screen {
 public:
  /// Takes the terminal. If `may_take` is false, blocks of text are printed, even on a terminal.
  explicit Screen(bool may_take);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Whether the alternate screen is in use.
  bool is_terminal() const { return is_terminal_; }
  /// Overwrites the screen with at most as many lines as fit; without a screen, prints the text and
  /// an empty line. Returns false if it cannot be written (error).
  bool Show(const std::string& text);
  /// Why Show failed; kOk: everything was written.
  const Error& error() const { return error_; }
  /// Waits at most `seconds`, at least 0. For Wake::kKey, `key` is the key.
  Wake Wait(double seconds, char& key);
  /// Restores the terminal; later output stays visible. May be called several times.
  void Leave();

 private:
  /// Switches to the alternate screen and reads keys one by one.
  void Take();
  /// Undoes Take.
  void GiveBack();
  /// Stops the process as Ctrl-Z does.
  void Stop();
  bool Write(const std::string& text);

  bool is_terminal_ = false;
  bool has_keys_ = false;
  /// The terminal's modes before Take; valid if has_keys_.
  termios before_{};
  Error error_;
};

}  // namespace csink::tool
