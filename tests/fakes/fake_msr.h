#pragma once

#include <cerrno>
#include <cstdint>
#include <map>
#include <utility>

#include "core/counting/components/sensors/msr.h"

namespace csink::testing {

/// The registers of a machine that a test describes. `Bank` outlives the reader.
struct MsrBank {
  std::map<std::pair<unsigned, std::uint32_t>, std::uint64_t> values;  ///< By CPU and number
  Error refusal;                                                       ///< All reads fail with it
  int reads = 0;
};

class FakeMsrReader final : public MsrReader {
 public:
  explicit FakeMsrReader(MsrBank& bank) : bank_(bank) {}
  Result<std::uint64_t> Read(unsigned cpu, std::uint32_t number) noexcept override {
    ++bank_.reads;
    if (bank_.refusal.code != Errc::kOk) return bank_.refusal;
    const auto found = bank_.values.find({cpu, number});
    if (found == bank_.values.end()) return Error{Errc::kNoEvent, EIO, "no such register"};
    return found->second;
  }

 private:
  MsrBank& bank_;
};

}  // namespace csink::testing
