#include "compat/atime/energy/energy_meter.h"

#include <papi.h>

#include <cmath>
#include <new>

#include "compat/apapi/interval/energy_counters.h"
#include "compat/apapi_client/sample.h"
#include "compat/atime/energy/numbers.h"

/// File: which events are energies, and what one sample adds to them.

namespace csink::atime {
namespace {

/// The description of an event, which contains the kernel's names of zones and sensors; "" if PAPI
/// does not know the event.
std::string DescriptionOf(const char* event) {
  int code = PAPI_NULL;
  PAPI_event_info_t info = {};
  if (PAPI_event_name_to_code(event, &code) != PAPI_OK ||
      PAPI_get_event_info(code, &info) != PAPI_OK) {
    return {};
  }
  // The name of a zone stands in the short text of some components and in the long one of others.
  return std::string(info.short_descr) + " " + info.long_descr;
}

/// The device's steps; an undocumented quantum is one raw count.
EnergySteps StepsOf(const EnergySource& source, double raw_per_unit) noexcept {
  EnergySteps steps = source.steps;
  const double count = 1 / std::fabs(raw_per_unit);
  // The factor of the event's operations says how many counts are one unit.
  if (!(steps.quantum > 0) && std::isfinite(count)) steps.quantum = count;
  return steps;
}

/// Whether value0 is the growth of an energy counter.
bool IsCounter(const apapi_event_ops& ops) noexcept {
  return ops.max_sample != 0 && IsJoules(ops.value0_unit) && (ops.value0 & APAPI_STAT_ACC) != 0;
}

/// Whether value1 is an energy that is computed from samples of power.
bool IsFromPower(const apapi_event_ops& ops) noexcept {
  const bool multiplies =
      ops.op1 == APAPI_OP1_SAMPLE1_MUL_DIFF_TIME || ops.op1 == APAPI_OP1_AVG_SAMPLE_MUL_DIFF_TIME;
  return multiplies && IsJoules(ops.value1_unit) && (ops.value1 & APAPI_STAT_ACC) != 0;
}

/// The account that fits the event's operations. The weights are w of energy_bounds.h.
std::variant<CounterEnergy, PowerEnergy> AccountOf(const apapi_event_ops& ops,
                                                   const EnergySource& source) {
  const EnergySteps steps = StepsOf(source, ops.value0_prefix);
  if (IsCounter(ops)) return CounterEnergy(steps);
  return PowerEnergy(steps, ops.op1 == APAPI_OP1_AVG_SAMPLE_MUL_DIFF_TIME ? 0.5 : 1);
}

}  // namespace

EnergyMeter::EnergyMeter(const apapi_eventset& set, double shortest_seconds)
    : shortest_seconds_(shortest_seconds) {
  for (int i = 0; i < set.num_events; ++i) {
    const apapi_event_ops& ops = set.event_ops[i];
    // Descriptions are asked for energies only; the start of the program waits for this.
    if (!IsCounter(ops) && !IsFromPower(ops)) continue;
    EnergySource source = SourceOf(set.cmp_name, ops.event_name, DescriptionOf(ops.event_name));
    const auto energy = AccountOf(ops, source);
    accounts_.push_back({i, set.cmp_name, ops.event_name, std::move(source), energy, 0, {}});
  }
}

void EnergyMeter::Take(const apapi_eventset& set) noexcept {
  for (Account& account : accounts_) {
    const csink_apapi_event_times times = TimesOf(set, account.event);
    // Another event of the set was read, but this one failed: it has no new sample.
    if (!times.is_current) continue;
    const double seconds = static_cast<double>(times.interval_ns) / 1e9;
    const apapi_event_ops& ops = set.event_ops[account.event];
    const auto value0 = static_cast<double>(apapi::Sample(set, account.event) / ops.value0_prefix);
    if (auto* power = std::get_if<PowerEnergy>(&account.energy)) {
      // libapapi has multiplied the power by the length of the interval.
      const auto joules = static_cast<double>(set.last_values1[account.event] / ops.value1_prefix);
      // The first sample ends no interval.
      if (times.samples > 1) power->Add(joules, account.watts_before, value0, seconds);
      account.watts_before = value0;
    } else if (times.samples > 1) {
      auto& counter = std::get<CounterEnergy>(account.energy);
      // value0 of a counter is the difference to the sample before, so the first one has none.
      // After a counter began anew the interval is 0, which Add ignores.
      counter.Add(value0, seconds, seconds >= shortest_seconds_);
      counter.set_lacks(LossesOf(set, account.event).lacks / std::fabs(ops.value0_prefix));
    }
    if (keeps_curves_) AddPoint(account, times.last_time);
  }
}

void EnergyMeter::AddPoint(Account& account, long long time_ns) noexcept {
  try {
    std::visit(
        [&](const auto& energy) {
          account.curve.Add(time_ns, energy.Bounds().joules, energy.GrowingError(), energy.lacks());
        },
        account.energy);
  } catch (const std::bad_alloc&) {
    // The next point stands for the time of this one, too.
  }
}

const EnergyCurve* EnergyMeter::CurveOf(int event) noexcept {
  for (Account& account : accounts_) {
    if (account.event != event) continue;
    // The error of a reading is known at the end only: it contains the highest power of the run.
    account.curve.set_reading_error(
        std::visit([](const auto& energy) { return energy.ReadingError(); }, account.energy));
    return &account.curve;
  }
  return nullptr;
}

std::vector<EventEnergy> EnergyMeter::Energies() const {
  std::vector<EventEnergy> energies;
  for (const Account& account : accounts_) {
    std::visit(
        [&](const auto& energy) {
          if (energy.intervals() == 0) return;
          // The bounds are those of the whole time so far; parts of it are in the curve.
          energies.push_back({account.event, account.component, account.name, account.source,
                              std::holds_alternative<CounterEnergy>(account.energy),
                              energy.Bounds(), energy.seconds(), energy.UpdateSeconds()});
        },
        account.energy);
  }
  return energies;
}

}  // namespace csink::atime
