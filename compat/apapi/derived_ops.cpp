#include "compat/apapi/derived_ops.h"

#include <csink_papi.h>

#include <limits>

/// File: operations from what a component says of its event: the unit, and whether the value grows.
/// With them an event of a device is shown without a line in the file of operations.

namespace csink::apapi {

namespace {

/// How a unit is shown.
struct Unit {
  std::string_view raw;  ///< The component's
  const char* type;
  const char* shown;
  double divisor;  ///< Raw values in one shown unit
};

/// Energies and powers without prefixes, so that the results of all components are comparable. The
/// names of types and units are those of the default file.
constexpr Unit kUnits[] = {
    {"nJ", "energy", "Ws", 1e9},
    {"uJ", "energy", "Ws", 1e6},
    {"mJ", "energy", "Ws", 1e3},
    {"J", "energy", "Ws", 1},
    {"kJ", "energy", "Ws", 1e-3},
    {"nW", "power", "W", 1e9},
    {"uW", "power", "W", 1e6},
    {"mW", "power", "W", 1e3},
    {"W", "power", "W", 1},
    {"kW", "power", "W", 1e-3},
    {"mV", "voltage", "V", 1e3},
    {"V", "voltage", "V", 1},
    {"mA", "current", "A", 1e3},
    {"A", "current", "A", 1},
    {"degC", "temperature", "°C", 1},
    {"°C", "temperature", "°C", 1},
    {"mdegC", "temperature", "°C", 1e3},
    {"Hz", "frequency", "Hz", 1},
    {"kHz", "frequency", "KHz", 1},
    {"MHz", "frequency", "MHz", 1},
    {"ns", "time", "s", 1e9},
    {"us", "time", "s", 1e6},
    {"ms", "time", "s", 1e3},
    {"s", "time", "s", 1},
    {"%", "utilization", "%", 1},
    {"B", "memory", "B", 1},
    {"KiB", "memory", "kiB", 1},
    {"rpm", "speed", "rpm", 1},
};
/// A unit that is not in the table, and a plain number.
constexpr Unit kPlain = {"", "count", "#", 1};

/// The row of a unit, or kPlain.
const Unit& UnitOf(std::string_view units) noexcept {
  for (const Unit& unit : kUnits) {
    if (unit.raw == units) return unit;
  }
  return kPlain;
}

// APAPI's structure has char*, although nothing is written through it.
char* Text(const char* text) noexcept { return const_cast<char*>(text); }

// A sum of momentary values has no meaning.
constexpr auto kMinMaxMean =
    static_cast<APAPI_stats>(APAPI_STAT_MIN | APAPI_STAT_MAX | APAPI_STAT_AVG);
constexpr double kNsPerSecond = 1e9;

// A rate is per ns: growth / ns / prefix is growth in the shown unit per second.
void AddRate(apapi_event_ops& ops, const Unit& unit) noexcept {
  const std::string_view type = unit.type;
  ops.op1 = APAPI_OP1_DIV_DIFF_TIME;
  ops.value0 = APAPI_STAT_ACC;
  ops.value1 = kMinMaxMean;
  ops.max_sample = std::numeric_limits<long long>::max();  // components extend their counters
  ops.value1_type = Text(type == "energy" ? "power" : type == "time" ? "utilization" : "rate");
  ops.value1_unit = Text(type == "energy" ? "W" : type == "time" ? "s/s" : "1/s");
  ops.value1_prefix = unit.divisor / kNsPerSecond;
}

}  // namespace

apapi_event_ops DeriveOps(const EventFacts& facts) noexcept {
  const Unit& unit = UnitOf(facts.units);
  apapi_event_ops ops = {.event_name = nullptr,
                         .op1 = APAPI_OP1_NOP,
                         .value0 = kMinMaxMean,
                         .value1 = APAPI_STAT_NO,
                         .max_sample = 0,
                         .value0_type = Text(unit.type),
                         .value0_unit = Text(unit.shown),
                         .value0_prefix = unit.divisor,
                         .value1_type = Text("-"),
                         .value1_unit = Text("-"),
                         .value1_prefix = 1,
                         .data_type = PAPI_DATATYPE_INT64};
  // Powers of these components are settings of the hardware. An energy computed from a limit was
  // not used by anything.
  const bool are_limits = facts.component == "rapl" || facts.component == "powercap";
  if (facts.accumulates) {
    AddRate(ops, unit);
  } else if (unit.type == std::string_view("power") && !are_limits) {
    ops.op1 = APAPI_OP1_SAMPLE1_MUL_DIFF_TIME;
    ops.value1 = APAPI_STAT_ACC;
    ops.value1_type = Text("energy");
    ops.value1_unit = Text("Ws");
    // The operation multiplies by ns.
    ops.value1_prefix = unit.divisor * kNsPerSecond;
  }
  return ops;
}

std::optional<EventFacts> FactsOf(int code, std::string_view component, std::string_view units) {
  // Its events are in the files as a whole, and any of them can be counted in many ways.
  if (component.starts_with("perf")) return std::nullopt;
  int accumulates = 0;
  const int known = csink_papi_event_accumulates(code, &accumulates);
  if (known == PAPI_OK) return EventFacts{component, units, accumulates != 0};
  // Another library: without a unit, nothing is known of the event.
  if (known != PAPI_EINVAL || units.empty()) return std::nullopt;
  // Of the known units only energies grow.
  return EventFacts{component, units, units.ends_with('J')};
}

}  // namespace csink::apapi
