#include <algorithm>
#include <array>
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

/// File: the net component: the counters of the network interfaces in /proc/net/dev (proc(5)),
/// named as by PAPI 7: "eth0:rx:bytes". Those of the network namespace of the process's main
/// thread.

namespace csink {
namespace {

constexpr std::string_view kFile = "/proc/net/dev";
// Some 7,000 interfaces.
constexpr std::size_t kMostBytes = 1 << 20;
// A terabit a second is 1.25e11 bytes.
constexpr double kMostPerSecond = 1e13;

// The columns of a line behind the interface's name.
struct Column {
  std::string_view name;
  std::string_view description;
};
constexpr Column kColumns[] = {
    {"rx:bytes", "received bytes"},
    {"rx:packets", "received packets"},
    {"rx:errors", "receive errors"},
    {"rx:dropped", "received packets that were dropped"},
    {"rx:fifo", "receive overruns"},
    {"rx:frame", "receive frame errors"},
    {"rx:compressed", "received compressed packets"},
    {"rx:multicast", "received multicast packets"},
    {"tx:bytes", "sent bytes"},
    {"tx:packets", "sent packets"},
    {"tx:errors", "send errors"},
    {"tx:dropped", "packets that were dropped before they were sent"},
    {"tx:fifo", "send overruns"},
    {"tx:colls", "collisions"},
    {"tx:carrier", "losses of the carrier"},
    {"tx:compressed", "sent compressed packets"},
};
using Row = std::array<std::uint64_t, std::size(kColumns)>;

// Takes the next line with all its numbers: the interface's name and `row`. "": there is none.
std::string_view NextInterface(std::string_view& text, Row& row) noexcept {
  while (!text.empty()) {
    std::string_view line = NextToken(text, '\n');
    const std::size_t colon = line.find(':');
    // The two lines of headings have '|' in place of the colon.
    if (colon == std::string_view::npos) continue;
    const std::string_view name = Trimmed(line.substr(0, colon));
    line.remove_prefix(colon + 1);
    std::size_t columns = 0;
    while (!line.empty() && columns < row.size()) {
      const std::string_view token = NextToken(line, ' ');
      if (token.empty()) continue;
      const Result<std::uint64_t> number = ParseUnsigned(Trimmed(token));
      if (!number) break;
      row[columns++] = *number;
    }
    if (columns == row.size() && !name.empty()) return name;
  }
  return {};
}

class InterfacesPart final : public ReadingPart {
 public:
  InterfacesPart(DeviceFile file, DeviceClock clock) : file_(std::move(file)), clock_(clock) {}

  void Add(std::string_view name) {
    interfaces_.push_back({std::string(name), {}, false, {}});
    for (std::optional<DeviceCounter>& counter : interfaces_.back().counters) {
      counter.emplace(DeviceCounter::Limits{.most_per_second = kMostPerSecond});
    }
  }

  void BeginRead() noexcept override { read_ = false; }

  // `index`: the interface's number and the column.
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    if (!read_) {
      if (const Result<void> done = ReadAll(); !done) return done.error();
    }
    Interface& interface = interfaces_[index / std::size(kColumns)];
    const std::size_t column = index % std::size(kColumns);
    if (!interface.present) {
      return Error{Errc::kSystem, ENODEV, "the network interface is gone"};
    }
    return Judge(
        interface.counters[column]->Take(interface.row[column], read_ns_),
        "a counter of /proc/net/dev stepped back, or grew by more than a network can carry");
  }

 private:
  struct Interface {
    std::string name;
    Row row;
    bool present;
    std::array<std::optional<DeviceCounter>, std::size(kColumns)> counters;
  };

  Result<void> ReadAll() noexcept {
    const Result<std::string_view> whole = file_.WholeText();
    if (!whole) return whole.error();
    read_ns_ = clock_();
    read_ = true;
    for (Interface& interface : interfaces_) interface.present = false;
    std::string_view text = *whole;
    Row row;
    for (;;) {
      const std::string_view name = NextInterface(text, row);
      if (name.empty()) return {};
      const auto found = std::find_if(interfaces_.begin(), interfaces_.end(),
                                      [&](const Interface& i) { return i.name == name; });
      // An interface that came later has no event.
      if (found == interfaces_.end()) continue;
      found->row = row;
      found->present = true;
    }
  }

  DeviceFile file_;
  const DeviceClock clock_;
  std::vector<Interface> interfaces_;
  bool read_ = false;
  std::uint64_t read_ns_ = 0;
};

class NetSource final : public PartedSource {
 public:
  NetSource(const SystemTree& tree, DeviceClock clock)
      : tree_(tree), clock_(clock ? clock : MonotonicNs) {}

  Result<void> Open(std::string& reason) override {
    Result<DeviceFile> file = DeviceFile::Open(tree_, kFile, kMostBytes);
    if (!file) {
      reason = std::string("/proc/net/dev cannot be opened: ") + strerror(file.error().sys_errno);
      return file.error();
    }
    const Result<std::string_view> whole = file->WholeText();
    if (!whole) {
      reason = std::string("/proc/net/dev cannot be read: ") + strerror(whole.error().sys_errno);
      return whole.error();
    }
    std::vector<std::string> names;
    std::string_view text = *whole;
    Row row;
    for (;;) {
      const std::string_view name = NextInterface(text, row);
      if (name.empty()) break;
      names.emplace_back(name);
    }
    if (names.empty()) {
      reason = "/proc/net/dev has no interface with 16 counters";
      return Error{Errc::kNoEvent, 0, "there is no network interface"};
    }
    auto owned = std::make_unique<InterfacesPart>(std::move(*file), clock_);
    InterfacesPart* const part = owned.get();
    AddPart(std::move(owned));
    std::uint32_t index = 0;
    for (const std::string& name : names) {
      part->Add(name);
      for (const Column& column : kColumns) AddEvent(EventOf(name, column), part, index++);
    }
    return {};
  }

 private:
  static DeviceEvent EventOf(const std::string& interface, const Column& column) {
    DeviceEvent event;
    event.name = NameInEvent(interface) + ":" + std::string(column.name);
    event.description = interface + ": " + std::string(column.description);
    if (column.name.ends_with(":bytes")) event.units = "B";
    event.accumulates = true;
    event.most_per_second = kMostPerSecond;
    // PAPI 7.3 lists each name without its last letter.
    event.aliases.push_back(event.name.substr(0, event.name.size() - 1));
    return event;
  }

  const SystemTree tree_;
  const DeviceClock clock_;
};

}  // namespace

std::unique_ptr<DeviceSource> MakeNetSource(const SystemTree& tree, DeviceClock clock) {
  return std::make_unique<NetSource>(tree, clock);
}

}  // namespace csink
