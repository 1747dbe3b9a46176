/// File: any bytes as a BMC's records, whole and in pieces, and as its answers. What comes out has
/// names and finite values, and listing ends.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/counting/components/ipmi/ipmi_readings.h"
#include "core/counting/components/ipmi/sdr_record.h"
#include "core/counting/components/ipmi/sdr_repository.h"

namespace {

// Answers with the input's bytes, one length and so many bytes after the other; then nothing.
class RandomBmc final : public csink::IpmiDevice {
 public:
  explicit RandomBmc(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  csink::Result<void> Open(std::string&) override { return {}; }
  csink::Result<std::size_t> Ask(const csink::IpmiRequest&,
                                 std::span<std::uint8_t> answer) override {
    if (bytes_.empty()) return csink::Error{csink::Errc::kSystem, 0, "silent"};
    const std::size_t size = std::min<std::size_t>({bytes_[0], bytes_.size() - 1, answer.size()});
    for (std::size_t i = 0; i < size; ++i) answer[i] = bytes_[i + 1];
    if (size > 0 && (answer[0] == 0xC0 || answer[0] == 0xC3)) answer[0] = 0;  // no pauses
    bytes_ = bytes_.subspan(size + 1);
    return size;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

void Check(const csink::IpmiSensor& sensor) {
  if (sensor.name.empty() || sensor.name.find_first_of(" :,\n") != std::string::npos) {
    __builtin_trap();
  }
  for (unsigned raw = 0; raw < 256; ++raw) {
    if (!std::isfinite(sensor.Value(static_cast<std::uint8_t>(raw)))) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  if (const auto sensor = csink::ParseSensor(bytes)) Check(*sensor);
  RandomBmc bmc(bytes);
  csink::IpmiTalk talk(bmc);
  csink::VendorSteps steps;
  if (const auto sensors = csink::ReadSensors(talk, steps)) {
    for (const csink::IpmiSensor& sensor : *sensors) Check(sensor);
  }
  (void)csink::ReadDcmiPower(talk, steps);
  (void)csink::ReadDellEnergy(talk, steps);
  return 0;
}
