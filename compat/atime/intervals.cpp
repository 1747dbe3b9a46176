#include <algorithm>
#include <charconv>
#include <optional>

#include "compat/apapi_client/message.h"
#include "compat/atime/options.h"

/// File: parses the list of intervals, `-t rapl:50ms:ipmi:3000000000`.

namespace csink::atime {
namespace {

// A smaller number without unit was probably meant as ms.
constexpr std::uint64_t kLeastPlainNs = 10'000'000;
constexpr std::uint64_t kLeastNs = 1'000'000;
constexpr std::uint64_t kMostNs = 3'600'000'000'000;

/// Nanoseconds of a unit; 0: unknown unit.
std::uint64_t Unit(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  return 0;
}

constexpr std::uint64_t kMostMs = kMostNs / 1'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// The time in ns, or nullopt and what is wrong with the text.
std::optional<std::uint64_t> ReadTime(std::string_view text, std::string& complaint) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const std::uint64_t scale = unit.empty() ? 1 : Unit(unit);
  if (error != std::errc() || scale == 0) {
    complaint = "is not a time (expected a number of ns, or a number with the unit us, ms or s)";
  } else if (number > kMostNs / scale) {
    // Before the multiplication, which could overflow.
    complaint = "is longer than an hour";
  } else if (unit.empty() && number < kLeastPlainNs) {
    complaint = "is below 10000000 ns (with a unit, the minimum is 1ms)";
  } else if (number * scale < kLeastNs) {
    complaint = "is below 1 ms";
  } else {
    return number * scale;
  }
  return std::nullopt;
}

/// The parts between colons; empty parts are kept, because names and times alternate.
std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Every complaint names the default that replaces the time.
void Complain(const std::string& component, const std::string& time, const std::string& complaint) {
  const std::string whose = component.empty() ? "" : " of " + component;
  apapi::Say(kWho, "-t: interval" + whose + " '" + time + "' " + complaint + "; 100 ms is used");
}

/// A number alone is not a component but a time without unit. The message proposes ms where that
/// gives at most an hour, otherwise ns.
void ComplainOfNoUnit(const std::string& digits) {
  const bool as_ms = digits.size() <= 7 && std::stoull(digits) <= kMostMs;
  Complain("", digits, "has no unit: " + digits + (as_ms ? "ms" : "ns"));
}

}  // namespace

std::optional<std::uint64_t> ReadLength(const std::string& text, std::string& complaint) {
  return ReadTime(text, complaint);
}

void ReadIntervals(const std::string& text, Options& options) {
  std::vector<std::string> parts = Split(text);
  if (parts.size() == 1 && !text.empty() && std::all_of(text.begin(), text.end(), IsDigit)) {
    return ComplainOfNoUnit(text);
  }
  // A single word that begins with a digit and ends with a letter is a time for all components.
  if (parts.size() == 1 && !text.empty() && IsDigit(text[0]) && !IsDigit(text.back())) {
    std::string complaint;
    const auto time = ReadTime(text, complaint);
    if (!time) Complain("", text, complaint);
    options.default_interval_ns = time.value_or(kDefaultIntervalNs);
    return;
  }
  // A ':' at the end is not an empty name.
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    std::string complaint = "is missing";
    const std::string time_text = i + 1 < parts.size() ? parts[i + 1] : "";
    const auto time = time_text.empty() ? std::nullopt : ReadTime(time_text, complaint);
    if (!time) Complain(parts[i], time_text, complaint);
    // A component with a wrong time is entered, too: else a later entry of the same name would
    // count.
    options.intervals.push_back({parts[i], time.value_or(kDefaultIntervalNs)});
  }
}

}  // namespace csink::atime
