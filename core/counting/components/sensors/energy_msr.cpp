#include <algorithm>
#include <cmath>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/sensors/energy_way.h"
#include "core/counting/components/sensors/msr.h"
#include "core/machine/clocks.h"

/// File: energies from the processors' registers: 32-bit counters of 2^-ESU J, with ESU in bits
/// 12:8 of the unit register (Intel SDM volume 3, 15.10.1; AMD PPR family 17h). A counter is read
/// on the first CPU of the package, or of each core for AMD's cores. Each counter is extended by a
/// DeviceCounter: at 1000 W and 2^-16 J a count it wraps after 65 s.

namespace csink {
namespace {

// The upper halves of these registers are reserved.
constexpr std::uint64_t kRange = std::uint64_t{1} << 32;
// They are updated about every millisecond.
constexpr double kUpdateS = 0.1;

// Values 0 to n - 1 are the sums in nJ, n to 2n - 1 the same sums in counts.
class MsrEnergyPart final : public ReadingPart {
 public:
  // One register of one CPU.
  struct Counter {
    unsigned cpu;
    std::uint32_t number;
    double nj_per_count;
    DeviceCounter counter;
    // Both values of a reading are those of one access: a counter begins anew once.
    unsigned round = 0;
    Result<std::uint64_t> counts = Error{};
    bool anew = false;
  };

  explicit MsrEnergyPart(MsrReader& registers) : registers_(registers) {}
  // By reading; a reading may be the sum of several registers (AMD's cores).
  std::vector<std::vector<Counter>> sums;

  void BeginRead() noexcept override { ++round_; }
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    const bool in_counts = index >= sums.size();
    double nj = 0;
    std::uint64_t all_counts = 0;
    for (Counter& counter : sums[in_counts ? index - sums.size() : index]) {
      if (counter.round != round_) Access(counter);
      if (!counter.counts) return counter.counts.error();
      anew_ = anew_ || counter.anew;
      nj += static_cast<double>(*counter.counts) * counter.nj_per_count;
      all_counts += *counter.counts;
    }
    return in_counts ? all_counts : static_cast<std::uint64_t>(std::llround(nj));
  }

 private:
  void Access(Counter& counter) noexcept {
    counter.round = round_;
    counter.counts = registers_.Read(counter.cpu, counter.number);
    if (!counter.counts) return;
    const auto taken = counter.counter.Take(*counter.counts & (kRange - 1), MonotonicNs());
    counter.anew = taken && taken->anew;
    if (taken) {
      counter.counts = taken->total;
    } else {
      counter.counts = Error{Errc::kCorrupt, 0, kRefused};
    }
  }

  MsrReader& registers_;
  unsigned round_ = 0;
};

/// Hygon's processors are of AMD's design.
bool HasAmdRegisters(const CpuIdentity& cpu) noexcept {
  return cpu.vendor == CpuVendor::kAmd || cpu.vendor_name == "HygonGenuine";
}

// The unit of energy is 2^-ESU J.
double NjPerCount(std::uint64_t units) noexcept {
  return std::ldexp(1e9, -static_cast<int>((units >> 8) & 0x1f));
}

/// Whether DRAM energy is counted in units of 2^-16 J whatever the unit register says: servers of
/// the models Haswell, Broadwell, Skylake, Ice Lake, Sapphire and Emerald Rapids, Knights Landing
/// and Mill (the quirks of arch/x86/events/rapl.c in Linux).
bool HasFixedDramUnit(const CpuIdentity& cpu) noexcept {
  constexpr unsigned kModels[] = {63, 79, 86, 85, 106, 108, 143, 207, 87, 133};
  return cpu.family == 6 &&
         std::find(std::begin(kModels), std::end(kModels), cpu.model) != std::end(kModels);
}

struct Register {
  EnergyDomain domain;
  std::uint32_t number;
};
// Which of these a model has is found by reading them.
constexpr Register kIntel[] = {
    {EnergyDomain::kPackage, kMsrPackageEnergy}, {EnergyDomain::kDram, kMsrDramEnergy},
    {EnergyDomain::kPp0, kMsrPp0Energy},         {EnergyDomain::kPp1, kMsrPp1Energy},
    {EnergyDomain::kPsys, kMsrPlatformEnergy},
};

// Collects the readings of all packages.
class Opener {
 public:
  Opener(MsrReader& registers, const CpuIdentity& cpu)
      : registers_(registers), cpu_(cpu), part_(std::make_unique<MsrEnergyPart>(registers)) {}

  // If the unit register of the package cannot be read, nothing is added, and the obstacle says
  // why.
  void AddPackage(unsigned number, const ProcessorMap::Package& package) {
    const bool amd = HasAmdRegisters(cpu_);
    const unsigned first = package.cores.front().cpus.front();
    const Result<std::uint64_t> units =
        registers_.Read(first, amd ? kMsrAmdPowerUnit : kMsrRaplPowerUnit);
    if (!units) {
      way_.obstacle = MsrObstacle(units.error());
      return;
    }
    // Hypervisors return 0 for registers that they do not emulate.
    if (*units == 0) {
      way_.obstacle =
          "the processor's energy registers contain no value (in a virtual machine they are "
          "usually empty)";
      return;
    }
    const double nj = NjPerCount(*units);
    if (amd) return AddAmd(number, package, nj);
    for (const Register& reg : kIntel) {
      // The platform is counted once, on package 0.
      if (reg.domain == EnergyDomain::kPsys && number != 0) continue;
      const bool fixed = reg.domain == EnergyDomain::kDram && HasFixedDramUnit(cpu_);
      Add(reg.domain, number, {first}, reg.number, fixed ? std::ldexp(1e9, -16) : nj);
    }
  }
  EnergyWay Take() {
    if (!way_.readings.empty()) way_.part = std::move(part_);
    return std::move(way_);
  }

 private:
  /// AMD's cores have one counter each; power plane 0 is their sum.
  void AddAmd(unsigned number, const ProcessorMap::Package& package, double nj) {
    Add(EnergyDomain::kPackage, number, {package.cores.front().cpus.front()}, kMsrAmdPackageEnergy,
        nj);
    std::vector<unsigned> cpus;
    for (const ProcessorMap::Core& core : package.cores) cpus.push_back(core.cpus.front());
    Add(EnergyDomain::kPp0, number, cpus, kMsrAmdCoreEnergy, nj);
  }

  // Adds a reading over one register of each of these CPUs, if all of them can be read and one of
  // them counts.
  void Add(EnergyDomain domain, unsigned package, const std::vector<unsigned>& cpus,
           std::uint32_t number, double nj) {
    // kMostWatts in counts a second.
    const DeviceCounter::Limits limits = {
        .range = kRange, .most_per_second = kMostWatts * 1e9 / nj, .update_seconds = kUpdateS};
    std::vector<MsrEnergyPart::Counter> counters;
    bool counts = false;
    for (const unsigned cpu : cpus) {
      const Result<std::uint64_t> now = registers_.Read(cpu, number);
      // A register that the model lacks cannot be read.
      if (!now) return;
      counts = counts || *now != 0;  // a register that stays 0 is not implemented
      counters.push_back({cpu, number, nj, DeviceCounter(limits)});
    }
    if (!counts) return;
    way_.readings.push_back({domain, package, WrapNs(kRange, limits.most_per_second),
                             kMostWatts * 1e9 * static_cast<double>(counters.size()), nj});
    part_->sums.push_back(std::move(counters));
  }

  MsrReader& registers_;
  const CpuIdentity& cpu_;
  std::unique_ptr<MsrEnergyPart> part_;
  EnergyWay way_;
};

}  // namespace

EnergyWay OpenMsrEnergy(MsrReader& registers, const CpuIdentity& cpu,
                        const ProcessorMap& processors) {
  if (cpu.vendor != CpuVendor::kIntel && !HasAmdRegisters(cpu)) {
    EnergyWay none;
    none.obstacle = "only Intel and AMD processors have energy registers";
    return none;
  }
  Opener opener(registers, cpu);
  for (std::size_t p = 0; p < processors.packages.size(); ++p) {
    opener.AddPackage(static_cast<unsigned>(p), processors.packages[p]);
  }
  EnergyWay way = opener.Take();
  way.reports_counts = way.part != nullptr;
  // Readable registers, all of which are 0.
  if (!way.part && way.obstacle.empty()) way.obstacle = MsrObstacle({Errc::kNoEvent, 0, ""});
  return way;
}

}  // namespace csink
