#include "core/counting/components/vendor/mic_reader.h"

#include <errno.h>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/mic_card.h"
#include "core/counting/components/vendor/separate_source.h"

// File: an event's place is card * kMetricCount + metric. Groups are fetched at most once in a Read
// and kept for its length.

namespace csink {
namespace {

// A limit for nonsense from the library.
constexpr int kMaxCards = 64;

class MicReader final : public VendorReader {
 public:
  explicit MicReader(const char* library) : name_(library) {}

  Result<void> Look(std::string& reason) override {
    // Copied: the handle is never closed, so copies may go.
    library_ = mic::Library(name_);
    if (!library_.library) {
      reason =
          "no Xeon Phi software: libmicmgmt.so.0 cannot be opened (it is in the package "
          "mpss-micmgmt of Intel's MPSS)";
      return Error{Errc::kNotFound, ENOENT, "no libmicmgmt.so.0"};
    }
    if (library_.complete) return {};
    reason = "libmicmgmt.so.0 does not have all functions of Intel's MPSS 3 (mic_get_*)";
    return Error{Errc::kUnsupported, 0, "unsuitable libmicmgmt.so.0"};
  }

  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    Result<void> found = FindCards(reason);
    steps.Step();
    if (!found) return found;
    // Opening is the same work at the first time and in a forked child.
    found = Reconnect(steps);
    if (!found) {
      reason =
          "the Xeon Phi cannot be opened: check that mpssd runs, that the card is online (micctrl "
          "-s), and that this user may use /dev/mic/scif";
      return found;
    }
    for (std::size_t card = 0; card < cards_.size(); ++card) AddEvents(card);
    return {};
  }

  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }

  // Each group of a card is fetched once in a read, since a fetch returns all its values.
  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    known_.assign(cards_.size() * mic::kGroups, Known{});
    for (std::size_t i = 0; i < places.size(); ++i) {
      const mic::Metric& metric = mic::kMetrics[places[i] % mic::kMetricCount];
      const std::size_t card = places[i] / mic::kMetricCount;
      Known& known = known_[card * mic::kGroups + static_cast<std::size_t>(metric.group)];
      if (!known.asked) {
        known.asked = true;
        known.error = cards_[card].Fetch(library_, steps, metric.group, known.numbers).error();
      }
      errors[i] = known.error;
      bits[i] = known.numbers[metric.part];
    }
    return {};
  }

  Result<void> Reconnect(VendorSteps& steps) override {
    for (mic::Card& card : cards_) {
      Result<void> opened = card.Open(library_);
      steps.Step();
      if (!opened) return opened;
    }
    return {};
  }

 private:
  // The numbers of one group of one card; asked: they were fetched in this Read.
  struct Known {
    bool asked = false;
    Error error;  // kOk: the numbers are valid
    std::uint64_t numbers[7] = {};
  };

  // The driver's list of cards. Numbers may have gaps; events count the cards without gaps.
  Result<void> FindCards(std::string& reason) {
    mic::Handle* list = nullptr;
    int count = 0;
    if (library_.devices(&list) != 0 || !list) {
      reason =
          "no Xeon Phi: the kernel driver reports no card (check that the module mic is loaded)";
      return Error{Errc::kNoEvent, ENODEV, "no Xeon Phi"};
    }
    if (library_.device_count(list, &count) != 0) count = 0;
    for (int i = 0; i < count && i < kMaxCards; ++i) {
      int number = -1;
      // A card that cannot be named is left out.
      if (library_.device_at(list, i, &number) != 0 || number < 0) continue;
      cards_.emplace_back(static_cast<std::uint32_t>(number));
    }
    // The numbers are copied: the list's memory is the library's.
    library_.free_devices(list);
    if (!cards_.empty()) return {};
    reason = "no Xeon Phi in this machine";
    return Error{Errc::kNoEvent, ENODEV, "no Xeon Phi"};
  }

  void AddEvents(std::size_t card) {
    const auto first = static_cast<std::uint32_t>(card * mic::kMetricCount);
    // TIME_ACTIVE in ms is the growth of the jiffies times this.
    const double ms = cards_[card].ms_per_jiffy();
    for (const mic::Metric& metric : mic::kMetrics) {
      DeviceEvent event;
      event.name = std::string(metric.name) + ":DEVICE" + std::to_string(card);
      event.description = metric.description;
      event.units = metric.units;
      // The jiffies are inputs of the rates.
      event.accumulates = event.hidden = metric.kind == mic::Metric::kJiffies;
      if (metric.kind == mic::Metric::kTime || metric.kind == mic::Metric::kShare) {
        event.value_type = ComponentEvent::Type::kFloating;
        // kActiveJiffies and the one behind it are the busy and the idle jiffies; metric.part is 0
        // or 1.
        event.rate = {ms, {first + mic::kActiveJiffies + metric.part}, {}};
      }
      if (metric.kind == mic::Metric::kShare) {
        // In percent: active by all jiffies.
        event.rate = {100, {first + mic::kActiveJiffies}, {first + mic::kAllJiffies}};
      }
      events_.push_back(std::move(event));
    }
  }

  const char* const name_;
  mic::Library library_;
  std::vector<mic::Card> cards_;
  std::vector<DeviceEvent> events_;
  std::vector<Known> known_;  // within one Read
};

}  // namespace

std::unique_ptr<VendorReader> MakeMicReader(const char* library) {
  return std::make_unique<MicReader>(library);
}

std::unique_ptr<DeviceSource> MakeMicSource() {
  return MakeVendorSource(MakeMicReader("libmicmgmt.so.0"), kMicPatience);
}

}  // namespace csink
