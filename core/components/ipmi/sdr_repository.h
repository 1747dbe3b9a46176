#pragma once

#include <vector>

#include "core/components/ipmi/ipmi_talk.h"
#include "core/components/ipmi/sdr_record.h"

namespace csink {

/// All sensors with linear analog readings of the BMC's repository (IPMI 2.0, section 33), in its
/// order. Records are fetched whole where the BMC can, else in pieces under a reservation; one that
/// is broken is left out, and a repository that leads in circles ends. Empty where there is none.
/// Errors: kSystem, kConflict (it changes all the time).
Result<std::vector<IpmiSensor>> ReadSensors(IpmiTalk& talk, VendorSteps& steps);

}  // namespace csink
