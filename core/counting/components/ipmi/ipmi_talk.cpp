#include "core/counting/components/ipmi/ipmi_talk.h"

#include <errno.h>
#include <time.h>

// File: one loop for all commands: ask, note the step, translate the completion code, and ask a
// busy BMC again.

namespace csink {
namespace {

// A BMC is a slow microcontroller that answers one request at a time; "node busy" (C0h) is its
// usual answer while it scans its sensors.
constexpr int kTries = 4;
// 20 ms between two tries.
constexpr timespec kPause = {0, 20'000'000};

constexpr std::uint8_t kBusy = 0xC0, kTimeout = 0xC3;

// The error for a completion code other than 0.
Error ErrorOf(std::uint8_t code) noexcept {
  switch (code) {
    case kBusy:
      return {Errc::kSystem, EBUSY, "the BMC is busy"};
    case 0xC1:  // no such command
    case 0xC2:  // not for this LUN
    case 0xD6:  // switched off
      return {Errc::kUnsupported, ENOSYS, "the BMC does not know this command"};
    case kTimeout:
      return {Errc::kSystem, ETIMEDOUT, "the BMC timed out while it processed a command"};
    // The reservation was cancelled.
    // The codes are those of IPMI 2.0, table 5-2.
    case 0xC5:
      return {Errc::kConflict, EAGAIN, "the BMC's sensor records changed while they were read"};
    case 0xC4:  // out of space
    case 0xC7:  // length of the request
    case 0xC8:  // length of a field
    case 0xCA:  // cannot return so many bytes
      return {Errc::kLimit, EMSGSIZE, "the BMC cannot return so many bytes in one answer"};
    case 0xCB:  // no such sensor, data or record
      return {Errc::kNoEvent, ENOENT, "the BMC has no such sensor"};
    case 0xD4:  // privilege
      return {Errc::kPermission, EACCES, "the BMC does not permit this command from its host"};
    default:
      return {Errc::kSystem, EIO, "the BMC rejected a command"};
  }
}

}  // namespace

Result<std::span<const std::uint8_t>> IpmiTalk::Ask(VendorSteps& steps, std::uint8_t netfn,
                                                    std::uint8_t command,
                                                    std::initializer_list<std::uint8_t> data,
                                                    std::uint8_t lun) {
  const IpmiRequest request{netfn, command, std::span(data.begin(), data.size()), lun};
  for (int attempt = 1;; ++attempt) {
    const Result<std::size_t> size = device_.Ask(request, answer_);
    // Also after an error: the kernel's device has answered, so it does not hang.
    steps.Step();
    if (!size) return size.error();
    if (*size == 0 || *size > answer_.size()) {
      return Error{Errc::kCorrupt, EPROTO, "the BMC's answer is empty"};
    }
    // The completion code is the first byte of each answer.
    const std::uint8_t code = answer_[0];
    if (code == 0) return std::span<const std::uint8_t>(answer_.data() + 1, *size - 1);
    // Only these two codes may be another answer later.
    if ((code != kBusy && code != kTimeout) || attempt == kTries) return ErrorOf(code);
    nanosleep(&kPause, nullptr);
  }
}

}  // namespace csink
