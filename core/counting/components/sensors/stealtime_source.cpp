#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_file.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/device/parted_source.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"

/// File: the stealtime component: the time in which a processor of a virtual machine was ready and
/// its hypervisor ran something else, by /proc/stat (proc(5)). Named as by PAPI 7: TOTAL, and CPU1
/// for the first processor.

namespace csink {
namespace {

// Lines of 2,000 processors; the long line of interrupts follows them.
constexpr std::size_t kMostBytes = 256 * 1024;
constexpr std::size_t kStealField = 8;  // user nice system idle iowait irq softirq steal

// Takes the next line of a processor: "cpu" or "cpuN" and its steal time in ticks. nullopt: there
// is none, or the kernel does not tell the time (before Linux 2.6.11).
std::optional<std::pair<std::string_view, std::uint64_t>> NextCpu(std::string_view& stat) noexcept {
  std::string_view line = NextToken(stat, '\n');
  const std::string_view name = NextToken(line, ' ');
  if (!name.starts_with("cpu")) return std::nullopt;
  std::size_t field = 0;
  while (!line.empty()) {
    const std::string_view token = NextToken(line, ' ');
    if (token.empty()) continue;  // two blanks stand behind "cpu"
    if (++field < kStealField) continue;
    const Result<std::uint64_t> ticks = ParseUnsigned(token);
    if (!ticks) return std::nullopt;
    return std::pair(name, *ticks);
  }
  return std::nullopt;
}

class StealPart final : public ReadingPart {
 public:
  explicit StealPart(DeviceFile file)
      : file_(std::move(file)),
        us_per_tick_(1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK))) {}

  void Add(std::string_view name) {
    cpus_.push_back({std::string(name), 0, false,
                     // All processors together are counted as well.
                     DeviceCounter({.most_per_second = 1e6 * SystemTree::kMaxCpus})});
  }
  void BeginRead() noexcept override { read_ = false; }
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    if (!read_) {
      const Result<std::string_view> text = file_.Text();
      if (!text) return text.error();
      Parse(*text);
      read_ = true;
    }
    Cpu& cpu = cpus_[index];
    if (!cpu.present) return Error{Errc::kSystem, ENODEV, "the processor is offline"};
    return Judge(cpu.us.Take(cpu.ticks * us_per_tick_, MonotonicNs()),
                 "the steal time of /proc/stat stepped back");
  }

 private:
  struct Cpu {
    std::string name;
    std::uint64_t ticks;
    bool present;
    DeviceCounter us;
  };

  void Parse(std::string_view stat) noexcept {
    for (Cpu& cpu : cpus_) cpu.present = false;
    std::size_t next = 0;
    while (const auto line = NextCpu(stat)) {
      // The order is that of Open, with gaps where a processor went offline.
      std::size_t place = next;
      while (place < cpus_.size() && cpus_[place].name != line->first) ++place;
      if (place == cpus_.size()) continue;
      cpus_[place].ticks = line->second;
      cpus_[place].present = true;
      next = place + 1;
    }
  }

  DeviceFile file_;
  const std::uint64_t us_per_tick_;
  std::vector<Cpu> cpus_;
  bool read_ = false;
};

class StealtimeSource final : public PartedSource {
 public:
  explicit StealtimeSource(const SystemTree& tree) : tree_(tree) {}

  Result<void> Open(std::string& reason) override {
    Result<DeviceFile> file = DeviceFile::Open(tree_, "/proc/stat", kMostBytes);
    if (!file) {
      reason = std::string("/proc/stat cannot be opened: ") + strerror(file.error().sys_errno);
      return file.error();
    }
    const Result<std::string_view> text = file->Text();
    if (!text) {
      reason = std::string("/proc/stat cannot be read: ") + strerror(text.error().sys_errno);
      return text.error();
    }
    std::vector<std::string> names;
    std::string_view stat = *text;
    while (const auto line = NextCpu(stat)) names.emplace_back(line->first);
    if (names.empty()) {
      reason = "/proc/stat does not tell the steal time";
      return Error{Errc::kNoEvent, 0, "there is no steal time"};
    }
    auto owned = std::make_unique<StealPart>(std::move(*file));
    StealPart* const part = owned.get();
    AddPart(std::move(owned));
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      part->Add(names[i]);
      DeviceEvent event;
      event.name = i == 0 ? "TOTAL" : "CPU" + std::to_string(i);
      event.description = i == 0 ? "Steal time of all processors" : "Steal time of " + names[i];
      event.units = "us";
      event.accumulates = true;
      event.most_per_second = i == 0 ? 1e6 * static_cast<double>(names.size()) : 1e6;
      AddEvent(std::move(event), part, i);
    }
    return {};
  }

 private:
  const SystemTree tree_;
};

}  // namespace

std::unique_ptr<DeviceSource> MakeStealtimeSource(const SystemTree& tree) {
  return std::make_unique<StealtimeSource>(tree);
}

}  // namespace csink
