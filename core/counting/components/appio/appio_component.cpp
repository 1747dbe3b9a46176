#include "core/counting/components/appio/appio_component.h"

#include <dlfcn.h>
#include <sys/utsname.h>

#include <mutex>
#include <string>

#include "core/counting/components/appio/appio_counter_set.h"
#include "core/counting/components/appio/appio_events.h"
#include "core/util/parse.h"
#include "core/version/number.h"

namespace csink::appio {
namespace {

class AppioComponent final : public Component {
 public:
  explicit AppioComponent(Library (*find)() noexcept) : find_(find) {}

  const ComponentInfo& Info() override {
    Look();
    return info_;
  }
  std::string_view name() const noexcept override { return "appio"; }
  bool needs_prefix() const noexcept override { return true; }
  bool is_of_program() const noexcept override { return true; }

  Result<std::uint32_t> Find(std::string_view name, EventComplaint& complaint) override {
    Look();
    complaint.Clear();
    if (!library_) {
      complaint.Add("appio is disabled: ").Add(info_.disabled_reason);
      return Error{Errc::kNoEvent, 0, "the component is disabled"};
    }
    for (std::uint32_t i = 0; i < std::uint32_t{kEventCount}; ++i) {
      if (name == kEvents[i].name) return i + 1;
    }
    complaint.Add("appio has no event ").Add(name);
    return Error{Errc::kNoEvent, 0, "there is no such event"};
  }

  bool Describe(std::uint32_t event, ComponentEvent& out) override {
    Look();
    if (!library_ || event == 0 || event > std::uint32_t{kEventCount}) return false;
    const Event& known = kEvents[event - 1];
    out = {};
    out.name = std::string("appio:::") + known.name;
    out.short_description = out.long_description = known.description;
    out.units = known.kind == Kind::kMicroseconds ? "us" : "";
    out.pmu = name();
    out.value_type = ComponentEvent::Type::kSigned;
    out.accumulates = known.kind == Kind::kGrowth || known.kind == Kind::kMicroseconds;
    out.scope = ComponentEvent::Scope::kThread;
    return true;
  }

  Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) override {
    Look();
    if (!library_) return Error{Errc::kNoEvent, 0, "the component is disabled"};
    if (step == EnumerateStep::kFirst) return 1;
    if (step == EnumerateStep::kNext && from < std::uint32_t{kEventCount}) return from + 1;
    return Error{Errc::kNoEvent, 0, "there are no more events"};
  }

  Result<void> CanCount(std::uint32_t event) override {
    Look();
    if (library_ && event != 0 && event <= std::uint32_t{kEventCount}) return {};
    return Error{Errc::kNoEvent, 0, "there is no such event"};
  }

  std::unique_ptr<CounterSet> MakeCounterSet() override {
    Look();
    if (!library_) return nullptr;
    return std::make_unique<AppioCounterSet>(library_);
  }

 private:
  // Once: a library that is loaded later stands behind the C library and intercepts nothing.
  void Look() {
    std::call_once(once_, [this] {
      library_ = find_();
      info_.name = info_.short_name = name();
      info_.description = "Input and output of the calling thread: calls, bytes, errors, time";
      info_.version = CSINK_VERSION;
      utsname system = {};
      if (uname(&system) == 0) info_.kernel_version = system.release;
      info_.available_domain = {true, true, true};
      if (library_) {
        info_.counters = info_.multiplexed_counters = info_.native_events = kEventCount;
        return;
      }
      info_.disabled = true;
      info_.disabled_reason =
          "libcsink_appio.so, which counts reads and writes, is not in this program: link with "
          "-lcsink_appio, or start it by csink papi -- env LD_PRELOAD=libcsink_appio.so PROGRAM";
    });
  }

  Library (*const find_)() noexcept;
  std::once_flag once_;
  Library library_;
  ComponentInfo info_;
};

}  // namespace

Library FindLibrary() noexcept {
  return {reinterpret_cast<CountsFunction*>(dlsym(RTLD_DEFAULT, kCountsName)),
          reinterpret_cast<CountingFunction*>(dlsym(RTLD_DEFAULT, kCountingName))};
}

std::unique_ptr<Component> MakeAppioComponent(Library (*find)() noexcept) {
  return std::make_unique<AppioComponent>(find);
}

}  // namespace csink::appio
