#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/util/result.h"

/// File: error messages for files that cannot be read. A folder may contain thousands of them.

namespace csink::tool {

/// Prints one line for each of the first files; the others are summed up, one line for each reason.
/// Call SaySummary when all files were tried; nothing is printed by the destructor.
/// Threads: one.
class Unreadable {
 public:
  /// How the lines begin: "error" or "warn".
  enum class Level { kError, kWarning };

  explicit Unreadable(Level level) : level_(level) {}

  /// Adds a file and the reason; prints its line if it is among the first.
  void Add(const std::string& path, const Error& error);
  /// Prints "9,995 more files: not a Countersink spool". Nothing if every file had a line of its
  /// own.
  void SaySummary() const;

 private:
  /// Prints one line at the level.
  void Say(const std::string& text) const;

  Level level_;
  /// Number of files with a line of their own.
  std::size_t told_ = 0;
  /// Number of files without a line of their own, by reason. The reason is the message without the
  /// path.
  std::map<std::string, std::size_t> more_;
};

}  // namespace csink::tool
