#include "core/counting/components/vendor/maxeler_reader.h"

#include <errno.h>
#include <string.h>

#include <cmath>
#include <cstdlib>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/maxeler_reply.h"
#include "core/counting/components/vendor/separate_source.h"
#include "core/counting/components/vendor/vendor_library.h"

// File: an event's place is card * number of metrics + metric. Values that one request returns are
// kept for the length of one Read. The daemon's replies are parsed in maxeler_reply.cpp.

namespace csink {
namespace {

// Functions of MaxelerOS's header maxdsd.h. They return 0 for success; the caller frees replies
// (free(3)).
struct Maxeleros {
  int (*connect)(const char*) = nullptr;
  int (*device_count)(int) = nullptr;
  int (*exchange)(int, char**, const char*) = nullptr;
  int (*monitor)(int, int, char**) = nullptr;

  bool complete() const noexcept { return connect && device_count && exchange && monitor; }
};

constexpr const char* kSocket = "maxelerosd.sock";
// acceptable_age 0: measured now, not a value that the daemon keeps.
constexpr const char* kAskPower =
    R"([{"request_type":"get_power_data","args":{"acceptable_age":"0"}}])";
constexpr const char* kAskUsage = R"([{"request_type":"get_computation_utilization_data"}])";
// Limits for nonsense from the library: of cards, and of a reply's bytes.
constexpr int kMaxCards = 64;
constexpr std::size_t kMaxReply = 4 << 20;

// The requests.
enum class Group : unsigned char { kPower, kTemperature, kUsage };

// An event of each card.
struct Metric {
  const char* name;
  const char* description;
  const char* units;
  double per_unit;  // the event's units per W, degC or %
  Group group;
  unsigned part;  // kPower: 0 the card, else 1 + Rail; kTemperature: 0 interface, 1 main
};

constexpr Metric kMetrics[] = {
    {"fpga_POWER", "Power of the card", "uW", 1e6, Group::kPower, 0},
    {"vcc1v0_c_POWER", "Power of the core supply, 1.0 V", "uW", 1e6, Group::kPower, 1},
    {"vcc1v5_ddr_POWER", "Power of the memory supply, 1.5 V", "uW", 1e6, Group::kPower, 2},
    {"vcc2v5_aux_POWER", "Power of the auxiliary supply, 2.5 V", "uW", 1e6, Group::kPower, 3},
    {"imgt_1v0_POWER", "Power of the interface transceivers' supply, 1.0 V", "uW", 1e6,
     Group::kPower, 4},
    {"imgt_1v2_POWER", "Power of the interface transceivers' supply, 1.2 V", "uW", 1e6,
     Group::kPower, 5},
    {"mgt_1v0_POWER", "Power of the transceivers' supply, 1.0 V", "uW", 1e6, Group::kPower, 6},
    {"mgt_1v2_POWER", "Power of the transceivers' supply, 1.2 V", "uW", 1e6, Group::kPower, 7},
    {"imgt_TEMPERATURE", "Temperature of the interface FPGA", "mdegC", 1e3, Group::kTemperature, 0},
    {"mmgt_TEMPERATURE", "Temperature of the main FPGA", "mdegC", 1e3, Group::kTemperature, 1},
    {"COMPUTE_UTIL", "Utilization of the card's engine", "m%", 1e3, Group::kUsage, 0},
};

// A reply that the library has allocated.
class Reply {
 public:
  Reply() = default;
  // Allocated by the library with malloc, so delete would be wrong.
  ~Reply() { free(text_); }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  char** room() noexcept { return &text_; }
  std::string_view text() const noexcept {
    return text_ ? std::string_view(text_, strnlen(text_, kMaxReply)) : std::string_view();
  }

 private:
  char* text_ = nullptr;
};

class MaxelerReader final : public VendorReader {
 public:
  explicit MaxelerReader(const char* library) : name_(library) {}

  Result<void> Look(std::string& reason) override {
    // The library stays loaded when this object ends (VendorLibrary).
    const VendorLibrary library({name_});
    if (!library) {
      reason =
          "no MaxelerOS: libmaxeleros.so cannot be opened (it is part of MaxelerOS; add its lib "
          "folder to LD_LIBRARY_PATH)";
      return Error{Errc::kNotFound, ENOENT, "no libmaxeleros.so"};
    }
    library.Find("max_daemon_connect", os_.connect);
    library.Find("max_daemon_device_count", os_.device_count);
    library.Find("max_daemon_exchange_json_string", os_.exchange);
    library.Find("max_daemon_device_hw_monitor", os_.monitor);
    if (os_.complete()) return {};
    reason = "libmaxeleros.so does not have all functions of the daemon's interface (max_daemon_*)";
    return Error{Errc::kUnsupported, 0, "unsuitable libmaxeleros.so"};
  }

  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    if (Result<void> connected = Reconnect(steps); !connected) {
      reason =
          "MaxelerOS's daemon cannot be reached: check that maxelerosd runs and that this user may "
          "write to its socket";
      return connected;
    }
    const int count = os_.device_count(daemon_);
    steps.Step();
    if (count <= 0) {
      reason =
          count < 0 ? "MaxelerOS's daemon does not report the number of cards" : "no Maxeler card";
      return Error{count < 0 ? Errc::kSystem : Errc::kNoEvent, ENODEV, "no Maxeler card"};
    }
    // The daemon's cards are taken to be numbered 0 to count - 1.
    cards_ = static_cast<unsigned>(count < kMaxCards ? count : kMaxCards);
    for (unsigned card = 0; card < cards_; ++card) AddEvents(card);
    return {};
  }

  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }

  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    // A new read: nothing was asked yet.
    powers_.clear();
    usages_.clear();
    temperatures_.assign(cards_, std::nullopt);
    power_error_ = usage_error_ = {};
    temperature_errors_.assign(cards_, Error{});
    for (std::size_t i = 0; i < places.size(); ++i) {
      // The same arithmetic as in AddEvents, which adds all metrics of a card in a row.
      const Metric& metric = kMetrics[places[i] % std::size(kMetrics)];
      const unsigned card = places[i] / std::size(kMetrics);
      std::optional<double> value;
      errors[i] = ValueOf(steps, metric, card, value).error();
      if (errors[i].code != Errc::kOk) continue;
      if (!value) {
        errors[i] = {Errc::kSystem, EIO,
                     "the answer of MaxelerOS's daemon does not contain the value"};
        continue;
      }
      // Integers in small units, as PAPI's component has them: events of other types would need
      // another value type in each program.
      bits[i] = static_cast<std::uint64_t>(std::llround(*value * metric.per_unit));
    }
    return {};
  }

  // After a fork the earlier socket is the parent's, so it is neither used nor closed.
  Result<void> Reconnect(VendorSteps& steps) override {
    daemon_ = os_.connect(kSocket);
    steps.Step();
    if (daemon_ >= 0) return {};
    return Error{Errc::kSystem, ECONNREFUSED, "MaxelerOS's daemon cannot be reached"};
  }

 private:
  void AddEvents(unsigned card) {
    for (const Metric& metric : kMetrics) {
      DeviceEvent event;
      event.name = std::string(metric.name) + ":DEVICE" + std::to_string(card);
      event.description = metric.description;
      event.units = metric.units;
      event.value_type = ComponentEvent::Type::kSigned;
      events_.push_back(std::move(event));
    }
  }

  // The value of one event; empty where the reply lacks it. Sends the group's request if this Read
  // has not sent it.
  Result<void> ValueOf(VendorSteps& steps, const Metric& metric, unsigned card,
                       std::optional<double>& value) {
    if (metric.group == Group::kTemperature) {
      if (!temperatures_[card] && temperature_errors_[card].code == Errc::kOk) {
        temperature_errors_[card] = AskTemperature(steps, card).error();
      }
      if (!temperatures_[card]) return temperature_errors_[card];
      const maxeler::CardTemperature& known = *temperatures_[card];
      value = metric.part == 0 ? known.interface_fpga : known.main;
      return {};
    }
    const bool is_power = metric.group == Group::kPower;
    Error& error = is_power ? power_error_ : usage_error_;
    if (error.code == Errc::kOk) error = (is_power ? AskPower(steps) : AskUsage(steps)).error();
    if (error.code != Errc::kOk) return error;
    if (metric.group == Group::kUsage) value = usages_[card];
    if (metric.group == Group::kPower) {
      value = metric.part == 0 ? powers_[card].card_w : powers_[card].rail_w[metric.part - 1];
    }
    return {};
  }

  // Each fills in the values of its group, once in a Read.
  Result<void> AskPower(VendorSteps& steps) {
    if (!powers_.empty()) return {};
    Reply reply;
    Result<void> asked = Exchange(steps, kAskPower, reply);
    if (!asked) return asked;
    powers_ = maxeler::ParsePower(reply.text(), cards_);
    return powers_.empty() ? Unreadable() : Result<void>();
  }

  Result<void> AskUsage(VendorSteps& steps) {
    if (!usages_.empty()) return {};
    Reply reply;
    Result<void> asked = Exchange(steps, kAskUsage, reply);
    if (!asked) return asked;
    usages_ = maxeler::ParseUsage(reply.text(), cards_);
    return usages_.empty() ? Unreadable() : Result<void>();
  }

  Result<void> AskTemperature(VendorSteps& steps, unsigned card) {
    Reply reply;
    // One request a card: unlike the other two, this one has no form for all cards.
    const int failed = os_.monitor(daemon_, static_cast<int>(card), reply.room());
    steps.Step();
    if (failed) return Silent();
    temperatures_[card] = maxeler::ParseTemperature(reply.text());
    return {};
  }

  Result<void> Exchange(VendorSteps& steps, const char* request, Reply& reply) {
    const int failed = os_.exchange(daemon_, reply.room(), request);
    steps.Step();
    return failed ? Silent() : Result<void>();
  }

  // The library's function failed.
  static Result<void> Silent() {
    return Error{Errc::kSystem, EIO,
                 "MaxelerOS's daemon did not answer (check that maxelerosd still runs)"};
  }
  static Result<void> Unreadable() {
    return Error{Errc::kCorrupt, EPROTO, "the answer of MaxelerOS's daemon has an unknown format"};
  }

  const char* const name_;
  Maxeleros os_;
  // The library's descriptor of the connection.
  int daemon_ = -1;
  unsigned cards_ = 0;
  std::vector<DeviceEvent> events_;
  // Values within one Read:
  std::vector<maxeler::CardPower> powers_;
  std::vector<std::optional<double>> usages_;
  std::vector<std::optional<maxeler::CardTemperature>> temperatures_;
  // Why a group has no values. A request that failed is not repeated in the same Read.
  Error power_error_, usage_error_;
  std::vector<Error> temperature_errors_;
};

}  // namespace

std::unique_ptr<VendorReader> MakeMaxelerReader(const char* library) {
  return std::make_unique<MaxelerReader>(library);
}

std::unique_ptr<DeviceSource> MakeMaxelerSource() {
  return MakeVendorSource(MakeMaxelerReader("libmaxeleros.so"), kMaxelerPatience);
}

}  // namespace csink
