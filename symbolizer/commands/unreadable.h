#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/util/result.h"

/// File: complaints of files that cannot be read. A folder may hold thousands of them.

namespace csink::tool {

/// The first files get a line each, the others one line for each reason.
class Unreadable {
 public:
  enum class Level { kError, kWarning };

  explicit Unreadable(Level level) : level_(level) {}

  void Add(const std::string& path, const Error& error);
  /// "9,995 more files: not a Countersink spool". Nothing where each file had its line.
  void SaySummary() const;

 private:
  void Say(const std::string& text) const;

  Level level_;
  std::size_t told_ = 0;
  std::map<std::string, std::size_t> more_;  ///< Files without a line of their own, by reason
};

}  // namespace csink::tool
