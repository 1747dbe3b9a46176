#pragma once

#include <cstdint>
#include <span>

#include "core/components/nvml/nvml_library.h"

namespace csink::nvml {

/// What is asked of a card in one call; some questions answer several metrics.
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

struct Numbers {
  std::uint64_t of[3] = {};
};

/// An event of each card: "<card>:<name>".
struct Metric {
  const char* name;
  const char* description;
  const char* units;
  Question question;
  unsigned part;  ///< Of the question's numbers
  bool accumulates = false;
};

/// APAPI's order, then what PAPI 7 and later cards have besides.
std::span<const Metric> Metrics() noexcept;

/// Asks; kFunctionNotFound where the driver's library lacks the function. May block.
/// Units as in Metric; the energy is in nJ.
Answer AskCard(const Library& library, Device card, Question question, Numbers& numbers);

}  // namespace csink::nvml
