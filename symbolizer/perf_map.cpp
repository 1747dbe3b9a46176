#include "symbolizer/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

#include "core/util/unique_fd.h"

namespace csink::symbolizer {
namespace {

/// The hexadecimal number at the start of `text`, which loses it and one blank. False:
/// none, or more than 64 bits.
bool TakeHex(std::string_view& text, std::uint64_t& value) {
  if (text.substr(0, 2) == "0x") text.remove_prefix(2);
  value = 0;
  std::size_t digits = 0;
  for (; digits < text.size(); ++digits) {
    const char c = text[digits];
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      break;
    }
    if (value >> 60 != 0) return false;
    value = value << 4 | digit;
  }
  if (digits == 0 || digits == text.size() || text[digits] != ' ') return false;
  text.remove_prefix(digits + 1);
  return true;
}

std::string Printable(std::string_view name) {
  std::string text(name.substr(0, kMaxPerfMapName));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

std::vector<PerfMapEntry> ParsePerfMap(std::string_view text) {
  std::vector<PerfMapEntry> entries;
  for (std::size_t lines = 0; !text.empty() && lines < kMaxPerfMapLines; ++lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    PerfMapEntry entry;
    if (ParsePerfMapLine(text.substr(0, end), entry)) entries.push_back(entry);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return entries;
}

/// Which of many items are still free, asked for "the next free one": each is taken once,
/// so that maps full of overlaps cost no more than others.
class FreeItems {
 public:
  explicit FreeItems(std::size_t count) : next_(count + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }
  std::size_t From(std::size_t item) {
    std::size_t found = item;
    while (next_[found] != found) found = next_[found];
    while (next_[item] != found) item = std::exchange(next_[item], found);
    return found;
  }
  void Take(std::size_t item) { next_[item] = item + 1; }

 private:
  std::vector<std::size_t> next_;
};

}  // namespace

bool ParsePerfMapLine(std::string_view line, PerfMapEntry& entry) {
  if (!TakeHex(line, entry.start) || !TakeHex(line, entry.bytes)) return false;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  entry.name = line;
  return !line.empty() && entry.bytes != 0 && entry.start + (entry.bytes - 1) >= entry.start;
}

std::vector<PerfMapName> NamesFromPerfMap(std::string_view text,
                                          const std::vector<std::uint64_t>& pcs) {
  std::vector<PerfMapName> names(pcs.size());
  const std::vector<PerfMapEntry> entries = ParsePerfMap(text);
  FreeItems nameless(pcs.size());
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const auto first = static_cast<std::size_t>(
        std::lower_bound(pcs.begin(), pcs.end(), entry->start) - pcs.begin());
    const std::uint64_t last_pc = entry->start + (entry->bytes - 1);
    for (std::size_t i = nameless.From(first); i < pcs.size() && pcs[i] <= last_pc;
         i = nameless.From(i)) {
      names[i] = {Printable(entry->name), entry->start};
      nameless.Take(i);
    }
  }
  return names;
}

PerfMapText ReadPerfMap(const std::string& folder, const PerfMapOwner& owner) {
  if (owner.pid == 0) return {};
  const std::string path = folder + "/perf-" + std::to_string(owner.pid) + ".map";
  const auto refused = [&](const char* why) { return PerfMapText{{}, path + " " + why}; };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0) return errno == ENOENT ? PerfMapText{} : refused("cannot be read");
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) return refused("cannot be read");
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1) return refused("is no plain file");
  if (status.st_uid != owner.uid && status.st_uid != 0) return refused("is another user's");
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::uint64_t written =
      static_cast<std::uint64_t>(status.st_mtim.tv_sec) * kSecond + kSecond;
  if (written < owner.start_realtime_ns) return refused("is older than the process");
  if (static_cast<std::uint64_t>(status.st_size) > kMaxPerfMapBytes) return refused("is too large");
  PerfMapText map;
  map.text.resize(static_cast<std::size_t>(status.st_size));
  std::size_t got = 0;
  while (got < map.text.size()) {
    const ssize_t n =
        ::pread(fd.get(), map.text.data() + got, map.text.size() - got, static_cast<off_t>(got));
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  map.text.resize(got);
  return map;
}

}  // namespace csink::symbolizer
