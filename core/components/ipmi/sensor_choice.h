#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/components/ipmi/sdr_record.h"

/// File: which of a server's sensors APAPI's three events mean. APAPI reads fixed records of one
/// Dell server; here unit and entity decide, on any server. Indices into `sensors`.

namespace csink {

/// The first in W that belongs to the system board.
std::optional<std::size_t> ChooseBoardPower(std::span<const IpmiSensor> sensors);

/// Whose sum is the server's power: one in W of the chassis, of the power unit or of the board, in
/// this order; else those of the power supplies, if each of them has exactly one. Empty: none.
std::vector<std::size_t> ChooseSystemPower(std::span<const IpmiSensor> sensors);

/// The first temperature of the system board; else of the air that comes in; else of the chassis;
/// else any but a processor's or a memory module's.
std::optional<std::size_t> ChooseSystemTemperature(std::span<const IpmiSensor> sensors);

}  // namespace csink
