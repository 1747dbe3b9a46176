#include "core/counting/components/vendor/nvml_metrics.h"

#include "core/counting/components/vendor/nvml_library.h"

// File: the table of events, and one call of NVML for each question. Each call returns up to three
// numbers; a metric is one of them.

namespace csink::nvml {
namespace {

// The events of a card are numbered in this order.
constexpr Metric kMetrics[] = {
    {"fan_speed", "Speed of the fan in percent of the maximum", "%", Question::kFanSpeed, 0},
    {"total_memory", "Memory of the card", "B", Question::kMemory, 0},
    {"allocated_memory", "Memory in use, including the driver's part", "B", Question::kMemory, 2},
    {"unallocated_memory", "Free memory", "B", Question::kMemory, 1},
    {"power", "Power of the whole board", "mW", Question::kPower, 0},
    {"temperature", "Temperature of the GPU", "degC", Question::kTemperature, 0},
    {"graphics_clock", "Clock of the graphics domain", "MHz", Question::kGraphicsClock, 0},
    {"sm_clock", "Clock of the multiprocessors", "MHz", Question::kSmClock, 0},
    {"memory_clock", "Clock of the memory", "MHz", Question::kMemoryClock, 0},
    {"gpu_utilization",
     "Share of the driver's last sampling period in which a kernel ran on the GPU", "%",
     Question::kUtilization, 0},
    {"memory_utilization",
     "Share of the driver's last sampling period in which memory was read or written", "%",
     Question::kUtilization, 1},
    {"processes", "Number of processes that compute on the GPU", "", Question::kProcesses, 0},
    {"graphics_max_clock", "Highest clock of the graphics domain", "MHz",
     Question::kMaxGraphicsClock, 0},
    {"sm_max_clock", "Highest clock of the multiprocessors", "MHz", Question::kMaxSmClock, 0},
    {"memory_max_clock", "Highest clock of the memory", "MHz", Question::kMaxMemoryClock, 0},
    {"pstate", "Performance state, 0 the fastest, 15 the slowest", "", Question::kState, 0},
    {"total_ecc_errors", "Corrected memory errors in the lifetime of the card", "",
     Question::kCorrectedErrors, 0},
    {"total_double_ecc_errors", "Uncorrected memory errors in the lifetime of the card", "",
     Question::kUncorrectedErrors, 0},
    {"power_management_limit", "Power limit of the board, set by the driver", "mW",
     Question::kPowerLimit, 0},
    {"energy", "Energy of the whole board, by the card's own counter", "nJ", Question::kEnergy, 0,
     true},
    {"power_instant", "Power of the whole board at this moment; power is a mean since Ampere", "mW",
     Question::kInstantPower, 0},
};

constexpr std::uint64_t kNanoPerMilli = 1'000'000;

// Reads one number of type T by one of the library's functions.
template <class T, class F, class... Which>
Answer One(F function, Device card, Numbers& numbers, Which... which) {
  T value = 0;
  if (!function) return kFunctionNotFound;
  const Answer answer = function(card, which..., &value);
  numbers.of[0] = static_cast<std::uint64_t>(value);
  return answer;
}

Answer AskMemory(const Library& library, Device card, Numbers& numbers) {
  if (!library.memory) return kFunctionNotFound;
  Memory memory;
  // By version 1 of the structure, whose "used" includes what the driver reserves; the description
  // says so.
  const Answer answer = library.memory(card, &memory);
  numbers = {{memory.total, memory.free, memory.used}};
  return answer;
}

Answer AskUtilization(const Library& library, Device card, Numbers& numbers) {
  if (!library.utilization) return kFunctionNotFound;
  Utilization rates;
  // NVML's sampling period is between 1/6 s and 1 s, depending on the card (NVML API reference,
  // nvmlUtilization_t). A read more often than that returns the same numbers.
  const Answer answer = library.utilization(card, &rates);
  numbers = {{rates.gpu, rates.memory, 0}};
  return answer;
}

// With a length of 0 NVML returns the number of entries and kInsufficientSize, unless there are
// none.
Answer AskProcesses(const Library& library, Device card, Numbers& numbers) {
  if (!library.processes) return kFunctionNotFound;
  unsigned count = 0;
  const Answer answer = library.processes(card, &count, nullptr);
  numbers.of[0] = count;
  return answer == kInsufficientSize ? 0 : answer;  // the list has no room, but is not needed
}

Answer AskInstantPower(const Library& library, Device card, Numbers& numbers) {
  if (!library.fields) return kFunctionNotFound;
  FieldValue value;
  value.field = kFieldPowerInstant;
  // The call succeeds also where the card has no such field.
  if (const Answer answer = library.fields(card, 1, &value)) return answer;
  if (value.answer) return value.answer;
  if (value.type < 1 || value.type > 3) return kNotSupported;
  numbers.of[0] = value.type == 1 ? value.number32 : value.number64;
  return 0;
}

Answer AskEnergy(const Library& library, Device card, Numbers& numbers) {
  const Answer answer = One<unsigned long long>(library.energy, card, numbers);
  // In nJ, as the energies of rapl.
  numbers.of[0] *= kNanoPerMilli;
  return answer;
}

}  // namespace

std::span<const Metric> Metrics() noexcept { return kMetrics; }

Answer AskCard(const Library& library, Device card, Question question, Numbers& numbers) {
  switch (question) {
    case Question::kFanSpeed:
      return One<unsigned>(library.fan_speed, card, numbers);
    case Question::kMemory:
      return AskMemory(library, card, numbers);
    case Question::kPower:
      return One<unsigned>(library.power, card, numbers);
    case Question::kPowerLimit:
      return One<unsigned>(library.power_limit, card, numbers);
    case Question::kEnergy:
      return AskEnergy(library, card, numbers);
    case Question::kTemperature:
      // 0 is NVML_TEMPERATURE_GPU, the only sensor that NVML defines.
      return One<unsigned>(library.temperature, card, numbers, 0);
    // NVML numbers the clock domains 0 graphics, 1 SM, 2 memory, in the order of the questions.
    case Question::kGraphicsClock:
    case Question::kSmClock:
    case Question::kMemoryClock:
      return One<unsigned>(library.clock, card, numbers,
                           static_cast<int>(question) - static_cast<int>(Question::kGraphicsClock));
    case Question::kMaxGraphicsClock:
    case Question::kMaxSmClock:
    case Question::kMaxMemoryClock:
      return One<unsigned>(
          library.max_clock, card, numbers,
          static_cast<int>(question) - static_cast<int>(Question::kMaxGraphicsClock));
    case Question::kUtilization:
      return AskUtilization(library, card, numbers);
    case Question::kProcesses:
      return AskProcesses(library, card, numbers);
    case Question::kState:
      return One<int>(library.state, card, numbers);
    case Question::kCorrectedErrors:
      // 1 is NVML_AGGREGATE_ECC, in the card's life; the counts since the driver's start go back
      // when the driver is loaded again.
      return One<unsigned long long>(library.ecc, card, numbers, 0, 1);
    case Question::kUncorrectedErrors:
      return One<unsigned long long>(library.ecc, card, numbers, 1, 1);
    case Question::kInstantPower:
      return AskInstantPower(library, card, numbers);
  }
  return kFunctionNotFound;
}

}  // namespace csink::nvml
