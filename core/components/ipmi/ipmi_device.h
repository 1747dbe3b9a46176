#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/util/result.h"

namespace csink {

/// A message to the BMC (IPMI 2.0, section 5: network function, command, data).
struct IpmiRequest {
  std::uint8_t netfn = 0;
  std::uint8_t command = 0;
  std::span<const std::uint8_t> data;
  std::uint8_t lun = 0;
};

/// The way to this machine's BMC: the seam between what is said and how it gets there.
/// Owns: its descriptor. Threads: one at a time.
class IpmiDevice {
 public:
  /// The longest answer over a system interface (the kernel's IPMI_MAX_MSG_LENGTH).
  static constexpr std::size_t kMaxAnswer = 272;

  virtual ~IpmiDevice() = default;

  /// On failure `reason` is the sentence for the user. Called again in a forked child.
  virtual Result<void> Open(std::string& reason) = 0;
  /// Sends and waits, a second at most. The answer's completion code and data; how many bytes of
  /// `answer` they take. Errors: kSystem (ETIMEDOUT: the BMC is silent).
  virtual Result<std::size_t> Ask(const IpmiRequest& request, std::span<std::uint8_t> answer) = 0;
};

}  // namespace csink
