#include "symbolizer/names/jit/perf_map.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "symbolizer/names/bytes/free_items.h"

/// File: a perf map is text, one function a line: START SIZE NAME, numbers in hexadecimal. JITs
/// append to it while csink reads, and write a line again when code is replaced.

namespace csink::symbolizer {
namespace {

/// Reads a hexadecimal number and the blank behind it from the front of `text`. False: not a
/// number, or more than 64 bits.
bool TakeHex(std::string_view& text, std::uint64_t& value) {
  // Most JITs write no prefix; some do.
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
    // The next digit would not fit.
    if (value >> 60 != 0) return false;
    value = value << 4 | digit;
  }
  if (digits == 0 || digits == text.size() || text[digits] != ' ') return false;
  text.remove_prefix(digits + 1);
  return true;
}

/// The entries of a map in the order of its lines.
std::vector<PerfMapEntry> ParsePerfMap(std::string_view text) {
  std::vector<PerfMapEntry> entries;
  // The limit keeps a hostile map from using the memory; lines behind it are ignored.
  for (std::size_t lines = 0; !text.empty() && lines < kMaxPerfMapLines; ++lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    PerfMapEntry entry;
    if (ParsePerfMapLine(text.substr(0, end), entry)) entries.push_back(entry);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return entries;
}

}  // namespace

bool ParsePerfMapLine(std::string_view line, PerfMapEntry& entry) {
  if (!TakeHex(line, entry.start) || !TakeHex(line, entry.bytes)) return false;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  // A name may contain blanks: all of the line behind the numbers.
  entry.name = line;
  return !line.empty() && entry.bytes != 0 && entry.start + (entry.bytes - 1) >= entry.start;
}

std::vector<PerfMapName> NamesFromPerfMap(std::string_view text,
                                          const std::vector<std::uint64_t>& pcs) {
  std::vector<PerfMapName> names(pcs.size());
  const std::vector<PerfMapEntry> entries = ParsePerfMap(text);
  FreeItems nameless(pcs.size());
  // From the last line to the first, because later lines win.
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const auto first = static_cast<std::size_t>(
        std::lower_bound(pcs.begin(), pcs.end(), entry->start) - pcs.begin());
    // The last byte, not the end, which may be 2^64.
    const std::uint64_t last_pc = entry->start + (entry->bytes - 1);
    for (std::size_t i = nameless.From(first); i < pcs.size() && pcs[i] <= last_pc;
         i = nameless.From(i)) {
      names[i] = {PrintableName(entry->name), entry->start};
      nameless.Take(i);
    }
  }
  return names;
}

std::string PrintableName(std::string_view name) {
  std::string text(name.substr(0, kMaxPerfMapName));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

PerfMapText ReadPerfMap(const std::string& folder, const PerfMapOwner& owner) {
  if (owner.pid == 0) return {};
  OwnedFile file =
      OpenOwned(folder + "/perf-" + std::to_string(owner.pid) + ".map", owner, kMaxPerfMapBytes);
  if (!file.fd) return {{}, std::move(file.problem)};
  PerfMapText map;
  map.text.resize(static_cast<std::size_t>(file.bytes));
  std::size_t got = 0;
  while (got < map.text.size()) {
    const ssize_t n = ::pread(file.fd.get(), map.text.data() + got, map.text.size() - got,
                              static_cast<off_t>(got));
    // The file may be truncated meanwhile; the lines that were read are used.
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  map.text.resize(got);
  return map;
}

}  // namespace csink::symbolizer
