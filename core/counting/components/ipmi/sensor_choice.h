#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/counting/components/ipmi/sdr_record.h"

/// File: which of a server's sensors APAPI's three events stand for. APAPI reads fixed records of
/// one Dell server; here the unit and the entity decide, so that it works on any server. Results
/// are indices into `sensors`; of several sensors that fit equally the first in the repository is
/// taken. Threads: any.

namespace csink {

/// The first sensor in W that belongs to the system board.
std::optional<std::size_t> ChooseBoardPower(std::span<const IpmiSensor> sensors);

/// The sensors whose sum is the server's power: one in W of the chassis, of the power unit or of
/// the board, in this order; otherwise those of the power supplies, if each supply has exactly one.
/// Empty: none.
std::vector<std::size_t> ChooseSystemPower(std::span<const IpmiSensor> sensors);

/// The first temperature of the system board, else of the inlet air, else of the chassis, else any
/// that is not of a processor or a memory module.
std::optional<std::size_t> ChooseSystemTemperature(std::span<const IpmiSensor> sensors);

}  // namespace csink
