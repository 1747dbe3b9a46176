#include "core/counting/components/sysdetect/sysdetect_component.h"

#include <sys/utsname.h>

#include "core/version/number.h"

namespace csink {
namespace {

Error NoEvents() { return {Errc::kNoEvent, 0, "sysdetect has no events"}; }

/// A set that accepts only an empty list of counters.
// PAPI programs make an event set for each component that they list, so the set exists although
// nothing can be added to it.
class EmptyCounterSet final : public CounterSet {
 public:
  Result<void> Configure(std::span<const CounterRequest> requests,
                         const CountingOptions&) override {
    if (running_) return Error{Errc::kInvalid, 0, "the counters are running"};
    if (!requests.empty()) return NoEvents();
    return {};
  }
  std::size_t size() const noexcept override { return 0; }
  Result<void> Start() override {
    if (running_) return Error{Errc::kInvalid, 0, "the counters are running"};
    running_ = true;
    return {};
  }
  Result<void> Stop() override {
    if (!running_) return Error{Errc::kInvalid, 0, "the counters are not running"};
    running_ = false;
    return {};
  }
  Result<void> Read(long long*) noexcept override { return {}; }
  Result<void> Reset() noexcept override { return {}; }
  Result<void> ReadAndReset(long long*) noexcept override { return {}; }
  Result<void> Write(const long long*) noexcept override { return {}; }
  bool running() const noexcept override { return running_; }
  // No perf event stands behind an event of this set.
  int fd(std::size_t) const noexcept override { return -1; }
  pid_t counted_tid() const noexcept override { return 0; }
  void Times(std::size_t, std::uint64_t* enabled_ns,
             std::uint64_t* running_ns) const noexcept override {
    *enabled_ns = *running_ns = 0;
  }
  void ForgetAfterFork() noexcept override { running_ = false; }

 private:
  bool running_ = false;
};

class SysdetectComponent final : public Component {
 public:
  // Nothing is probed: devices are looked for by the functions that show them.
  SysdetectComponent() {
    info_.name = name();
    info_.short_name = "sysdetect";
    info_.description = "The processors, memory and accelerators of this machine; no events";
    info_.version = CSINK_VERSION;
    utsname system = {};
    if (uname(&system) == 0) info_.kernel_version = system.release;
  }
  // Never disabled: PAPI's functions about devices work without it, and answer "no devices" where
  // there are none.
  const ComponentInfo& Info() override { return info_; }
  std::string_view name() const noexcept override { return "sysdetect"; }
  Result<std::uint32_t> Find(std::string_view, EventComplaint& complaint) override {
    complaint.Clear();
    complaint.Add(NoEvents().what);
    return NoEvents();
  }
  bool Describe(std::uint32_t, ComponentEvent&) override { return false; }
  Result<std::uint32_t> Enumerate(EnumerateStep, std::uint32_t) override { return NoEvents(); }
  Result<void> CanCount(std::uint32_t) override { return NoEvents(); }
  std::unique_ptr<CounterSet> MakeCounterSet() override {
    return std::make_unique<EmptyCounterSet>();
  }

 private:
  ComponentInfo info_;
};

}  // namespace

std::unique_ptr<Component> MakeSysdetectComponent() {
  return std::make_unique<SysdetectComponent>();
}

}  // namespace csink
