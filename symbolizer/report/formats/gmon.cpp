#include <sys/gmon_out.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/call_graph.h"
#include "symbolizer/report/formats/parts/layout.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes gmon.out for gprof. Layout: sys/gmon_out.h of the C library. gprof's rules:
/// binutils' gprof/hist.c (records of one range are added up; ranges must not overlap; all have the
/// same scale) and gprof/cg_arcs.c.

namespace csink::report {
namespace {

/// gprof's unit of addresses is two bytes; a bin of two bytes of code gives it the finest
/// histogram.
constexpr std::uint64_t kBinBytes = 2;
/// Bins have 16 bits.
constexpr std::uint64_t kMostInBin = 0xffff;
/// Copies of a range, for bins with more than kMostInBin. gprof adds records of one range up. With
/// more copies the unit becomes coarser instead.
constexpr std::uint64_t kMostCopies = 64;
/// Ranges of a histogram. More are made only if the file would exceed kMostSpan.
constexpr std::size_t kMostRanges = 32;
/// Size of all ranges together, in bytes of code, which is the size of a histogram in the file.
constexpr std::uint64_t kMostSpan = std::uint64_t{64} << 20;
/// Smaller gaps without samples are written as zeros.
constexpr std::uint64_t kLeastGap = 4096;

/// Counts by the start address of their bin.
using Bins = std::map<std::uint64_t, std::uint64_t>;

/// What one count represents: `events` events, shown as 1 / `rate` of `dimension`.
struct Unit {
  long double events = 1;
  std::int32_t rate = 1;
  std::string dimension;
};

/// 10^exponent, also below 1.
long double PowerOfTen(int exponent) { return std::pow(10.0L, exponent); }

/// Chooses a unit that is fine enough for one sample and coarse enough for the largest bin. A clock
/// counts a whole part of a second (prof_rate), or if a sample is longer than a second a power of
/// ten of seconds. Other events count a power of ten of themselves, whose name is the dimension.
Unit UnitFor(const EventTotals& event, std::uint64_t largest_bin) {
  const std::uint64_t samples = std::max<std::uint64_t>(1, event.samples);
  const long double mean = std::max(1.0L, static_cast<long double>(event.weight) / samples);
  // The smallest unit in which the largest bin fits into its copies.
  const long double least = static_cast<long double>(largest_bin) / (kMostInBin * kMostCopies);
  const bool is_clock = event.kind == EventClass::kClock;
  Unit unit;
  if (is_clock) {
    constexpr long double kSecond = 1e9L;
    const long double rate = std::floor(std::min(kSecond / mean + 0.5L, kSecond / least));
    unit.dimension = "seconds";
    if (rate >= 1) {
      unit.rate = static_cast<std::int32_t>(std::min(rate, 1e9L));
      unit.events = kSecond / static_cast<long double>(unit.rate);
      return unit;
    }
  }
  const long double wanted = is_clock ? std::max(mean, least) / 1e9L : std::max(mean, least);
  // Rounded down to be fine enough for a sample, or up where the unit must not be finer.
  const int exponent = static_cast<int>(is_clock || least > mean ? std::ceil(std::log10(wanted))
                                                                 : std::floor(std::log10(wanted)));
  unit.events = PowerOfTen(exponent) * (is_clock ? 1e9L : 1);
  const std::string what = is_clock ? "seconds" : event.name.substr(0, event.name.find(':'));
  unit.dimension = exponent == 0 ? what : "1e" + std::to_string(exponent) + " " + what;
  return unit;
}

/// Converts events to counts. The rounding error of a bin is carried to the next one, so that the
/// total is correct to one count. Bins that become 0 are left out.
Bins InUnits(const Bins& weights, const Unit& unit) {
  Bins counts;
  long double rest = 0;
  for (const auto& [address, weight] : weights) {
    const long double exact = static_cast<long double>(weight) / unit.events + rest;
    const long double whole = std::max(0.0L, std::floor(exact + 0.5L));
    rest = exact - whole;
    if (whole > 0) counts[address] = static_cast<std::uint64_t>(whole);
  }
  return counts;
}

/// Divides the bins into ranges [low, high) at the largest gaps. Few ranges, because gprof searches
/// all symbols for each range. A range needs one byte in the file for each byte of code; so more
/// ranges are made if few would exceed kMostSpan.
std::vector<std::pair<std::uint64_t, std::uint64_t>> RangesOf(const Bins& bins) {
  // Size, and the address behind the gap
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
  for (auto it = bins.begin(), next = it; it != bins.end() && ++next != bins.end(); ++it) {
    const std::uint64_t gap = next->first - it->first;
    if (gap >= kLeastGap) gaps.emplace_back(gap, next->first);
  }
  std::sort(gaps.rbegin(), gaps.rend());
  std::uint64_t span = bins.empty() ? 0 : bins.rbegin()->first - bins.begin()->first;
  std::size_t used = 0;
  for (; used < gaps.size() && (used + 1 < kMostRanges || span > kMostSpan); ++used) {
    span -= gaps[used].first;
  }
  gaps.resize(used);
  std::vector<std::uint64_t> begins;
  if (!bins.empty()) begins.push_back(bins.begin()->first);
  for (const auto& [size, begin] : gaps) begins.push_back(begin);
  std::sort(begins.begin(), begins.end());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto end = i + 1 < begins.size() ? bins.lower_bound(begins[i + 1]) : bins.end();
    ranges.emplace_back(begins[i], std::prev(end)->first + kBinBytes);
  }
  return ranges;
}

/// Writes a structure of sys/gmon_out.h as it is in memory.
template <class T>
void Put(Sink& sink, const T& record) {
  sink << std::string_view(reinterpret_cast<const char*>(&record), sizeof record);
}
/// Sets a field of such a structure. Its fields are arrays of char without alignment.
template <class T, std::size_t N>
void Set(char (&field)[N], T value) {
  static_assert(sizeof value == N);
  std::memcpy(field, &value, N);
}

/// Writes one record of the histogram: the part of each bin's count that the copies before it did
/// not have.
void WriteRange(const Bins& bins, std::uint64_t low, std::uint64_t high, std::uint64_t copy,
                const Unit& unit, Sink& sink) {
  gmon_hist_hdr header = {};
  Set(header.low_pc, low);
  Set(header.high_pc, high);
  Set(header.hist_size, static_cast<std::int32_t>((high - low) / kBinBytes));
  Set(header.prof_rate, unit.rate);
  std::memcpy(header.dimen, unit.dimension.data(),
              std::min(unit.dimension.size(), sizeof header.dimen - 1));
  header.dimen_abbrev = unit.dimension[0];
  sink << static_cast<char>(GMON_TAG_TIME_HIST);
  Put(sink, header);
  std::uint64_t at = low;
  // Ranges may be megabytes of zeros, so these are written in pieces.
  const std::string zeros(4096 * kBinBytes, '\0');
  const auto skip_to = [&](std::uint64_t address) {
    while (at < address) {
      const std::uint64_t bytes = std::min<std::uint64_t>(address - at, zeros.size());
      sink << std::string_view(zeros).substr(0, bytes);
      at += bytes;
    }
  };
  for (auto it = bins.lower_bound(low); it != bins.end() && it->first < high; ++it) {
    const std::uint64_t done = copy * kMostInBin;
    if (it->second <= done) continue;
    skip_to(it->first);
    Put(sink, static_cast<std::uint16_t>(std::min(it->second - done, kMostInBin)));
    at += kBinBytes;
  }
  skip_to(high);
}

/// Writes each range as often as its largest bin needs.
void WriteHistogram(const Bins& bins, const Unit& unit, Sink& sink) {
  for (const auto& [low, high] : RangesOf(bins)) {
    std::uint64_t most = 0;
    for (auto it = bins.lower_bound(low); it != bins.end() && it->first < high; ++it) {
      most = std::max(most, it->second);
    }
    for (std::uint64_t copy = 0; copy * kMostInBin < most; ++copy) {
      WriteRange(bins, low, high, copy, unit, sink);
    }
  }
}

/// Writes arcs between functions of the module. gprof knows a function by an address in it, so a
/// callee whose start is not known is named by one of its samples.
void WriteArcs(const Report& report, const Spots& spots, std::uint32_t module, std::size_t event,
               Sink& sink) {
  const CallGraph graph = MakeCallGraph(report, spots);
  for (const CallEdge& edge : graph.edges) {
    const Spot& caller = spots.all()[edge.caller];
    const CallFunction& callee = graph.functions[edge.callee];
    const Spot& inside = spots.all()[callee.spots[0]];
    if (caller.code.module != module || inside.code.module != module) continue;
    const std::uint64_t samples = edge.inclusive[event].samples;
    if (samples == 0) continue;
    gmon_cg_arc_record arc = {};
    Set(arc.from_pc, caller.address);
    Set(arc.self_pc, callee.begin != 0 ? callee.begin : inside.address);
    // The field has 32 bits. The limit keeps it positive if a reader takes it for a signed number.
    Set(arc.count, static_cast<std::uint32_t>(std::min<std::uint64_t>(samples, 0x7fffffff)));
    sink << static_cast<char>(GMON_TAG_CG_ARC);
    Put(sink, arc);
  }
}

/// The index of the module with this name or path; kNoModule: none.
std::uint32_t ModuleNamed(const Report& report, const Spots& spots, const std::string& name) {
  if (name.empty()) return MainModule(report.profile);
  for (std::uint32_t i = 0; i < report.profile.modules.size(); ++i) {
    if (spots.ModuleName(i) == name || report.profile.modules[i].path == name) return i;
  }
  return kNoModule;
}

}  // namespace

/// gmon.out of one module and one event. The verdict is not in it.
Result<void> WriteGmon(const Report& report, const FormatOptions& options, Sink& sink) {
  const Spots spots(report);
  const std::uint32_t module = ModuleNamed(report, spots, options.module);
  if (module == kNoModule) return Error{Errc::kNotFound, 0, "has no samples in such a module"};
  gmon_hdr header = {};
  std::memcpy(header.cookie, GMON_MAGIC, sizeof header.cookie);
  Set(header.version, std::int32_t{GMON_VERSION});
  Put(sink, header);
  // Without events the file has its header alone.
  const auto events = ChosenEvents(report, options);
  if (events.empty()) return {};
  Bins weights;
  std::uint64_t largest = 1;
  for (std::size_t i = 0; i < report.profile.places.size(); ++i) {
    const Place& place = report.profile.places[i];
    if (place.address.module != module) continue;
    // Addresses are rounded down to their bin.
    auto& weight = weights[spots.all()[spots.OfPlace(i)].address & ~(kBinBytes - 1)];
    const std::uint64_t more = place.counts[events[0]].weight;
    // Saturates, as all sums of the profile do.
    weight = weight + more < weight ? ~std::uint64_t{0} : weight + more;
    largest = std::max(largest, weight);
  }
  const Unit unit = UnitFor(report.profile.events[events[0]], largest);
  WriteHistogram(InUnits(weights, unit), unit, sink);
  if (!report.profile.callers.empty()) WriteArcs(report, spots, module, events[0], sink);
  return {};
}

}  // namespace csink::report
