#include "core/counting/components/vendor/mic_card.h"

#include <errno.h>

// File: each group of values is fetched from the card as one object, from which the values are
// taken, and which is freed. Active and idle time come from one object.

namespace csink::mic {

// The first entries are APAPI's events, in its order.
const Metric kMetrics[kMetricCount] = {
    {"POWER_PCIE", "Power from the PCIe slot", "uW", Group::kPower, 0},
    {"POWER_C2X3", "Power from the 6-pin connector", "uW", Group::kPower, 1},
    {"POWER_C2X4", "Power from the 8-pin connector", "uW", Group::kPower, 2},
    {"POWER_VCCP", "Power of the core supply", "uW", Group::kPower, 3},
    {"POWER_VDDG", "Power of the uncore supply", "uW", Group::kPower, 4},
    {"POWER_VDDQ", "Power of the memory supply", "uW", Group::kPower, 5},
    {"POWER_MIC", "Power of the card: slot and both connectors", "uW", Group::kPower, 6},
    {"TEMP_DIE", "Temperature of the die", "degC", Group::kThermal, 0},
    {"TEMP_GDDR", "Temperature of the memory", "degC", Group::kThermal, 1},
    {"TEMP_FANIN", "Temperature of the intake air", "degC", Group::kThermal, 2},
    {"TEMP_FANOUT", "Temperature of the exhaust air", "degC", Group::kThermal, 3},
    {"TEMP_VCCP", "Temperature of the core supply", "degC", Group::kThermal, 4},
    {"TEMP_VDDG", "Temperature of the uncore supply", "degC", Group::kThermal, 5},
    {"TEMP_VDDQ", "Temperature of the memory supply", "degC", Group::kThermal, 6},
    {"FREQ_CORE", "Clock of the cores", "kHz", Group::kCoreClock, 0},
    {"FREQ_MEM", "Clock of the memory", "kHz", Group::kMemoryClock, 0},
    {"TIME_ACTIVE", "Busy time since the last read, average of the processors", "ms", Group::kTime,
     0, Metric::kTime},
    {"TIME_IDLE", "Idle time since the last read, average of the processors", "ms", Group::kTime, 1,
     Metric::kTime},
    {"UTIL", "Share of busy time since the last read", "%", Group::kTime, 0, Metric::kShare},
    {"MEM_TOTAL", "Memory of the card", "kiB", Group::kMemory, 0},
    {"MEM_USED", "Memory in use", "kiB", Group::kMemory, 1},
    {"MEM_FREE", "Free memory", "kiB", Group::kMemory, 2},
    {"ACTIVE_JIFFIES", "Busy jiffies, sum of all processors", "", Group::kTime, 0,
     Metric::kJiffies},
    {"IDLE_JIFFIES", "Idle jiffies, sum of all processors", "", Group::kTime, 1, Metric::kJiffies},
    {"ALL_JIFFIES", "Jiffies, sum of all processors", "", Group::kTime, 2, Metric::kJiffies},
};

namespace {

constexpr double kMsPerJiffy = 10;  // the card's Linux has HZ=100
constexpr unsigned kThreadsPerCore = 4;
constexpr unsigned kUsualCores = 57;  // the smallest card's, where the library cannot count them

// All failures look alike: the library tells no more.
Error Refused() {
  return {Errc::kSystem, EIO,
          "the Xeon Phi does not answer (see micinfo; micctrl -r resets the card)"};
}

// A part of a card's state, which is fetched by the constructor and freed by the destructor.
class Fetched {
 public:
  // One object of the library: a snapshot of the card's state, taken by one request over PCIe.
  Fetched(const Part& part, Handle* device) : part_(part) {
    if (part.get(device, &handle_) != 0) handle_ = nullptr;
  }
  ~Fetched() {
    if (handle_) part_.free(handle_);
  }
  Fetched(const Fetched&) = delete;
  Fetched& operator=(const Fetched&) = delete;

  // Takes one value. Returns false if the part could not be fetched, or the function failed.
  template <class T>
  bool Number(int (*function)(Handle*, T*), std::uint64_t& number) const {
    T value = 0;
    if (!handle_ || function(handle_, &value) != 0) return false;
    number = value;
    return true;
  }

 private:
  const Part& part_;
  Handle* handle_ = nullptr;
};

// Each fetches the values of one group from its object. Return false if one of them is missing.
bool FetchPower(const Library& library, const Fetched& power, std::uint64_t (&numbers)[7]) {
  bool all = true;
  for (unsigned i = 0; i < 6; ++i) all = all && power.Number(library.powers[i], numbers[i]);
  // The card's power is what comes in: slot and connectors.
  numbers[6] = numbers[0] + numbers[1] + numbers[2];
  return all;
}

bool FetchThermal(const Library& library, const Fetched& thermal, std::uint64_t (&numbers)[7]) {
  bool all = thermal.Number(library.die_temperature, numbers[0]);
  for (unsigned i = 0; i < 6; ++i) {
    all = all && thermal.Number(library.temperatures[i], numbers[i + 1]);
  }
  return all;
}

bool FetchMemory(const Library& library, const Fetched& memory, std::uint64_t (&numbers)[7]) {
  const bool all = memory.Number(library.total_memory, numbers[0]) &&
                   memory.Number(library.free_memory, numbers[2]);
  // Used memory is not reported; it is what is not free.
  numbers[1] = numbers[0] > numbers[2] ? numbers[0] - numbers[2] : 0;
  return all;
}

// The growth of a counter; 0 where it went backwards because the card was restarted.
std::uint64_t Grown(std::uint64_t before, std::uint64_t now) {
  return now > before ? now - before : 0;
}

}  // namespace

Result<void> Card::Open(const Library& library) {
  // A handle of the parent's is left to the parent.
  device_ = nullptr;
  if (library.open(&device_, number_) != 0) return Refused();
  std::uint64_t cores = 0;
  // A part that cannot be fetched gives no numbers; Fetched::Number says so.
  const Fetched info(library.cores, device_);
  // An old library cannot tell the number of cores.
  if (!library.core_count || !info.Number(library.core_count, cores) || cores == 0) {
    cores = kUsualCores;
  }
  // Knights Corner runs four threads a core.
  processors_ = static_cast<unsigned>(cores) * kThreadsPerCore;
  Result<Jiffies> jiffies = ReadJiffies(library);
  if (!jiffies) return jiffies.error();
  before_ = *jiffies;
  return {};
}

Result<Card::Jiffies> Card::ReadJiffies(const Library& library) const {
  Handle* util = nullptr;
  if (library.alloc_util(&util) != 0 || !util) return Refused();
  std::uint64_t sums[4] = {};
  bool all = library.update_util(device_, util) == 0;
  for (unsigned i = 0; i < 4; ++i) all = all && library.jiffies[i](util, &sums[i]) == 0;
  library.free_util(util);
  if (!all) return Refused();
  // sys + nice + user, and idle (mic_library.h).
  return Jiffies{sums[1] + sums[2] + sums[3], sums[0]};
}

Result<void> Card::FetchTime(const Library& library, std::uint64_t (&numbers)[7]) {
  const Result<Jiffies> jiffies = ReadJiffies(library);
  if (!jiffies) return jiffies.error();
  // Added up, so that a restart of the card, whose counters begin at 0, does not take anything
  // away.
  grown_.active += Grown(before_.active, jiffies->active);
  grown_.idle += Grown(before_.idle, jiffies->idle);
  before_ = *jiffies;
  numbers[0] = grown_.active;
  numbers[1] = grown_.idle;
  numbers[2] = grown_.active + grown_.idle;
  return {};
}

double Card::ms_per_jiffy() const noexcept { return kMsPerJiffy / processors_; }

Result<void> Card::Fetch(const Library& library, VendorSteps& steps, Group group,
                         std::uint64_t (&numbers)[7]) {
  Result<void> result;
  bool all = true;
  switch (group) {
    case Group::kTime:
      result = FetchTime(library, numbers);
      break;
    case Group::kPower:
      all = FetchPower(library, Fetched(library.power, device_), numbers);
      break;
    case Group::kThermal:
      all = FetchThermal(library, Fetched(library.thermal, device_), numbers);
      break;
    case Group::kMemory:
      all = FetchMemory(library, Fetched(library.memory, device_), numbers);
      break;
    case Group::kCoreClock:
      all = Fetched(library.cores, device_).Number(library.core_frequency, numbers[0]);
      break;
    case Group::kMemoryClock:
      all = Fetched(library.memory_clock, device_).Number(library.memory_frequency, numbers[0]);
      break;
  }
  steps.Step();
  return all ? std::move(result) : Result<void>(Refused());
}

}  // namespace csink::mic
