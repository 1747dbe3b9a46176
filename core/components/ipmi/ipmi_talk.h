#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "core/components/ipmi/ipmi_device.h"
#include "core/components/vendor/vendor_reader.h"

namespace csink {

/// Questions to the BMC and what their completion codes mean (IPMI 2.0, table 5-2).
/// Threads: one at a time.
class IpmiTalk {
 public:
  explicit IpmiTalk(IpmiDevice& device) : device_(device) {}

  /// The data of the answer, behind its completion code; until the next question. One that is busy
  /// is asked again. Errors: kUnsupported (no such command), kConflict (a reservation is gone),
  /// kLimit (not so many bytes at once), kNoEvent (no such sensor or record), kPermission, kCorrupt
  /// (an empty answer), kSystem (the device's, or another code).
  Result<std::span<const std::uint8_t>> Ask(VendorSteps& steps, std::uint8_t netfn,
                                            std::uint8_t command,
                                            std::initializer_list<std::uint8_t> data,
                                            std::uint8_t lun = 0);

  IpmiDevice& device() noexcept { return device_; }

 private:
  IpmiDevice& device_;
  std::array<std::uint8_t, IpmiDevice::kMaxAnswer> answer_ = {};
};

/// Little-endian numbers of an answer that is long enough.
constexpr unsigned Word(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return bytes[at] | static_cast<unsigned>(bytes[at + 1]) << 8;
}
constexpr std::uint32_t DoubleWord(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return Word(bytes, at) | static_cast<std::uint32_t>(Word(bytes, at + 2)) << 16;
}

}  // namespace csink
