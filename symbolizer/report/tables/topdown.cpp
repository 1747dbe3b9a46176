#include "symbolizer/report/tables/topdown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "profil/statistics/statistics.h"
#include "symbolizer/report/verdict/explained.h"

/// File: shares of slots with their intervals. FindPlaces finds the formula's events among the
/// profile's columns by their names ("topdown.zen.slots-x8"). CountsOf scales a row's weights to
/// slots and computes how many Poisson events each count is worth. SampledSharesOf evaluates the
/// formula of core/topdown once with the counts, and twice for each count with the count moved to
/// its bounds. The decisions and the simulated coverage are in docs/design/topdown.md.

namespace csink::report {
namespace {

using Part = TopdownPart;
using Role = TopdownRole;

/// From this share on, slots in no part are noted in the verdict.
constexpr double kToldUnattributed = 0.05;
/// Marks the derived columns that are shares of slots: "topdown_retiring".
constexpr std::string_view kKeyPrefix = "topdown_";

/// A part of the slots that may be a column.
struct PartColumn {
  Part part;
  const char* title;
  Role numerator;  ///< The event that influences the share most
};

/// In the order of the columns.
constexpr PartColumn kColumns[] = {
    {Part::kRetiring, "retire%", Role::kRetired},
    {Part::kBadSpeculation, "badspec%", Role::kIssued},
    {Part::kFrontend, "front%", Role::kFrontend},
    {Part::kBackend, "back%", Role::kBackend},
    {Part::kSmtContention, "smt%", Role::kSmtContention},
    {Part::kUnattributed, "other%", Role::kSlots},
    {Part::kBackendMemory, "memory%", Role::kMemory},
    {Part::kBackendCore, "core%", Role::kBackend},
    {Part::kMispredicts, "mispred%", Role::kMispredicts},
    {Part::kMachineClears, "clears%", Role::kMispredicts},
    {Part::kFrontendLatency, "latency%", Role::kFrontendLatency},
    {Part::kFrontendBandwidth, "bandw%", Role::kFrontendLatency},
    {Part::kHeavyOperations, "heavy%", Role::kHeavy},
    {Part::kLightOperations, "light%", Role::kHeavy},
};

/// The indices of the formula's counts among the profile's events.
struct Places {
  TopdownFormula formula = TopdownFormula::kZen;
  std::array<std::size_t, kTopdownRoles> event;  ///< kNoEvent: not sampled
  std::array<std::uint32_t, kTopdownRoles> factor;
};
constexpr std::size_t kNoEvent = static_cast<std::size_t>(-1);

/// The index of a role in arrays by TopdownRole.
std::size_t IndexOf(Role role) { return static_cast<std::size_t>(role); }

/// The part of the time in which the event should have counted and had a counter.
double RunningShare(const EventTotals& event) {
  if (event.enabled_ns == 0 || event.running_ns >= event.enabled_ns) return 1;
  return static_cast<double>(event.running_ns) / static_cast<double>(event.enabled_ns);
}

/// Whether the event must have occurred: every program retires operations and uses cycles. A count
/// of 0 means that the counter does not work.
bool MustCount(Role role) {
  return role == Role::kSlots || role == Role::kRetired || role == Role::kIssued;
}

/// The events of the analysis among the profile's columns. nullopt if there are none, or if level 1
/// is incomplete.
std::optional<Places> FindPlaces(const Profile& profile) {
  Places places;
  places.event.fill(kNoEvent);
  places.factor.fill(1);
  bool found = false;
  for (std::size_t i = 0; i < profile.events.size(); ++i) {
    TopdownName name;
    if (!ParseTopdownName(profile.events[i].name, name)) continue;
    // In a merged profile of two machines, the first formula is used.
    if (found && name.formula != places.formula) continue;
    found = true;
    places.formula = name.formula;
    // Of two columns with one role (sampled with different modifiers) the first one is used.
    if (places.event[IndexOf(name.role)] != kNoEvent) continue;
    places.event[IndexOf(name.role)] = i;
    places.factor[IndexOf(name.role)] = name.factor;
  }
  if (!found) return std::nullopt;
  // Whether level 1 is complete depends on the formula, so the formula is asked with a count for
  // each event.
  TopdownCounts counts;
  for (std::size_t role = 0; role < kTopdownRoles; ++role) {
    if (places.event[role] != kNoEvent) counts.of[role] = 1;
  }
  if (!HasLevel1(places.formula, counts)) return std::nullopt;
  return places;
}

/// Wilson's score interval of a Poisson count, in the unit of its value: n + z^2/2 -+ z sqrt(n +
/// z^2/4). Its upper bound for no samples is z^2 samples.
Interval BoundsOf(const SampledCount& sampled) {
  constexpr double kSquare = kZ95 * kZ95;
  if (!(sampled.count > 0)) return {0, kSquare * sampled.per_sample};
  const double half = kZ95 * std::sqrt(sampled.count + kSquare / 4);
  const double unit = sampled.value / sampled.count;
  return {(sampled.count + kSquare / 2 - half) * unit, (sampled.count + kSquare / 2 + half) * unit};
}

/// The count of one event in one row. The weight is scaled up to the time in which the event should
/// have counted, so that events with different shares of the counters can be compared. The
/// uncertainty is that of a binomial part of the event's effective samples, and of the time slices
/// that were observed.
SampledCount CountOf(const Report& report, const Cell& cell, std::size_t event, double factor) {
  const EventTotals& totals = report.profile.events[event];
  const double running = RunningShare(totals);
  // Older spools do not contain due_ns.
  const double unit = factor * (Explain(totals) ? ScaleOf(totals) : running > 0 ? 1 / running : 1);
  SampledCount sampled;
  sampled.value = static_cast<double>(cell.weight) * unit;
  if (totals.samples > 0) {
    sampled.per_sample =
        static_cast<double>(totals.weight) / static_cast<double>(totals.samples) * unit;
  }
  const double share = totals.weight > 0 ? cell.share : 0;
  sampled.count = EquivalentCount(share, report.effective_samples[event]);
  if (running < 1) {
    // The code's part of the observed slices. Its part of the event's weight is the best estimate
    // of its part of the time.
    const double slices = static_cast<double>(totals.running_ns) / kSliceNs * share;
    sampled.count = MultiplexedCount(sampled.count, running, slices);
  }
  return sampled;
}

/// The counts of all roles in one row. A role that was not sampled keeps the value -1.
SampledCounts CountsOf(const Report& report, const Places& places, const std::vector<Cell>& cells) {
  SampledCounts counts;
  for (std::size_t role = 0; role < kTopdownRoles; ++role) {
    const std::size_t event = places.event[role];
    if (event == kNoEvent) continue;
    // A count that must be larger than 0 and is 0 is treated as not sampled: shares computed with
    // it would look like a result.
    if (MustCount(static_cast<Role>(role)) && report.profile.events[event].weight == 0) continue;
    counts.of[role] = CountOf(report, cells[event], event, places.factor[role]);
  }
  counts.slots_per_cycle = places.factor[IndexOf(Role::kSlots)];
  return counts;
}

/// The row of all samples: every event's share is 1.
std::vector<Cell> WholeProgram(const Profile& profile) {
  std::vector<Cell> all;
  for (const EventTotals& event : profile.events) {
    Cell cell;
    cell.samples = event.samples;
    cell.weight = event.weight;
    cell.share = event.weight > 0 ? 1 : 0;
    all.push_back(cell);
  }
  return all;
}

/// The part in words, for a note: "bad speculation" of "bad_speculation".
std::string Words(Part part) {
  std::string words(NameOf(part));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

double MultiplexedCount(double count, double running_share, double seen_slices) noexcept {
  if (!(count > 0) || running_share >= 1) return count;
  // There is a sample in it, so at least a part of a slice was observed.
  const double slices = std::max(seen_slices, 1e-3);
  return 1 / (1 / count + (1 - running_share) / slices);
}

std::vector<std::optional<SampledShare>> SampledSharesOf(TopdownFormula formula,
                                                         const SampledCounts& sampled) {
  TopdownCounts counts;
  counts.slots_per_cycle = sampled.slots_per_cycle;
  for (std::size_t i = 0; i < kTopdownRoles; ++i) counts.of[i] = sampled.of[i].value;
  const TopdownShares shares = SharesOf(formula, counts);

  std::array<double, kTopdownParts> down{};  // Sums of squares
  std::array<double, kTopdownParts> up{};
  for (std::size_t i = 0; i < kTopdownRoles; ++i) {
    // Roles that were not sampled (negative) have no bounds, and the formula does without them.
    if (!(sampled.of[i].value >= 0)) continue;
    // The delta method would need no further evaluation, but it gives no interval where a part has
    // no sample (docs/design/topdown.md).
    const Interval bounds = BoundsOf(sampled.of[i]);
    std::array<double, kTopdownParts> lower{};
    std::array<double, kTopdownParts> higher{};
    // A count may move a share in either direction, so both bounds are tried for both directions.
    for (const double moved : {bounds.low, bounds.high}) {
      TopdownCounts others = counts;
      others.of[i] = moved;
      const TopdownShares now = SharesOf(formula, others);
      for (std::size_t p = 0; p < kTopdownParts; ++p) {
        // With this bound the formula may know less, for instance nothing with 0 slots.
        if (!now.known[p]) continue;
        lower[p] = std::max(lower[p], shares.of[p] - now.of[p]);
        higher[p] = std::max(higher[p], now.of[p] - shares.of[p]);
      }
    }
    for (std::size_t p = 0; p < kTopdownParts; ++p) {
      down[p] += lower[p] * lower[p];
      up[p] += higher[p] * higher[p];
    }
  }

  std::vector<std::optional<SampledShare>> answer(kTopdownParts);
  for (std::size_t p = 0; p < kTopdownParts; ++p) {
    if (!shares.known[p]) continue;
    // Unattributed slots may be negative where the parts overlap, which the reader should see.
    const bool cut = static_cast<Part>(p) != Part::kUnattributed;
    const auto within = [cut](double share) { return cut ? std::clamp(share, 0.0, 1.0) : share; };
    answer[p] = SampledShare{
        within(shares.of[p]),
        {within(shares.of[p] - std::sqrt(down[p])), within(shares.of[p] + std::sqrt(up[p]))}};
  }
  return answer;
}

bool IsTopdownPart(const EventTotals& event) {
  TopdownName name;
  return ParseTopdownName(event.name, name) && name.role != Role::kSlots;
}

std::vector<DerivedColumn> TopdownColumns(const Profile& profile) {
  std::vector<DerivedColumn> columns;
  const std::optional<Places> places = FindPlaces(profile);
  if (!places) return columns;
  // Which parts exist depends on the formula and on the sampled events, not on the numbers. So the
  // formula is asked with 1 for each event.
  TopdownCounts counts;
  counts.slots_per_cycle = places->factor[IndexOf(Role::kSlots)];
  for (std::size_t role = 0; role < kTopdownRoles; ++role) {
    if (places->event[role] != kNoEvent) counts.of[role] = 1;
  }
  const TopdownShares known = SharesOf(places->formula, counts);
  const std::size_t slots = places->event[IndexOf(Role::kSlots)];
  for (const PartColumn& column : kColumns) {
    if (!known.Knows(column.part)) continue;
    const std::size_t numerator = places->event[IndexOf(column.numerator)];
    DerivedColumn derived;
    derived.key = std::string(kKeyPrefix) + std::string(NameOf(column.part));
    derived.title = column.title;
    // The numerator is for JSON alone; a part that is a remainder has no event of its own.
    derived.numerator = numerator == kNoEvent ? slots : numerator;
    derived.denominator = slots;
    // One count of the event of the slots stands for so many slots.
    derived.scale = 1.0 / places->factor[IndexOf(Role::kSlots)];
    derived.is_share = true;
    columns.push_back(std::move(derived));
  }
  return columns;
}

std::optional<TopdownPart> PartOf(const DerivedColumn& column) {
  const std::string_view key = column.key;
  if (key.substr(0, kKeyPrefix.size()) != kKeyPrefix) return std::nullopt;
  for (const PartColumn& known : kColumns) {
    if (key.substr(kKeyPrefix.size()) == NameOf(known.part)) return known.part;
  }
  return std::nullopt;
}

bool HasTopdown(const Report& report) {
  return !report.derived.empty() && PartOf(report.derived[0]).has_value();
}

std::vector<std::optional<SampledShare>> TopdownOf(const Report& report,
                                                   const std::vector<Cell>& cells) {
  const std::optional<Places> places = FindPlaces(report.profile);
  if (!places) return {};
  return SampledSharesOf(places->formula, CountsOf(report, *places, cells));
}

void AddTopdownNotes(Report& report) {
  const std::optional<Places> places = FindPlaces(report.profile);
  if (!places) return;
  std::vector<std::string>& notes = report.verdict.notes;
  // An event that never counted makes all shares wrong, so its note replaces the shares.
  for (std::size_t role = 0; role < kTopdownRoles; ++role) {
    const std::size_t event = places->event[role];
    if (event == kNoEvent || !MustCount(static_cast<Role>(role))) continue;
    if (report.profile.events[event].weight != 0) continue;
    notes.push_back("top-down: " + report.profile.events[event].name +
                    " counted nothing: "
                    "there are no shares");
    return;
  }
  const auto shares = TopdownOf(report, WholeProgram(report.profile));
  std::string line = "top-down of the whole program:";
  for (std::size_t p = 0; p < kTopdownLevel1Parts; ++p) {
    if (!shares[p]) continue;
    char text[80];
    std::snprintf(text, sizeof text, "%s %s %.1f%% +-%.1f", p == 0 ? "" : ",",
                  Words(static_cast<Part>(p)).c_str(), 100 * shares[p]->share,
                  100 * shares[p]->interval.HalfWidth());
    line += text;
  }
  if (line.back() != ':') notes.push_back(line);
  const auto& rest = shares[static_cast<std::size_t>(Part::kUnattributed)];
  // Negative as well: then the parts add up to more than all slots.
  if (!rest || std::fabs(rest->share) < kToldUnattributed) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "top-down: the parts add up to %.1f%% of the slots; the rest belongs to no part "
                "(docs/topdown.md)",
                100 * (1 - rest->share));
  notes.push_back(text);
}

}  // namespace csink::report
