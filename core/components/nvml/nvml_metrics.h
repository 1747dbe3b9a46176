#pragma once

#include <cstdint>
#include <span>

#include "core/components/nvml/nvml_library.h"

namespace csink::nvml {

/// What one call asks of a card; some calls return several metrics.
enum class Question : unsigned char {
  kFanSpeed,
  kMemory,
  kPower,
  kPowerLimit,
  kEnergy,
  kTemperature,
  kGraphicsClock,
  kSmClock,
  kMemoryClock,
  kMaxGraphicsClock,
  kMaxSmClock,
  kMaxMemoryClock,
  kUtilization,
  kProcesses,
  kState,
  kCorrectedErrors,
  kUncorrectedErrors,
};
inline constexpr std::size_t kQuestions = 17;

/// The values that one call returns.
struct Numbers {
  std::uint64_t of[3] = {};
};

/// An event of a card: "<card>:<name>".
struct Metric {
  const char* name;
  const char* description;
  const char* units;
  Question question;
  unsigned part;  ///< Index into the call's numbers
  bool accumulates = false;
};

/// All metrics: APAPI's in its order, then those of PAPI 7 and of later cards.
std::span<const Metric> Metrics() noexcept;

/// Asks a card. Returns NVML's code; kFunctionNotFound where the library lacks the function. The
/// units are those of Metric; energy is in nJ. May block.
Answer AskCard(const Library& library, Device card, Question question, Numbers& numbers);

}  // namespace csink::nvml
