#include "core/counting/components/sde/sde_component.h"

#include <sys/utsname.h>

#include <string>

#include "core/counting/components/sde/sde_counter_set.h"
#include "core/counting/overflow/set_overflow.h"
#include "core/util/futex_lock.h"
#include "core/util/thread_id.h"
#include "core/version/number.h"

// File: numbers, names and descriptions are asked of libsde at each call, since libraries register
// and unregister events while the program runs. Two infos exist: without libsde in the process, and
// with it.

namespace csink::sde {
namespace {

constexpr std::string_view kPrefix = "sde:::";
constexpr std::string_view kSeparator = "::";
// The number of counters that is reported: PAPI's limit for an event set. libsde has none.
constexpr int kCounters = 512;
// Numbers of events have 24 bits in PAPI's codes, and 0 is none.
constexpr std::uint32_t kMostNumbers = (1U << 24) - 2;

/// Reads a counter for the tick; `formula` holds the counter's number. Runs in a signal handler, as
/// it does in PAPI's own library.
long long ReadForTick(const void* formula, const long long*) noexcept {
  const Functions* const functions = Find();
  const auto number = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(formula));
  long long value = 0;
  if (functions == nullptr || !functions->Has(number) || functions->is_simple(number) <= 0) {
    return 0;
  }
  return functions->read(number, &value) < 0 ? 0 : value;
}

/// Whether the name has the form LIBRARY::EVENT with two non-empty parts.
bool IsName(std::string_view name) noexcept {
  const std::size_t at = name.find(kSeparator);
  return at != std::string_view::npos && at > 0 && at + kSeparator.size() < name.size();
}

class SdeComponent final : public Component {
 public:
  explicit SdeComponent(const Functions* (*find)() noexcept) : find_(find) {
    absent_.name = absent_.short_name = name();
    absent_.description = "Software defined events: counters that libraries register with libsde";
    absent_.version = CSINK_VERSION;
    utsname system = {};
    if (uname(&system) == 0) absent_.kernel_version = system.release;
    // The counters do not depend on the processor's privilege level, so any domain may be asked
    // for.
    absent_.available_domain = {true, true, true};
    present_ = absent_;
    present_.counters = present_.multiplexed_counters = kCounters;
    present_.reports_overflows = true;
    absent_.disabled = true;
    absent_.disabled_reason =
        "this program has no software defined events: no loaded library uses libsde.so.1 (package "
        "libsde1)";
  }

  const ComponentInfo& Info() override;
  std::string_view name() const noexcept override { return "sde"; }
  bool needs_prefix() const noexcept override { return true; }
  bool is_of_program() const noexcept override { return true; }
  bool reports_overflows() const noexcept override { return true; }

  Result<std::uint32_t> Find(std::string_view name, EventComplaint& complaint) override;
  bool Describe(std::uint32_t event, ComponentEvent& out) override;
  Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) override;
  Result<void> CanCount(std::uint32_t event) override;
  Result<void> SetUpReportedOverflow(std::uint32_t event, OverflowArming& arming) override;
  std::unique_ptr<CounterSet> MakeCounterSet() override {
    const Functions* const functions = find_();
    if (functions == nullptr) return nullptr;
    return std::make_unique<SdeCounterSet>(*functions);
  }
  void ForgetAfterFork() noexcept override { counting_.ResetAfterFork(); }

 private:
  const Functions* (*const find_)() noexcept;
  // present_.native_events changes while libraries register events; counting_ protects it.
  ComponentInfo absent_, present_;
  FutexLock counting_;
};

const ComponentInfo& SdeComponent::Info() {
  const Functions* const functions = find_();
  if (functions == nullptr) return absent_;
  // Unregistered events are counted, too: looking at each would ask libsde for numbers that it has
  // freed (sde_library.h).
  const int events = functions->event_count();
  // Not held in a handler that interrupted this function: the number of before is then shown.
  const FutexHolding held(counting_, AskTid());
  if (held.held() && present_.native_events != events) present_.native_events = events;
  return present_;
}

Result<std::uint32_t> SdeComponent::Find(std::string_view name, EventComplaint& complaint) {
  complaint.Clear();
  if (name.substr(0, kPrefix.size()) == kPrefix) name.remove_prefix(kPrefix.size());
  const Functions* const functions = find_();
  if (functions == nullptr) {
    complaint.Add("sde is disabled: ").Add(absent_.disabled_reason);
    return Error{Errc::kNoEvent, 0, "the component is disabled"};
  }
  std::uint32_t number = 0;
  // Reserves a number for a name that is not registered yet.
  if (IsName(name) && functions->number_of(std::string(name).c_str(), &number) >= 0 &&
      number <= kMostNumbers) {
    return number + 1;
  }
  complaint.Add("the name of a software defined event has the form sde:::LIBRARY::EVENT, not ")
      .Add(name);
  return Error{Errc::kNoEvent, 0, "not a name of a software defined event"};
}

bool SdeComponent::Describe(std::uint32_t event, ComponentEvent& out) {
  const Functions* const functions = find_();
  if (functions == nullptr || event == 0) return false;
  const int number = static_cast<int>(event - 1);
  const char* const name = functions->name(number);
  if (name == nullptr) return false;
  out = {};
  out.name.append(kPrefix).append(name);
  const char* const description = functions->description(number);
  out.short_description = out.long_description = description ? description : name;
  out.pmu = this->name();
  // libsde does not report which values are doubles; those have a double's bits in the value.
  out.value_type = ComponentEvent::Type::kSigned;
  // Nor does it report which are momentary values (PAPI_SDE_INSTANT); counters grow.
  out.accumulates = true;
  out.scope = ComponentEvent::Scope::kProcess;
  return true;
}

Result<std::uint32_t> SdeComponent::Enumerate(EnumerateStep step, std::uint32_t from) {
  const Functions* const functions = find_();
  if (functions == nullptr) return Error{Errc::kNoEvent, 0, "the component is disabled"};
  if (step == EnumerateStep::kFirst) from = 0;
  const bool listed = step == EnumerateStep::kFirst || step == EnumerateStep::kNext;
  // `from` is a number + 1, and so libsde's number of the next event.
  const auto count = static_cast<std::uint32_t>(functions->event_count());
  for (std::uint32_t number = from; listed && number < count; ++number) {
    // Numbers of events that were unregistered stay empty.
    if (functions->Has(number)) return number + 1;
  }
  return Error{Errc::kNoEvent, 0,
               listed ? "there are no more events" : "events have no unit masks"};
}

Result<void> SdeComponent::CanCount(std::uint32_t event) {
  const Functions* const functions = find_();
  if (functions && event != 0 && functions->Has(event - 1)) return {};
  return Error{Errc::kNoEvent, 0, "no library has registered this event"};
}

Result<void> SdeComponent::SetUpReportedOverflow(std::uint32_t event, OverflowArming& arming) {
  const Functions* const functions = find_();
  // Checked here, because libsde does not check whether the number exists.
  if (const Result<void> there = CanCount(event); !there) return there;
  const std::uint32_t number = event - 1;
  constexpr std::uint64_t kMost = INT32_MAX;
  // libsde takes an int, so a larger threshold is cut.
  const int threshold = static_cast<int>(arming.threshold < kMost ? arming.threshold : kMost);
  arming.reported_number = number;
  // How the tick reads the counter, where it is polled.
  arming.value = ReadForTick;
  arming.formula = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(number));
  if (functions->is_simple(number) > 0) {
    arming.reporter = OverflowReporter::kPolled;
    return {};
  }
  const bool counts_itself = functions->set_overflow(number, threshold) == 0;
  // Not registered yet: whether libsde will report it is known only then.
  const bool later = functions->is_set_to_overflow(number) > 0;
  arming.reporter = later ? OverflowReporter::kUndecided : OverflowReporter::kLibrary;
  if (counts_itself || later) return {};
  return Error{Errc::kUnsupported, 0,
               "events of callbacks, groups, recorders and counting sets cannot overflow: libsde "
               "does not report their changes"};
}

}  // namespace

std::unique_ptr<Component> MakeSdeComponent(const Functions* (*find)() noexcept) {
  return std::make_unique<SdeComponent>(find);
}

}  // namespace csink::sde
