#include "symbolizer/commands/console/unreadable.h"

#include "profil/reading/reader/reader.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/report/wording/numbers.h"

/// File: messages about spools that cannot be read. A folder of a batch job may have thousands, all
/// for one reason; the first few are named and the others counted by reason.

namespace csink::tool {
namespace {

/// Files with a line of their own.
constexpr std::size_t kMostTold = 5;

}  // namespace

void Unreadable::Add(const std::string& path, const Error& error) {
  if (told_ < kMostTold) {
    ++told_;
    return Say(spool::DescribeReadError(path, error));
  }
  // Without a path, the text is only the reason.
  ++more_[spool::DescribeReadError("", error)];
}

void Unreadable::SaySummary() const {
  for (const auto& [reason, files] : more_) {
    Say(report::Count(files, "more file", "more files") + reason);
  }
}

void Unreadable::Say(const std::string& text) const {
  level_ == Level::kError ? Complain(text) : Warn(text);
}

}  // namespace csink::tool
