#pragma once

#include <cstddef>
#include <string_view>

#include "core/util/text.h"

/// File: the commands of the control fifo, one a line:
///   pause | resume | snapshot [FILE] | reset | mark TEXT | status | stop

namespace csink::agent {

struct ControlCommand {
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
  std::string_view argument;  ///< Of snapshot and mark; borrowed from the line
  Text<200> complaint;        ///< kBad: what is wrong, printable, on one line
};

/// Takes one line apart; blanks, tabs and a carriage return at its ends do not count. Any bytes are
/// allowed. Signals: safe.
ControlCommand ParseControlCommand(std::string_view line) noexcept;

/// Makes lines of what a fifo gives, whatever it gives and however it is cut.
/// Signals: safe.
class ControlLines {
 public:
  static constexpr std::size_t kMaxLine = 1024;

  /// Calls `line(std::string_view text, bool too_long)` for each line that ends in `bytes`; the
  /// text of one that is too long is empty.
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
  char buffer_[kMaxLine];
  std::size_t used_ = 0;
  bool too_long_ = false;
};

}  // namespace csink::agent
