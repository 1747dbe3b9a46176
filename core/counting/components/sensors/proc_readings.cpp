#include <unistd.h>

#include <algorithm>
#include <bit>

#include "core/counting/components/device/device_file.h"
#include "core/counting/components/sensors/rapl_parts.h"
#include "core/util/parse.h"

// File: CPU times and memory from /proc (proc(5)). Each file is read once for all values of a read,
// so that the values belong together.

namespace csink {
namespace {

/// A file that is read and parsed once for all values of a read: Forget begins a read, Get returns
/// what was parsed. A file that cannot be parsed is tried again at the next Get.
template <class Parsed>
class ParsedFile {
 public:
  using Parse = Result<Parsed> (*)(std::string_view) noexcept;
  ParsedFile(DeviceFile file, Parse parse) : file_(std::move(file)), parse_(parse) {}
  void Forget() noexcept { read_ = false; }
  Result<Parsed> Get() noexcept {
    if (!read_) {
      // The text is that of the file's buffer; what is parsed is kept instead of the text.
      const Result<std::string_view> text = file_.Text();
      if (!text) return text.error();
      const Result<Parsed> parsed = parse_(*text);
      if (!parsed) return parsed.error();
      parsed_ = *parsed;
      read_ = true;
    }
    return parsed_;
  }

 private:
  DeviceFile file_;
  Parse parse_;
  bool read_ = false;
  Parsed parsed_;
};

// Values by ProcReading. Times are averages: ticks of all CPUs, divided by their number.
class CpuTimesPart final : public ReadingPart {
 public:
  CpuTimesPart(DeviceFile file, std::size_t cpus)
      : file_(std::move(file), ParseCpuTicks),
        // USER_HZ ticks a second, the unit of /proc/stat.
        // Divided once for all reads: neither USER_HZ nor the number of CPUs of this source
        // changes.
        ms_per_tick_(1e3 / static_cast<double>(sysconf(_SC_CLK_TCK)) / static_cast<double>(cpus)) {}
  void BeginRead() noexcept override { file_.Forget(); }
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    const Result<CpuTicks> ticks = file_.Get();
    if (!ticks) return ticks.error();
    switch (static_cast<ProcReading>(index)) {
      case ProcReading::kTimeWork:
        return std::bit_cast<std::uint64_t>(static_cast<double>(ticks->work) * ms_per_tick_);
      case ProcReading::kTimeIdle:
        return std::bit_cast<std::uint64_t>(static_cast<double>(ticks->idle) * ms_per_tick_);
      case ProcReading::kWorkTicks:
        return ticks->work;
      default:
        return ticks->work + ticks->idle;
    }
  }

 private:
  ParsedFile<CpuTicks> file_;
  const double ms_per_tick_;
};

// Values by ProcReading, in KiB.
class MemoryPart final : public ReadingPart {
 public:
  explicit MemoryPart(DeviceFile file) : file_(std::move(file), ParseMemoryUse) {}
  void BeginRead() noexcept override { file_.Forget(); }
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    const Result<MemoryUse> use = file_.Get();
    if (!use) return use.error();
    switch (static_cast<ProcReading>(index)) {
      case ProcReading::kMemTotal:
        return use->total;
      case ProcReading::kMemUsed:
        return use->used;
      case ProcReading::kMemFree:
        return use->free;
      case ProcReading::kSwapTotal:
        return use->swap_total;
      case ProcReading::kSwapUsed:
        return use->swap_used;
      default:
        return use->swap_free;
    }
  }

 private:
  ParsedFile<MemoryUse> file_;
};

// 8 ZiB: sums of such numbers fit into 64 bits.
constexpr std::uint64_t kMostKib = std::uint64_t{1} << 53;

// The number in a line "MemTotal:   1234 kB"; -1: there is none.
std::int64_t Kib(std::string_view meminfo, std::string_view key) noexcept {
  std::string_view value = FieldOf(meminfo, key);
  const Result<std::uint64_t> number = ParseUnsigned(NextToken(value, ' '));
  return number && *number < kMostKib ? static_cast<std::int64_t>(*number) : -1;
}

}  // namespace

Result<CpuTicks> ParseCpuTicks(std::string_view stat) noexcept {
  std::string_view line = stat.substr(0, stat.find('\n'));
  const Error corrupt{Errc::kCorrupt, 0, "/proc/stat does not begin with the line for all CPUs"};
  // The line "cpu" sums up all CPUs; the lines "cpu0", "cpu1", ... follow it. Two blanks stand
  // behind the name, hence the empty token below.
  if (NextToken(line, ' ') != "cpu") return corrupt;
  std::uint64_t fields[8] =
      {};  // user nice system idle iowait irq softirq steal; guests are in user
  std::size_t count = 0;
  while (!line.empty() && count < std::size(fields)) {
    const std::string_view token = NextToken(line, ' ');
    if (token.empty()) continue;
    const Result<std::uint64_t> ticks = ParseUnsigned(token);
    // Sums of eight such numbers fit into 64 bits.
    if (!ticks || *ticks > std::uint64_t{1} << 56) return corrupt;
    fields[count++] = *ticks;
  }
  // The later fields came with Linux 2.6 (proc(5)); they are 0 where they are missing.
  if (count < 4) return corrupt;
  CpuTicks all;
  // The time in which a CPU waits for a disk is idle time: another thread could run.
  all.idle = fields[3] + fields[4];
  all.work = fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7];
  return all;
}

Result<MemoryUse> ParseMemoryUse(std::string_view meminfo) noexcept {
  // "kB" in this file means 1,024 bytes (proc(5)).
  const std::int64_t total = Kib(meminfo, "MemTotal");
  const std::int64_t free = Kib(meminfo, "MemFree");
  if (total < 0 || free < 0) {
    return Error{Errc::kCorrupt, 0, "/proc/meminfo does not contain the size of memory"};
  }
  const auto or_zero = [](std::int64_t kib) { return std::max<std::int64_t>(kib, 0); };
  MemoryUse use;
  use.total = static_cast<std::uint64_t>(total);
  // What programs can get: the kernel gives up buffers and cached files for them.
  use.free = static_cast<std::uint64_t>(free + or_zero(Kib(meminfo, "Buffers")) +
                                        or_zero(Kib(meminfo, "Cached")));
  // Used is what is not free, and never below 0.
  use.used = use.total - std::min(use.total, use.free);
  use.swap_total = static_cast<std::uint64_t>(or_zero(Kib(meminfo, "SwapTotal")));
  use.swap_free = static_cast<std::uint64_t>(or_zero(Kib(meminfo, "SwapFree")));
  use.swap_used = use.swap_total - std::min(use.swap_total, use.swap_free);
  return use;
}

std::unique_ptr<ReadingPart> OpenCpuTimes(const SystemTree& tree, std::size_t cpus) {
  Result<DeviceFile> file = DeviceFile::Open(tree, "/proc/stat", DeviceFile::kTextBytes);
  if (!file) return nullptr;
  auto part = std::make_unique<CpuTimesPart>(std::move(*file), std::max<std::size_t>(cpus, 1));
  // A file that opens but cannot be parsed makes no events.
  if (!part->Value(static_cast<std::uint32_t>(ProcReading::kWorkTicks))) return nullptr;
  return part;
}

std::unique_ptr<ReadingPart> OpenMemoryUse(const SystemTree& tree) {
  Result<DeviceFile> file = DeviceFile::Open(tree, "/proc/meminfo", DeviceFile::kTextBytes);
  if (!file) return nullptr;
  auto part = std::make_unique<MemoryPart>(std::move(*file));
  if (!part->Value(static_cast<std::uint32_t>(ProcReading::kMemTotal))) return nullptr;
  return part;
}

}  // namespace csink
