#pragma once

#include <cstddef>
#include <string_view>

#include "core/util/text.h"

/// File: the commands of the control fifo, one a line (docs/control.md):
///   pause | resume | snapshot [FILE] | reset | mark TEXT | status | stop

namespace csink::agent {

/// One command, as parsed.
struct ControlCommand {
  /// The command's word; kBad: unknown, or with a wrong argument.
  enum class Kind : unsigned char {
    kNone,  ///< An empty line, or a comment (#)
    kPause,
    kResume,
    kSnapshot,
    kReset,
    kMark,
    kStatus,
    kStop,
    kBad,
  };

  Kind kind = Kind::kNone;
  /// Of snapshot (may be empty) and mark, without blanks at its ends; points into the parsed line
  std::string_view argument;
  Text<200> complaint;  ///< kBad: what is wrong, printable, on one line
};

/// Parses one line without its line end. Blanks, tabs and carriage returns at both ends are
/// ignored. The bytes may have any value; control characters in an argument give kBad. Threads:
/// any. Signals: safe.
ControlCommand ParseControlCommand(std::string_view line) noexcept;

/// Joins the pieces that reads from a fifo return into lines. A piece may end anywhere, and a line
/// may be longer than the buffer: its text is then dropped and the line is reported as too long.
/// Threads: one. Signals: safe.
class ControlLines {
 public:
  /// Bytes of a line without the line end; a longer line is not a command.
  static constexpr std::size_t kMaxLine = 1024;

  /// Calls `line(std::string_view text, bool too_long)` for each line that ends in `bytes`. The
  /// text is valid during the call; it is empty if the line is too long. The rest of `bytes` is
  /// kept for the next call.
  template <class Line>
  void Feed(std::string_view bytes, Line&& line) noexcept {
    for (const char c : bytes) {
      if (c == '\n') {
        line(std::string_view(buffer_, too_long_ ? 0 : used_), too_long_);
        used_ = 0;
        too_long_ = false;
      } else if (used_ == kMaxLine) {
        too_long_ = true;
      } else {
        buffer_[used_++] = c;
      }
    }
  }

 private:
  /// The line that has not ended yet: its first used_ bytes
  char buffer_[kMaxLine];
  std::size_t used_ = 0;
  /// The rest of the line is skipped
  bool too_long_ = false;
};

}  // namespace csink::agent
