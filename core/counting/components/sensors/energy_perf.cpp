#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <span>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/sensors/energy_way.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"

/// File: energies from perf's power PMU (arch/x86/events/rapl.c in Linux): the events energy-pkg,
/// energy-ram, ... in /sys/bus/event_source/devices/power, opened on the CPUs of its cpumask, one
/// for each package or die. Those of one CPU are a group, which one read(2) returns; the dies of a
/// package are added up. The PMU power_core (Linux 6.15, processors of AMD) has a counter for each
/// core, energy-core, and one CPU of each core in its cpumask; the cores of a package are added up.

namespace csink {
namespace {

constexpr std::string_view kPmu = "/sys/bus/event_source/devices/power";
constexpr std::string_view kCorePmu = "/sys/bus/event_source/devices/power_core";

struct PmuEvent {
  EnergyDomain domain;
  const char* name;
};
// Which of them a processor has is found by their files.
constexpr PmuEvent kEvents[] = {
    {EnergyDomain::kPackage, "energy-pkg"}, {EnergyDomain::kDram, "energy-ram"},
    {EnergyDomain::kPp0, "energy-cores"},   {EnergyDomain::kPp1, "energy-gpu"},
    {EnergyDomain::kPsys, "energy-psys"},
};

// Of kCorePmu.
constexpr PmuEvent kCoreEvents[] = {{EnergyDomain::kPp0, "energy-core"}};

// An event as the kernel describes it.
struct Encoded {
  EnergyDomain domain;
  std::uint64_t config;
  double nj_per_count;
};

/// Reads an event's code ("event=0x02") and scale ("2.3283064365386962890625e-10", in Joules).
bool Encode(const SystemTree& tree, std::string_view pmu, const PmuEvent& event, Encoded& out) {
  const std::string file = std::string(pmu) + "/events/" + event.name;
  const std::string text = tree.Line(file);
  constexpr std::string_view kStart = "event=0x";
  if (!text.starts_with(kStart)) return false;
  const Result<std::uint64_t> config = ParseHex(std::string_view(text).substr(kStart.size()));
  const std::string scale = tree.Line(file + ".scale");
  double joules = 0;
  const auto [end, error] = std::from_chars(scale.data(), scale.data() + scale.size(), joules);
  const bool whole = error == std::errc() && end == scale.data() + scale.size();
  // A count is a fraction of a Joule; another scale is not RAPL's.
  if (!config || !whole || !(joules > 0) || joules > 1) return false;
  out = {event.domain, *config, joules * 1e9};
  return true;
}

class PerfEnergyPart final : public ReadingPart {
 public:
  explicit PerfEnergyPart(Kernel& kernel) : kernel_(kernel) {}
  ~PerfEnergyPart() override {
    for (const Group& group : groups_) {
      // Members first: when a leader closes, the kernel makes each of its members a group of its
      // own.
      for (std::size_t i = group.fds.size(); i-- > 0;) kernel_.Close(group.fds[i]);
    }
  }

  /// Opens the events of one CPU as a group, so that one read returns all counts. Stores the
  /// indices of those that were opened. Returns 0, or the errno of the first that could not be
  /// opened.
  int OpenGroup(std::uint32_t type, unsigned cpu, const std::vector<Encoded>& events,
                std::vector<std::size_t>& opened);
  std::size_t last_group() const noexcept { return groups_.size() - 1; }

  /// One count; a sum has one for each die.
  struct Count {
    std::size_t group;
    std::size_t member;
    double nj_per_count;
    DeviceCounter counter;
  };
  std::vector<std::vector<Count>> sums;

  void BeginRead() noexcept override {
    for (Group& group : groups_) group.read = false;
  }
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override;

 private:
  static constexpr std::size_t kMostMembers = std::size(kEvents);
  static constexpr std::size_t kHead = 3;  ///< Words before the counts: number, enabled, running
  struct Group {
    std::vector<int> fds;
    std::array<std::uint64_t, kHead + kMostMembers> words = {};
    // The words are those of the present read.
    bool read = false;
  };
  Kernel& kernel_;
  std::vector<Group> groups_;
};

int PerfEnergyPart::OpenGroup(std::uint32_t type, unsigned cpu, const std::vector<Encoded>& events,
                              std::vector<std::size_t>& opened) {
  Group group;
  int refusal = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    perf_event_attr attr = {};
    attr.size = sizeof attr;
    attr.type = type;
    attr.config = events[i].config;
    // The times are not used; they are in each answer's head.
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const int leader = group.fds.empty() ? -1 : group.fds.front();
    // Opened on a CPU, for all threads: the PMU has no counts by thread.
    const long fd = kernel_.PerfEventOpen(&attr, -1, static_cast<int>(cpu), leader);
    if (fd < 0) {
      // Events that the kernel refuses are left out; the others still form the group.
      if (refusal == 0) refusal = static_cast<int>(-fd);
      continue;
    }
    group.fds.push_back(static_cast<int>(fd));
    opened.push_back(i);
  }
  groups_.push_back(std::move(group));
  return refusal;
}

Result<std::uint64_t> PerfEnergyPart::Value(std::uint32_t index) noexcept {
  double nj = 0;
  for (Count& count : sums[index]) {
    Group& group = groups_[count.group];
    if (!group.read) {
      const std::size_t bytes = sizeof(std::uint64_t) * (kHead + group.fds.size());
      const long got = kernel_.EventRead(group.fds.front(), group.words.data(), bytes);
      if (got < static_cast<long>(bytes)) {
        return Error{Errc::kSystem, got < 0 ? static_cast<int>(-got) : 0,
                     "an energy counter of perf cannot be read"};
      }
      group.read = true;
    }
    const auto counts =
        Judge(count.counter.Take(group.words[kHead + count.member], MonotonicNs()), kRefused);
    if (!counts) return counts.error();
    nj += static_cast<double>(*counts) * count.nj_per_count;
  }
  return static_cast<std::uint64_t>(std::llround(nj));
}

std::string ObstacleOf(int refusal) {
  if (refusal == EACCES || refusal == EPERM) {
    return "no permission to open perf's power PMU (needs kernel.perf_event_paranoid <= 0 or "
           "CAP_PERFMON)";
  }
  return "perf's power PMU cannot be opened (error " + std::to_string(refusal) + ")";
}

// Adds the opened events of one CPU to the package's readings. Further dies of a package join the
// reading of the first.
void AddSums(PerfEnergyPart& part, const std::vector<Encoded>& events,
             const std::vector<std::size_t>& opened, unsigned package, EnergyWay& way) {
  for (std::size_t member = 0; member < opened.size(); ++member) {
    const Encoded& event = events[opened[member]];
    std::size_t at = 0;
    while (at < way.readings.size() &&
           (way.readings[at].domain != event.domain || way.readings[at].package != package)) {
      ++at;
    }
    if (at == way.readings.size()) {
      // The kernel extends its counters.
      way.readings.push_back({.domain = event.domain, .package = package});
      part.sums.emplace_back();
    }
    // Each die of a sum may use its most.
    way.readings[at].most_per_second += kMostWatts * 1e9;
    part.sums[at].push_back(
        {part.last_group(), member, event.nj_per_count,
         DeviceCounter({.most_per_second = kMostWatts * 1e9 / event.nj_per_count})});
  }
}

// Whether the way has a reading of this domain already.
bool HasDomain(const EnergyWay& way, EnergyDomain domain) {
  return std::any_of(way.readings.begin(), way.readings.end(),
                     [&](const EnergyReading& reading) { return reading.domain == domain; });
}

// Adds what a PMU has and the way lacks. Sets the obstacle if there is one.
void AddPmu(const SystemTree& tree, std::string_view pmu, std::span<const PmuEvent> candidates,
            const ProcessorMap& processors, PerfEnergyPart& part, EnergyWay& way) {
  const auto type = tree.Number(std::string(pmu) + "/type");
  std::vector<Encoded> events;
  for (const PmuEvent& event : candidates) {
    Encoded encoded;
    if (!HasDomain(way, event.domain) && Encode(tree, pmu, event, encoded)) {
      events.push_back(encoded);
    }
  }
  if (!type || *type > UINT32_MAX || events.empty()) return;
  for (const unsigned cpu : tree.CpuList(std::string(pmu) + "/cpumask")) {
    const int package = processors.PackageOfCpu(cpu);
    if (package < 0) continue;
    std::vector<std::size_t> opened;
    const int refusal = part.OpenGroup(static_cast<std::uint32_t>(*type), cpu, events, opened);
    if (refusal != 0) way.obstacle = ObstacleOf(refusal);
    if (!opened.empty()) AddSums(part, events, opened, static_cast<unsigned>(package), way);
  }
  if (way.obstacle.empty() && way.readings.empty()) {
    way.obstacle = "perf's power PMU lists no processor";
  }
}

}  // namespace

EnergyWay OpenPerfEnergy(const SystemTree& tree, Kernel& kernel, const ProcessorMap& processors) {
  EnergyWay way;
  auto part = std::make_unique<PerfEnergyPart>(kernel);
  AddPmu(tree, kPmu, kEvents, processors, *part, way);
  AddPmu(tree, kCorePmu, kCoreEvents, processors, *part, way);
  if (way.readings.empty() && way.obstacle.empty()) way.obstacle = "the kernel has no power PMU";
  if (!way.readings.empty()) way.part = std::move(part);
  return way;
}

}  // namespace csink
