#include "symbolizer/report/formats/parts/layout.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/shorten.h"

/// File: gives every spot an address. Spots with the same distance between address and file offset
/// are a segment. The main module and the modules whose own addresses overlap no earlier one keep
/// their addresses; the others are moved behind kFirstLibrary.

namespace csink::report {
namespace {

/// Smallest page of the supported machines. Segments cover whole pages, as mappings do.
constexpr std::uint64_t kPage = 4096;
/// Modules above this address, such as the kernel, keep their addresses, even if they overlap:
/// shifted addresses could exceed 64 bits.
constexpr std::uint64_t kMostShifted = std::uint64_t{1} << 40;
/// Where Linux on x86-64 maps libraries, so that the invented addresses look familiar.
constexpr std::uint64_t kFirstLibrary = 0x7f0000000000;
/// Distance and alignment of moved modules: 2 MiB.
constexpr std::uint64_t kApart = std::uint64_t{1} << 21;

/// The start of the address's page.
std::uint64_t PageOf(std::uint64_t address) { return address & ~(kPage - 1); }
/// The start of the next page; the largest number if there is none.
std::uint64_t PageBehind(std::uint64_t address) {
  const std::uint64_t page = PageOf(address);
  return page + kPage > page ? page + kPage : ~std::uint64_t{0};
}

/// The pages of a module or segment that have samples; high is 0 if there are none.
struct Range {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;  ///< Behind the last page
  void Add(std::uint64_t address) {
    low = std::min(low, PageOf(address));
    high = std::max(high, PageBehind(address));
  }
};

/// The offset that is added to the addresses of each module: 0 if its addresses are free, and
/// always 0 for the main module. `go tool pprof` finds code only if the offset is 0.
/// Position-independent files begin near address 0, so their addresses may overlap.
std::vector<std::uint64_t> BiasOf(const std::vector<Range>& modules, std::uint32_t main) {
  std::vector<std::uint64_t> bias(modules.size());
  std::vector<Range> taken;
  if (main != kNoModule) taken.push_back(modules[main]);
  std::uint64_t next = kFirstLibrary;
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    const Range& range = modules[i];
    if (i == main || range.high == 0) continue;
    const bool is_free = std::none_of(taken.begin(), taken.end(), [&](const Range& other) {
      return range.low < other.high && other.low < range.high;
    });
    if (is_free || range.high > kMostShifted) {
      taken.push_back(range);
      continue;
    }
    bias[i] = next;
    // Behind the module's last page. Moved modules cannot overlap each other.
    next = (next + range.high + kApart) & ~(kApart - 1);
  }
  return bias;
}

}  // namespace

std::uint32_t MainModule(const Profile& profile) {
  // Samples of all events, by module.
  std::vector<std::uint64_t> samples(profile.modules.size());
  for (const Place& place : profile.places) {
    for (const EventCount& count : place.counts) {
      AddTo(samples[place.address.module], count.samples);
    }
  }
  const auto is_program = [&](const Module& module) {
    return std::any_of(
        profile.processes.begin(), profile.processes.end(),
        [&](const ProcessRow& process) { return BaseName(module.path) == process.program; });
  };
  std::uint32_t best = kNoModule;
  bool best_is_program = false;
  for (std::uint32_t i = 0; i < profile.modules.size(); ++i) {
    const Module& module = profile.modules[i];
    // Only files can be given to the programs that read these formats.
    if (module.is_anonymous || module.is_unknown || module.is_vdso) continue;
    const bool program = is_program(module);
    if (best == kNoModule ||
        std::pair(program, samples[i]) > std::pair(best_is_program, samples[best])) {
      best = i;
      best_is_program = program;
    }
  }
  return best;
}

std::vector<SegmentNames> NamesOfSegments(const Spots& spots, const Layout& layout, bool inlines) {
  std::vector<SegmentNames> all(layout.segments().size());
  for (std::uint32_t i = 0; i < spots.all().size(); ++i) {
    const symbolizer::Location& location = *spots.all()[i].location;
    SegmentNames& names = all[layout.SegmentOf(i)];
    if (location.source != symbolizer::NameSource::kNone) names.functions = true;
    if (!location.file.empty()) names.files = true;
    if (location.line != 0) names.lines = true;
    if (inlines && !location.inlined.empty()) names.inlines = true;
  }
  return all;
}

Layout::Layout(const Report& report, const Spots& spots) {
  const std::uint32_t main = MainModule(report.profile);
  std::vector<Range> modules(report.profile.modules.size());
  // Segments of a file differ in the distance between address and file offset. The program's
  // segments come first.
  using Key = std::tuple<bool, std::uint32_t, std::uint64_t>;
  const auto key_of = [&](const Spot& spot) {
    return Key{spot.code.module != main, spot.code.module, spot.address - spot.code.offset};
  };
  std::map<Key, Range> ranges;
  for (const Spot& spot : spots.all()) {
    modules[spot.code.module].Add(spot.address);
    ranges[key_of(spot)].Add(spot.address);
  }
  const std::vector<std::uint64_t> bias = BiasOf(modules, main);
  std::map<Key, std::uint32_t> index;
  for (const auto& [key, range] : ranges) {
    const auto& [is_other, module, distance] = key;
    index[key] = static_cast<std::uint32_t>(segments_.size());
    segments_.push_back(
        {module, range.low + bias[module], range.high + bias[module], range.low - distance});
  }
  for (const Spot& spot : spots.all()) {
    segment_of_.push_back(index[key_of(spot)]);
    const std::uint64_t address = spot.address + bias[spot.code.module];
    // Address 1 is in the same page and belongs to the same segment.
    address_of_.push_back(address == 0 ? 1 : address);
  }
}

}  // namespace csink::report
