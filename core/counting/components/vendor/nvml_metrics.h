#pragma once

#include <cstdint>
#include <span>

#include "core/counting/components/vendor/nvml_library.h"

/// File: what NVML is asked, and the events that are made of the answers.

namespace csink::nvml {

/// What one call asks of a card; some calls return several metrics. The clock questions are in
/// NVML's order of clock domains.
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
  kInstantPower,
};
/// The number of questions.
inline constexpr std::size_t kQuestions = 18;

/// The values that one call returns, in the order of NVML's structure; calls with one number use
/// the first element.
struct Numbers {
  std::uint64_t of[3] = {};
};

/// An event of a card: "<card>:<name>". The texts live as long as the process.
struct Metric {
  /// The event's name behind the card's, and a sentence for listings.
  const char* name;
  const char* description;
  /// Of the value that Read returns: "mW", "nJ", "degC"; "": a plain number.
  const char* units;
  Question question;
  /// Index into the call's numbers (Numbers::of).
  unsigned part;
  /// As DeviceEvent::accumulates.
  bool accumulates = false;
};

/// All metrics: APAPI's in its order, then those of PAPI 7 and of later cards. Which of them a card
/// has is found by asking it.
std::span<const Metric> Metrics() noexcept;

/// Asks a card. Returns NVML's code; kFunctionNotFound where the library lacks the function. The
/// units are those of Metric; energy is in nJ, while NVML counts mJ. `numbers` is valid only with
/// 0. May block. Threads: any.
Answer AskCard(const Library& library, Device card, Question question, Numbers& numbers);

}  // namespace csink::nvml
