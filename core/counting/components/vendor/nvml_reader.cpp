#include "core/counting/components/vendor/nvml_reader.h"

#include <errno.h>

#include <algorithm>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/nvml_library.h"
#include "core/counting/components/vendor/nvml_metrics.h"
#include "core/counting/components/vendor/separate_source.h"

// File: an event is a card and a metric. A Read asks each card each question at most once, however
// many metrics come from the answer.

namespace csink {
namespace {

using nvml::Answer;

// More than any board draws, with its memory and a second processor on it. NVML has reported
// 0xfffffff0 mW for a card whose sensor did not answer.
constexpr double kMostNanojoules = 20'000e9;  // a second
constexpr std::uint64_t kMostMilliwatts = 20'000'000;
constexpr std::uint64_t kMostDegrees = 1'000;

// A GPU that can be used.
struct Card {
  unsigned index;  // the driver's number
  nvml::Device handle;
  std::string name;
  DeviceCounter energy{{.most_per_second = kMostNanojoules}};  // in nJ, as AskCard's answer
  Error silent = {};  // why it is not asked again in this read
};

// Makes a card's name part of an event name, as PAPI and APAPI do: without blanks and separators.
std::string EventPart(const char* text) {
  std::string part = text;
  for (char& c : part) {
    if (c <= ' ' || c == ':' || c == ',' || c == 127) c = '_';
  }
  return part.empty() ? "GPU" : part;
}

// NVML's own text for an error.
std::string TextOf(const nvml::Library& library, Answer answer) {
  const char* const text = library.error_text ? library.error_text(answer) : nullptr;
  return text ? text : "error " + std::to_string(answer);
}

// Why NVML does not start, and what helps, for the user.
std::string WhyNoStart(const nvml::Library& library, Answer answer) {
  switch (answer) {
    case nvml::kDriverNotLoaded:
      return "NVIDIA's kernel driver is not loaded (modprobe nvidia, as root)";
    case nvml::kNoPermission:
      return "no permission for NVIDIA's devices: this user needs read and write access to "
             "/dev/nvidiactl and /dev/nvidia0 (on most systems by the group video)";
    case nvml::kVersionMismatch:
      return "NVIDIA's library and kernel driver have different versions: reboot, or reload the "
             "driver";
    default:
      break;
  }
  return "NVML cannot be initialized: " + TextOf(library, answer);
}

class NvmlReader final : public VendorReader {
 public:
  explicit NvmlReader(std::initializer_list<const char*> names) : names_(names) {}

  Result<void> Look(std::string& reason) override {
    for (const char* name : names_) {
      // The first name that can be loaded is used, complete or not.
      library_ = nvml::Library({name});
      if (library_.library) break;
    }
    if (!library_.library) {
      reason =
          "no NVIDIA driver: libnvidia-ml.so.1 cannot be opened (it is in Debian's package "
          "libnvidia-ml1)";
      return Error{Errc::kNotFound, ENOENT, "no libnvidia-ml.so.1"};
    }
    if (library_.complete()) return {};
    reason =
        "libnvidia-ml.so.1 does not have all functions of NVML version 2 (install a newer driver)";
    return Error{Errc::kUnsupported, 0, "libnvidia-ml.so.1 is too old"};
  }

  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    // May take seconds without persistence mode: the driver wakes up each card.
    if (const Answer answer = library_.init()) {
      reason = WhyNoStart(library_, answer);
      return nvml::ErrorOf(answer);
    }
    steps.Step();
    Answer refused = 0;
    // refused: why the last card that cannot be used was refused.
    FindCards(steps, refused);
    if (cards_.empty()) {
      reason = !refused ? "the NVIDIA driver reports no GPU"
                        : "no GPU is usable: " + (left_out_.empty() ? WhyNoStart(library_, refused)
                                                                    : WhyNoCard(refused));
      return refused ? nvml::ErrorOf(refused) : Error{Errc::kNoEvent, ENODEV, "no NVIDIA GPU"};
    }
    // Not needed for counting, so a failure is no error.
    char version[nvml::kTextBytes] = {};
    if (library_.driver_version && library_.driver_version(version, sizeof version - 1) == 0) {
      version_ = version;
    }
    for (std::size_t i = 0; i < cards_.size(); ++i) AddEvents(steps, i);
    known_.resize(cards_.size() * nvml::kQuestions);
    reason = left_out_;
    if (!events_.empty()) return {};
    if (reason.empty()) reason = "the GPUs provide no readings";
    return Error{Errc::kUnsupported, 0, "the GPUs provide no readings"};
  }

  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }

  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    // A new read: nothing was asked yet.
    std::fill(known_.begin(), known_.end(), Known{});
    for (Card& card : cards_) card.silent = {};
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& place = places_[places[i]];
      Known& known =
          known_[place.card * nvml::kQuestions + static_cast<std::size_t>(place.metric->question)];
      if (!known.asked) {
        known.asked = true;
        known.error = Ask(steps, place, known.numbers).error();
      }
      errors[i] = known.error;
      bits[i] = known.numbers.of[place.metric->part];
    }
    return {};
  }

  // Handles stay valid in a child, but NVML must be initialised there, so that the driver knows the
  // process.
  Result<void> Reconnect(VendorSteps& steps) override {
    if (const Answer answer = library_.init()) return nvml::ErrorOf(answer);
    for (Card& card : cards_) {
      steps.Step();
      if (const Answer answer = library_.handle(card.index, &card.handle)) {
        return nvml::ErrorOf(answer);
      }
    }
    return {};
  }

  std::string version() const override { return version_; }

 private:
  struct Place {
    std::size_t card;
    const nvml::Metric* metric;
  };

  // Asks a card, unless it has not answered in this read: each further question may take as long.
  Result<void> Ask(VendorSteps& steps, const Place& place, nvml::Numbers& numbers) {
    Card& card = cards_[place.card];
    if (card.silent.code != Errc::kOk) return card.silent;
    const Answer answer = AskCard(library_, card.handle, place.metric->question, numbers);
    steps.Step();
    if (answer == 0) return Check(place, numbers, steps.last_ns());
    const Error error = nvml::ErrorOf(answer);
    if (answer == nvml::kGpuIsLost || answer == nvml::kTimeout) card.silent = error;
    return error;
  }

  // Refuses answers that no card can give, so that no mean contains them; extends the energy.
  Result<void> Check(const Place& place, nvml::Numbers& numbers, std::uint64_t now_ns) noexcept {
    switch (place.metric->question) {
      case nvml::Question::kPower:
      case nvml::Question::kInstantPower:
      case nvml::Question::kPowerLimit:
        if (numbers.of[0] <= kMostMilliwatts) return {};
        return Error{Errc::kCorrupt, 0, "a GPU reports a power that no board can draw"};
      case nvml::Question::kTemperature:
        if (numbers.of[0] <= kMostDegrees) return {};
        return Error{Errc::kCorrupt, 0, "a GPU reports an impossible temperature"};
      case nvml::Question::kEnergy: {
        const auto taken = cards_[place.card].energy.Take(numbers.of[0], now_ns);
        if (!taken) {
          return Error{Errc::kCorrupt, 0,
                       "a GPU's energy counter stepped back, or grew by more than a board can use"};
        }
        numbers.of[0] = taken->total;
        if (taken->anew) return kBegunAnew;
        return {};
      }
      default:
        return {};
    }
  }

  struct Known {
    bool asked = false;
    Error error;  // kOk: the numbers are valid
    nvml::Numbers numbers;
  };

  std::string WhyNoCard(Answer answer) const {
    switch (answer) {
      case nvml::kInsufficientPower:
        return "its power cables are not connected";
      case nvml::kGpuIsLost:
      case nvml::kTimeout:
      case nvml::kResetRequired:
        return nvml::ErrorOf(answer).what;
      case nvml::kNoPermission:
      case nvml::kDriverNotLoaded:
        return WhyNoStart(library_, answer);
      default:
        return TextOf(library_, answer);
    }
  }

  void LeaveOut(unsigned index, Answer answer) { AddLeftOut(left_out_, index, WhyNoCard(answer)); }

  // Cards that refuse are left out; the driver's numbers of the others stay.
  void FindCards(VendorSteps& steps, Answer& refused) {
    unsigned count = 0;
    refused = library_.count(&count);
    if (refused) return;
    for (unsigned index = 0; index < count && index < nvml::kMaxDevices; ++index) {
      Card card{index, nullptr, {}};
      char name[nvml::kTextBytes + 1] = {};
      Answer answer = library_.handle(index, &card.handle);
      steps.Step();
      if (!answer) answer = library_.name(card.handle, name, nvml::kTextBytes);
      if (answer) {  // no permission, or off the bus: the other cards are still used
        refused = answer;
        LeaveOut(index, answer);
        continue;
      }
      card.name = EventPart(name);
      // In the order of NVML, which may change from boot to boot (NVML API reference,
      // nvmlDeviceGetHandleByIndex).
      cards_.push_back(std::move(card));
    }
  }

  void AddEvents(VendorSteps& steps, std::size_t at) {
    const Card& card = cards_[at];
    // Cards of one model have one name. The first is called by it alone, the others by name and
    // number.
    const auto same = [&](const Card& other) { return other.name == card.name; };
    const bool first = std::find_if(cards_.begin(), cards_.end(), same) - cards_.begin() ==
                       static_cast<std::ptrdiff_t>(at);
    // The driver's number, not the place in cards_: nvidia-smi shows the same number.
    const std::string numbered = card.name + ":device_" + std::to_string(card.index) + ":";
    Known answers[nvml::kQuestions];
    const std::size_t events_before = events_.size();
    Answer failure = 0;
    for (const nvml::Metric& metric : nvml::Metrics()) {
      Known& known = answers[static_cast<std::size_t>(metric.question)];
      if (!known.asked) {
        known.asked = true;
        // Any refusal: a metric that fails now would make each Read with it fail.
        // Asked once a card at Open: the set of events of a component does not change later.
        const Answer answer = AskCard(library_, card.handle, metric.question, known.numbers);
        steps.Step();
        if (answer) known.numbers = kNone;
        if (answer && answer != nvml::kNotSupported && answer != nvml::kFunctionNotFound) {
          failure = answer;
        }
      }
      // The card does not report it: no event.
      if (known.numbers.of[0] == kNone.of[0]) continue;
      DeviceEvent event;
      event.name = (first ? card.name + ":" : numbered) + metric.name;
      if (first) event.aliases.push_back(numbered + metric.name);
      event.description = metric.description;
      event.units = metric.units;
      // As PAPI shows these values; none of them needs the 64th bit.
      event.value_type = ComponentEvent::Type::kSigned;
      event.accumulates = metric.accumulates;
      if (metric.question == nvml::Question::kEnergy) event.most_per_second = kMostNanojoules;
      events_.push_back(std::move(event));
      places_.push_back({at, &metric});
    }
    if (failure && events_.size() == events_before) LeaveOut(card.index, failure);
  }

  static constexpr nvml::Numbers kNone{{~0ull, 0, 0}};  // the card does not report it

  const std::vector<const char*> names_;
  nvml::Library library_{{}};
  std::string version_;
  std::string left_out_;  // "GPU 1 is left out: ..."
  std::vector<Card> cards_;
  std::vector<DeviceEvent> events_;
  std::vector<Place> places_;  // by event
  std::vector<Known> known_;   // values within one Read
};

}  // namespace

std::unique_ptr<VendorReader> MakeNvmlReader(std::initializer_list<const char*> names) {
  return std::make_unique<NvmlReader>(names);
}

std::unique_ptr<DeviceSource> MakeNvmlSource() {
  return MakeVendorSource(MakeNvmlReader({"libnvidia-ml.so.1", "libnvidia-ml.so"}), kNvmlPatience);
}

}  // namespace csink
