#pragma once

#include <cstdint>

#include "core/counting/components/ipmi/ipmi_talk.h"
#include "core/counting/components/ipmi/sdr_record.h"

/// File: commands to the BMC that return measured values. All of them send one message and wait for
/// its answer, a second at most, or four if the BMC is busy. Threads: one at a time. Signals: not
/// safe.

namespace csink {

/// Reads the present value of a sensor (Get Sensor Reading, IPMI 2.0 section 35.14), in the unit of
/// IpmiSensor::units. Errors: those of IpmiTalk::Ask; kSystem (ENODATA): the BMC does not scan the
/// sensor now; kCorrupt: the answer is too short.
Result<double> ReadSensor(IpmiTalk& talk, VendorSteps& steps, const IpmiSensor& sensor);

/// Reads the server's power in W by DCMI 1.5, section 6.6.1. Errors: those of IpmiTalk::Ask;
/// kUnsupported: the BMC has no DCMI, or does not measure power; kCorrupt: it reports 0xFFFF.
Result<std::uint64_t> ReadDcmiPower(IpmiTalk& talk, VendorSteps& steps);

/// Whether the BMC is one of Dell's (Get Device ID: manufacturer 674, IPMI 2.0 section 20.1).
/// Dell's own commands are sent to no other BMC, where they may do anything. False also where the
/// BMC does not answer.
bool IsDell(IpmiTalk& talk, VendorSteps& steps);
/// Reads the server's power in W by Dell's own command. Errors: those of IpmiTalk::Ask, kCorrupt
/// (also for 0xFFFF).
Result<std::uint64_t> ReadDellPower(IpmiTalk& talk, VendorSteps& steps);
/// Reads the server's energy in nJ, in steps of 1 Wh, since Dell's counter was last reset. We never
/// reset it.
Result<std::uint64_t> ReadDellEnergy(IpmiTalk& talk, VendorSteps& steps);

}  // namespace csink
