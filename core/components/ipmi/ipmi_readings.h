#pragma once

#include <cstdint>

#include "core/components/ipmi/ipmi_talk.h"
#include "core/components/ipmi/sdr_record.h"

/// File: the BMC's answers with values in them, each one question.

namespace csink {

/// A sensor's value now (Get Sensor Reading, IPMI 2.0 section 35.14).
/// Errors: those of IpmiTalk::Ask; kSystem with ENODATA: it is not scanned now.
Result<double> ReadSensor(IpmiTalk& talk, VendorSteps& steps, const IpmiSensor& sensor);

/// The server's power in W, by DCMI 1.5, section 6.6.1. kUnsupported: the BMC knows no DCMI, or it
/// does not measure power.
Result<std::uint64_t> ReadDcmiPower(IpmiTalk& talk, VendorSteps& steps);

/// Whether the BMC is one of Dell's (Get Device ID: manufacturer 674). Others may do anything at
/// messages that Dell has given a meaning.
bool IsDell(IpmiTalk& talk, VendorSteps& steps);
/// The server's power in W, by Dell's own message.
Result<std::uint64_t> ReadDellPower(IpmiTalk& talk, VendorSteps& steps);
/// Its energy in nJ since somebody set Dell's counter to zero; in steps of 1 Wh. We never do.
Result<std::uint64_t> ReadDellEnergy(IpmiTalk& talk, VendorSteps& steps);

}  // namespace csink
