#pragma once

#include <vector>

#include "core/counting/components/ipmi/ipmi_talk.h"
#include "core/counting/components/ipmi/sdr_record.h"

/// File: the list of a BMC's sensors.

namespace csink {

/// Reads all sensors with linear analog readings from the BMC's repository (IPMI 2.0, section 33),
/// in its order. Records are read whole where the BMC can return them, otherwise in pieces under a
/// reservation. A malformed record is left out, and a cycle of record ids ends the reading. Empty:
/// there is no repository. Takes one message for each record or piece.
/// Errors: kSystem, kConflict (the repository changes again and again), and others of
/// IpmiTalk::Ask.
Result<std::vector<IpmiSensor>> ReadSensors(IpmiTalk& talk, VendorSteps& steps);

}  // namespace csink
