#pragma once

#include <memory>

#include "core/components/ipmi/ipmi_device.h"
#include "core/components/vendor/bounded_source.h"

namespace csink {

/// A server's power, energy and temperature and all its linear sensors, by its BMC. SYSTEM_POWER is
/// DCMI's where the BMC has it, else Dell's, else a sensor's. Sensors that do not answer at Open
/// are no events. `device` outlives it, unless it is given away.
std::unique_ptr<VendorReader> MakeIpmiReader(IpmiDevice& device);
std::unique_ptr<VendorReader> MakeIpmiReader(std::unique_ptr<IpmiDevice> device);

/// Longer than the device's own second, so that a silent BMC is an error and not yet lost.
inline constexpr VendorPatience kIpmiPatience{
    5'000'000'000, 3'000'000'000,
    "ipmi: the kernel's IPMI driver does not answer; its events are lost to this process (its log "
    "may say why)"};

}  // namespace csink
