#include <algorithm>
#include <cstring>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/layout.h"
#include "symbolizer/report/tables/callers.h"

/// File: writes a CPU profile of gperftools with its symbols; google-pprof reads it without the
/// program. Layout: docs/cpuprofile-fileformat.html of gperftools (binary part), and the output of
/// `google-pprof --raw` (symbols).

namespace csink::report {
namespace {

/// Writes symbols as text, then the binary profile: words of 64 bits, the lowest byte first.
class Gperftools {
 public:
  Gperftools(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        profile_(report.profile),
        sink_(sink),
        inlines_(options.inlines),
        spots_(report) {
    const auto events = ChosenEvents(report, options);
    if (!events.empty()) event_ = events[0];
  }

  void Write() {
    Symbols();
    sink_ << "--- profile\n";
    // Header: 0, number of header words behind, version, period in microseconds, padding.
    constexpr std::uint64_t kWordsBehind = 3;
    constexpr std::uint64_t kVersion = 0;
    for (const std::uint64_t word :
         {std::uint64_t{0}, kWordsBehind, kVersion, PeriodInUs(), std::uint64_t{0}}) {
      Word(word);
    }
    for (std::size_t i = 0; !profile_.events.empty() && i < profile_.places.size(); ++i) Sample(i);
    // The trailer of the format.
    for (const std::uint64_t word : {0, 1, 0}) Word(word);
    // Behind the trailer gperftools writes the mapped objects as text; google-pprof ignores
    // comments there.
    for (const std::string& line : FactLines(report_)) sink_ << "# " << line << '\n';
  }

 private:
  /// An artificial address for a spot. Real ones cannot be used: google-pprof ignores large
  /// addresses, such as those of the kernel.
  static std::uint64_t AddressOf(std::uint32_t spot) { return 0x10000 + std::uint64_t{spot} * 16; }
  /// The spot of unknown callers: one more than the last real one.
  std::uint32_t CutSpot() const { return static_cast<std::uint32_t>(spots_.all().size()); }

  /// The symbols: an address and its names for each spot, and one for unknown callers.
  void Symbols() {
    sink_ << "--- symbol\n";
    const std::uint32_t main = MainModule(profile_);
    if (main != kNoModule) sink_ << "binary=" << CleanName(profile_.modules[main].path) << '\n';
    for (std::uint32_t i = 0; i <= CutSpot(); ++i) {
      sink_ << "0x";
      sink_.Hex(AddressOf(i)) << ' ' << NamesOf(i) << '\n';
    }
    sink_ << "---\n";
  }
  /// The names of the functions at one spot, outermost first.
  std::string NamesOf(std::uint32_t spot) const {
    if (spot == CutSpot()) return kCutName;
    const auto frames = spots_.FramesOf(spot);
    std::string names;
    for (std::size_t i = frames.size(); i-- > 0;) {
      if (frames[i].is_inlined && !inlines_) continue;
      std::string name = CleanName(frames[i].function);
      // "--" separates names, so `operator--` is written `operator- -`.
      for (std::size_t at = 0; (at = name.find("--", at)) != name.npos;) name.insert(++at, 1, ' ');
      names += (names.empty() ? "" : "--") + name;
    }
    return names.empty() ? "[unnamed]" : names;
  }
  /// The mean weight of a sample in microseconds, because the format has one period for all. 0 for
  /// events that are no clock.
  std::uint64_t PeriodInUs() const {
    if (profile_.events.empty()) return 0;
    const EventTotals& event = profile_.events[event_];
    if (event.kind != EventClass::kClock || event.samples == 0) return 0;
    return std::min<std::uint64_t>(event.weight / event.samples / 1000, 0xffffffff);
  }
  /// One record: number of samples, depth, then the addresses from the sample outwards.
  void Sample(std::size_t place_index) {
    const Place& place = profile_.places[place_index];
    const std::uint64_t samples = place.counts[event_].samples;
    // A record with 0 samples would end the profile: the trailer begins so.
    if (samples == 0) return;
    stack_.assign(1, AddressOf(spots_.OfPlace(place_index)));
    for (std::uint32_t c = place.caller; c != 0; c = profile_.callers[c].parent) {
      const Caller& caller = profile_.callers[c];
      if (!caller.IsEmpty()) stack_.push_back(AddressOf(spots_.OfCaller(c)));
      if (caller.IsCut()) stack_.push_back(AddressOf(CutSpot()));
    }
    Word(samples);
    Word(stack_.size());
    for (const std::uint64_t address : stack_) Word(address);
  }
  /// A word of the binary part. The format allows both byte orders; this one does not depend on the
  /// machine.
  void Word(std::uint64_t value) {
    char bytes[sizeof value];
    for (std::size_t i = 0; i < sizeof value; ++i) bytes[i] = static_cast<char>(value >> 8 * i);
    sink_ << std::string_view(bytes, sizeof bytes);
  }

  const Report& report_;
  const Profile& profile_;
  Sink& sink_;
  const bool inlines_;
  const Spots spots_;
  std::size_t event_ = 0;
  std::vector<std::uint64_t> stack_;
};

}  // namespace

/// A CPU profile with symbols; sample counts of one event.
Result<void> WriteGperftools(const Report& report, const FormatOptions& options, Sink& sink) {
  Gperftools(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
