#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/util/result.h"

/// File: the connection to a BMC (baseboard management controller), below all commands.

namespace csink {

/// A message to the BMC (IPMI 2.0, section 5). `data` must live until Ask returns.
struct IpmiRequest {
  /// The group of commands, 0 to 63, even for requests.
  std::uint8_t netfn = 0;
  std::uint8_t command = 0;
  std::span<const std::uint8_t> data;
  /// The logical unit that is asked: 0 to 3.
  std::uint8_t lun = 0;
};

/// The connection to this machine's BMC, as an interface that tests replace. Made without opening
/// anything.
/// Owns: its descriptor. Threads: one at a time. Signals: not safe.
class IpmiDevice {
 public:
  /// The longest answer over a system interface, in bytes (the kernel's IPMI_MAX_MSG_LENGTH).
  static constexpr std::size_t kMaxAnswer = 272;

  virtual ~IpmiDevice() = default;

  /// Opens the connection, again in a forked child. On failure `reason` is a sentence for the user:
  /// what is missing, and what would provide it.
  virtual Result<void> Open(std::string& reason) = 0;
  /// Sends a request and waits for the answer, at most a second. Stores the completion code and the
  /// data in `answer`, cut to its size, and returns their size in bytes. Requires Open. Errors:
  /// kSystem (ETIMEDOUT: no answer), or those of the kernel's device. A completion code that is not
  /// 0 is no error here (IpmiTalk).
  virtual Result<std::size_t> Ask(const IpmiRequest& request, std::span<std::uint8_t> answer) = 0;
};

}  // namespace csink
