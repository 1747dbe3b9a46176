#pragma once

#include <memory>

#include "core/components/ipmi/ipmi_device.h"
#include "core/components/vendor/bounded_source.h"

/// File: the component ipmi.

namespace csink {

/// Reads a server's power, energy and temperature and all its linear sensors from its BMC.
/// SYSTEM_POWER is that of DCMI where the BMC supports it, else that of Dell's own command, else
/// that of a sensor. Sensors that do not answer during Open do not become events. `device` must
/// outlive the reader, unless ownership is passed.
std::unique_ptr<VendorReader> MakeIpmiReader(IpmiDevice& device);
std::unique_ptr<VendorReader> MakeIpmiReader(std::unique_ptr<IpmiDevice> device);

/// The device's own timeout is a second for each answer; these are longer, so that a silent BMC is
/// reported as an error before its thread is given up.
inline constexpr VendorPatience kIpmiPatience{
    5'000'000'000, 3'000'000'000,
    "ipmi: the kernel's IPMI driver does not answer; this process can no longer read its events "
    "(see the kernel's log)"};

}  // namespace csink
