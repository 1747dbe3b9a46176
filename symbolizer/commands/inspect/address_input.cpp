#include "symbolizer/commands/inspect/address_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/util/parse.h"

namespace csink::tool {
namespace {

/// Capacity of a pipe (pipe(7)).
constexpr std::size_t kReadBytes = 64 << 10;
/// Largest batch: 8 MB of addresses, and their answers.
constexpr std::size_t kMostAddresses = 1 << 20;
/// Far longer than any line with a number. Only the beginning of a wrong line is shown.
constexpr std::size_t kMostLineBytes = 4096;
constexpr std::size_t kShownBytes = 60;
/// A writer that just began is likely to write more. Each batch opens the file again, so that one
/// batch of ten thousand addresses is much cheaper than ten batches of a thousand.
constexpr int kLingerMs = 2;

}  // namespace

bool AddressInput::Next(std::vector<std::uint64_t>& addresses) {
  addresses.clear();
  // Reads again while more input is there, so that a file is one batch and a dialogue is answered
  // line by line.
  while (!has_ended_ && addresses.size() < kMostAddresses && (addresses.empty() || HasMore())) {
    Read(addresses);
  }
  return !addresses.empty();
}

void AddressInput::Read(std::vector<std::uint64_t>& addresses) {
  const std::size_t before = pending_.size();
  pending_.resize(before + kReadBytes);
  const ssize_t got = ::read(fd_, pending_.data() + before, kReadBytes);
  // resize below may change errno.
  const int why = errno;
  pending_.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got > 0) return TakeLines(addresses);
  if (got == 0) {
    has_ended_ = true;
    return TakeLine(pending_, addresses);  // The last line has no newline
  }
  // The descriptor may be non-blocking: another process that shares it may have set O_NONBLOCK.
  if (why == EAGAIN) {
    pollfd wanted{fd_, POLLIN, 0};
    (void)::poll(&wanted, 1, -1);
  } else if (why != EINTR) {
    Refuse(std::string("addresses cannot be read from standard input (") + std::strerror(why) +
           ")");
  }
}

void AddressInput::TakeLines(std::vector<std::uint64_t>& addresses) {
  std::size_t start = 0;
  while (!has_ended_) {
    const std::size_t end = pending_.find('\n', start);
    if (end == std::string::npos) break;
    TakeLine(std::string_view(pending_).substr(start, end - start), addresses);
    start = end + 1;
  }
  pending_.erase(0, start);
  // Input without newlines must not grow in memory without end.
  if (!has_ended_ && pending_.size() > kMostLineBytes) RefuseLine(pending_);
}

void AddressInput::TakeLine(std::string_view line, std::vector<std::uint64_t>& addresses) {
  line = Trimmed(line);
  if (line.empty()) return;
  std::string_view digits = line;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  const auto address = ParseHex(digits);
  if (address) return addresses.push_back(*address);
  RefuseLine(line);
}

void AddressInput::RefuseLine(std::string_view line) {
  std::string shown(line.substr(0, kShownBytes));
  if (shown.size() < line.size()) shown += "...";
  Refuse("is not an address: " + shown + " (expected hexadecimal numbers, one per line)");
}

bool AddressInput::HasMore() const {
  pollfd wanted{fd_, POLLIN, 0};
  // An error counts as input: read(2) reports it.
  return ::poll(&wanted, 1, kLingerMs) != 0;
}

void AddressInput::Refuse(std::string problem) {
  has_ended_ = true;
  problem_ = std::move(problem);
}

}  // namespace csink::tool
