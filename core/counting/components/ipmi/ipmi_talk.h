#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "core/counting/components/ipmi/ipmi_device.h"
#include "core/counting/components/vendor/vendor_reader.h"

/// File: commands and answers, above the messages of IpmiDevice.

namespace csink {

/// Sends commands to the BMC and translates completion codes into errors (IPMI 2.0, table 5-2).
/// Owns: the answer's buffer; `device` must outlive it. Threads: one at a time. Signals: not safe.
class IpmiTalk {
 public:
  /// Sends nothing.
  explicit IpmiTalk(IpmiDevice& device) : device_(device) {}

  /// Sends a command and returns the data of the answer, after its completion code; valid until the
  /// next call. A busy BMC is asked four times at most, 20 ms apart. Each answer is a step. Errors:
  /// kUnsupported (unknown command), kConflict (the reservation was lost), kLimit (too many bytes
  /// at once), kNoEvent (no such sensor or record), kPermission, kCorrupt (an empty answer),
  /// kSystem (errors of the device, and other codes).
  Result<std::span<const std::uint8_t>> Ask(VendorSteps& steps, std::uint8_t netfn,
                                            std::uint8_t command,
                                            std::initializer_list<std::uint8_t> data,
                                            std::uint8_t lun = 0);

  /// For Open and Reconnect of the reader.
  IpmiDevice& device() noexcept { return device_; }

 private:
  IpmiDevice& device_;
  /// The last answer, completion code first.
  std::array<std::uint8_t, IpmiDevice::kMaxAnswer> answer_ = {};
};

/// Little-endian numbers of 16 and 32 bits at offset `at`; the caller checks the length.
constexpr unsigned Word(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return bytes[at] | static_cast<unsigned>(bytes[at + 1]) << 8;
}
constexpr std::uint32_t DoubleWord(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return Word(bytes, at) | static_cast<std::uint32_t>(Word(bytes, at + 2)) << 16;
}

}  // namespace csink
