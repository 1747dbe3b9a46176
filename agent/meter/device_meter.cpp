#include "agent/meter/device_meter.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/counting/components/registry/component_registry.h"
#include "core/machine/clocks.h"
#include "core/util/copy_text.h"
#include "core/util/fnv1a.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"
#include "profil/format/format.h"

/// File: device counters as csink-meter reads them: names to components and counter sets, then a
/// reading of all sets at each call of Read. The values are written in place, under a sequence
/// counter that is odd meanwhile; the agent copies them and tries again if it saw a change.

namespace csink::agent {
namespace {

// Reports an event that is left out, with control characters replaced.
void Say(std::string_view event, std::string_view why) {
  std::string line = "csink: warn: CSINK_EVENTS: ";
  line.append(event).append(" is left out: ").append(why).append("\n");
  for (char& c : line) {
    if (c != '\n' && (static_cast<unsigned char>(c) < ' ' || c == 0x7f)) c = '?';
  }
  std::fputs(line.c_str(), stderr);
}

// Identifies this boot of this machine: monotonic times of reports can be compared only if it is
// equal.
std::uint64_t MachineHash() {
  const SmallFile<64> file("/proc/sys/kernel/random/boot_id");
  return Fnv1a(file.view());
}

/// The CPU time of all programs, from the first line of /proc/stat (proc(5)): the sum of user,
/// nice, system, irq and softirq (idle and iowait are no CPU time). 0: unknown.
std::uint64_t MachineBusyNs() {
  static const std::uint64_t tick_ns =
      1'000'000'000ull / static_cast<std::uint64_t>(std::max(1l, sysconf(_SC_CLK_TCK)));
  const SmallFile<512> file("/proc/stat");
  std::string_view text = file.view();
  std::string_view line = NextToken(text, '\n');
  unsigned long long v[7] = {};
  const std::string first(line);
  if (std::sscanf(first.c_str(), "cpu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2],
                  &v[3], &v[4], &v[5], &v[6]) != 7) {
    return 0;
  }
  return (v[0] + v[1] + v[2] + v[5] + v[6]) * tick_ns;
}

// A component's value by its type. Doubles are exact up to 2^53.
double AsDouble(ComponentEvent::Type type, long long bits) {
  switch (type) {
    case ComponentEvent::Type::kFloating:
      return std::bit_cast<double>(bits);
    case ComponentEvent::Type::kSigned:
      return static_cast<double>(bits);
    case ComponentEvent::Type::kUnsigned:
    case ComponentEvent::Type::kBits:
      break;
  }
  return static_cast<double>(static_cast<std::uint64_t>(bits));
}

}  // namespace

bool IsOfDevice(const Component& component) noexcept {
  return component.needs_prefix() && !component.is_of_program();
}

std::string DeviceComponents(ComponentRegistry& registry) {
  std::string names;
  for (std::size_t i = 0; i < registry.size(); ++i) {
    if (!IsOfDevice(*registry.at(i))) continue;
    names.append(names.empty() ? "" : ", ").append(registry.at(i)->name());
  }
  return names;
}

struct DeviceMeter::Wanted {
  std::string name;
  int component;
  std::uint32_t number;
  ComponentEvent event;
};

bool DeviceMeter::Open(std::string_view events) {
  ComponentRegistry& registry = ComponentRegistry::Get();
  std::vector<Wanted> wanted;
  while (!events.empty()) {
    const std::string_view name = Trimmed(NextToken(events, ','));
    if (name.empty()) continue;
    const int index = registry.IndexOf(name.substr(0, name.find(":::")));
    if (index < 0 || !IsOfDevice(*registry.at(static_cast<std::size_t>(index)))) {
      Say(name, "there is no device component of this name; the components are " +
                    DeviceComponents(registry));
      continue;
    }
    Component& component = *registry.at(static_cast<std::size_t>(index));
    EventComplaint complaint;
    const Result<std::uint32_t> number = component.Find(name, complaint);
    ComponentEvent event;
    if (!number || !component.Describe(*number, event)) {
      Say(name, complaint.size() != 0 ? complaint.view() : "the component has no such event");
    } else if (wanted.size() == kMostMeters) {
      Say(name, "at most " + std::to_string(kMostMeters) + " device counters can be read");
      // A name that is given twice is read once.
    } else if (std::none_of(wanted.begin(), wanted.end(),
                            [&](const Wanted& other) { return other.name == name; })) {
      wanted.push_back({std::string(name), index, *number, event});
    }
  }
  Place(wanted);
  table_.machine = MachineHash();
  return table_.count != 0;
}

// One counter set for each component, so that a reading asks each device once.
void DeviceMeter::Place(std::vector<Wanted>& wanted) {
  ComponentRegistry& registry = ComponentRegistry::Get();
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wanted& a, const Wanted& b) { return a.component < b.component; });
  for (std::size_t i = 0; i < wanted.size();) {
    std::size_t end = i;
    std::vector<CounterRequest> requests;
    for (; end < wanted.size() && wanted[end].component == wanted[i].component; ++end) {
      requests.push_back({.event = wanted[end].number, .sampling = {}});
    }
    Set set;
    set.counters = registry.at(static_cast<std::size_t>(wanted[i].component))->MakeCounterSet();
    set.first = table_.count;
    Result<void> ready = set.counters->Configure(requests, {});
    if (ready) ready = set.counters->Start();
    for (std::size_t j = i; j < end; ++j) {
      if (!ready) {
        Say(wanted[j].name, ready.error().what);
        continue;
      }
      MeterValue& value = table_.values[table_.count++];
      CopyText(value.name, wanted[j].name);
      CopyText(value.units, wanted[j].event.units);
      value.value_type = static_cast<std::uint32_t>(wanted[j].event.value_type);
      value.flags = wanted[j].event.accumulates ? spool::kCounterAccumulates : 0;
    }
    if (ready) sets_.push_back(std::move(set));
    i = end;
  }
  before_.resize(table_.count);
}

void DeviceMeter::ReadSet(Set& set, bool pause_follows) {
  long long bits[kMostMeters] = {};
  const std::uint64_t begin_ns = MonotonicNs();
  Error errors[kMostMeters];
  const Result<void> read = set.counters->ReadEach(bits, errors);
  // Each set has its own time, the middle of its read: a slow component does not shift the times of
  // those that are read after it.
  const std::uint64_t now_ns = begin_ns + (MonotonicNs() - begin_ns) / 2;
  const bool lower_bound = !read && read.error().code == Errc::kLost;
  for (std::size_t i = 0; i < set.counters->size(); ++i) {
    MeterValue& value = table_.values[set.first + i];
    MeterBefore& before = before_[set.first + i];
    if (lower_bound) value.flags |= spool::kCounterIsLowerBound;
    // A card that fails leaves the readings of the others.
    const bool begins = errors[i].code == Errc::kLost;
    if ((!read && !lower_bound) || (errors[i].code != Errc::kOk && !begins)) {
      AddFailure(value);
      // The begin of the pause is unknown, so counting begins anew after it.
      if (pause_follows) before.ns = 0;
      continue;
    }
    const double now = AsDouble(static_cast<ComponentEvent::Type>(value.value_type), bits[i]);
    if (begins) AddBeginning(value, now_ns);
    const bool possible = begins || AddReading(value, before, now, now_ns);
    // After a step back the counter goes on from there; what it grew by before is not known.
    if (possible || std::isfinite(now)) before = {now, pause_follows ? 0 : now_ns};
  }
}

// Clears all values. A reading made since `now_ns` is the first of the new measurement; a counter
// whose reading failed has none yet.
void DeviceMeter::Forget(std::uint64_t now_ns) {
  for (std::uint32_t i = 0; i < table_.count; ++i) {
    MeterValue& value = table_.values[i];
    const bool was_read = value.readings != 0 && value.last_ns >= now_ns;
    const bool accumulates = (value.flags & spool::kCounterAccumulates) != 0;
    value.value = accumulates || !was_read ? 0 : before_[i].value;
    value.minimum = value.maximum = value.value;
    value.time_sum = 0;
    if (!was_read) value.last_ns = now_ns;
    value.first_ns = value.last_ns;
    value.covered_ns = 0;
    value.readings = was_read ? 1 : 0;
    value.failed = 0;
    if (was_read) value.flags &= ~(spool::kCounterFailed | spool::kCounterIsLowerBound);
    if (!was_read) before_[i].ns = 0;
  }
  table_.machine_busy_ns = 0;
}

void DeviceMeter::Read(bool pause_follows) {
  __atomic_store_n(&table_.sequence, table_.sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  const std::uint64_t now = MonotonicNs();
  for (Set& set : sets_) ReadSet(set, pause_follows);
  const std::uint64_t busy = MachineBusyNs();
  // The machine's CPU time is counted like an accumulating value, so that the report can compare
  // the program's share with the energy of the machine.
  if (!in_pause_ && busy > last_busy_ns_ && last_busy_ns_ != 0) {
    table_.machine_busy_ns += busy - last_busy_ns_;
  }
  last_busy_ns_ = busy;
  const std::uint32_t anew = __atomic_load_n(&table_.anew, __ATOMIC_ACQUIRE);
  if (anew != anew_) Forget(now);
  anew_ = anew;
  in_pause_ = pause_follows;
  __atomic_store_n(&table_.sequence, table_.sequence + 1, __ATOMIC_RELEASE);
}

}  // namespace csink::agent
