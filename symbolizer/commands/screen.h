#pragma once

#include <termios.h>

#include <string>

#include "core/util/result.h"

namespace csink::tool {

/// What woke Screen::Wait up.
/// kRedraw: the terminal has another size, or is ours again after a stop.
enum class Wake { kTime, kKey, kRedraw, kEnd };

/// The terminal while something is shown again and again: a screen of its own and keys without
/// Enter where stdin and stdout are terminals, else nothing. It is as before when this ends, after
/// Ctrl-C and kill too, and while we are stopped by Ctrl-Z.
/// Owns: the handlers of SIGINT, SIGTERM, SIGHUP, SIGWINCH and, on a terminal, of SIGTSTP
/// (unless it is ignored) and SIGCONT. Threads: the only one; one object.
class Screen {
 public:
  /// `may_take`: false: blocks, though it is a terminal.
  explicit Screen(bool may_take);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool is_terminal() const { return is_terminal_; }
  /// Writes over what is there, at most the screen's rows. False: it cannot be written.
  bool Show(const std::string& text);
  /// Why; kOk: everything was written.
  const Error& error() const { return error_; }
  /// Waits; `key` is the key when it was one.
  Wake Wait(double seconds, char& key);
  /// Gives the terminal back; what is written then stays.
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
