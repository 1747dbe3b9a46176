#include "symbolizer/report/wording/numbers.h"

#include <cmath>
#include <cstdio>

namespace csink::report {
namespace {

/// Percentages from here on have one decimal: rows that differ seldom have the same text.
constexpr double kLeastPlainPercent = 0.1;
/// Smaller ones are rounded to less than 0.0001: less than one sample of a million.
constexpr double kLeastPercent = 0.0000995;

/// Three significant digits: 1.00, 12.3, 123. The limits are those from which printf(3) would round
/// to one digit more.
std::string ThreeDigits(double value) {
  return FixedText(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

/// The same without trailing zeros after the decimal point: 1, 1.5, 12.3.
std::string Compact(double value) {
  std::string text = ThreeDigits(value);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string Grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string FixedText(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  // The largest double has 309 digits before the point.
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string Percent(double share, int decimals) { return FixedText(share * 100, decimals) + "%"; }

std::string ShareText(double share) {
  const double percent = share * 100;
  if (!(percent > 0 && percent < kLeastPlainPercent)) return Percent(share);
  if (percent < kLeastPercent) return "<0.0001%";
  // The first of the two digits follows the zeros: 0.03 has one more than 0.3.
  int decimals = 2;
  for (double least = kLeastPlainPercent; percent < least * 0.995; least /= 10) ++decimals;
  return FixedText(percent, decimals) + "%";
}

std::string Short(double value) {
  struct Unit {
    double size;
    const char* suffix;
  };
  // A value that would be rounded to four digits is shown in the next unit.
  for (const Unit unit : {Unit{1e18, "E"}, Unit{1e15, "P"}, Unit{1e12, "T"}, Unit{1e9, "G"},
                          Unit{1e6, "M"}, Unit{1e3, "k"}}) {
    if (value >= unit.size * 0.9995) return ThreeDigits(value / unit.size) + unit.suffix;
  }
  return FixedText(value, 0);
}

std::string Duration(double seconds) {
  if (!(seconds > 0)) return "0 s";
  // A value that would be rounded to 1000 is shown in the next unit.
  if (seconds < 0.9995e-6) return Compact(seconds * 1e9) + " ns";
  if (seconds < 0.9995e-3) return Compact(seconds * 1e6) + " us";
  if (seconds < 0.9995) return Compact(seconds * 1e3) + " ms";
  // The next unit from two of it on: "90 s" says more than "2 min".
  if (seconds < 120) return Compact(seconds) + " s";
  if (seconds < 7200) return Compact(seconds / 60) + " min";
  if (seconds < 2 * 86400) return Compact(seconds / 3600) + " h";
  return Compact(seconds / 86400) + " days";
}

std::string Count(std::uint64_t n, const char* one, const char* many) {
  return Grouped(n) + " " + (n == 1 ? one : many);
}

}  // namespace csink::report
