#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: formats numbers for people, independently of the locale. Texts for programs are written
/// elsewhere, with all digits.

namespace csink::report {

/// Nanoseconds as seconds.
inline double Seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

/// Groups of three digits: 12345678 -> "12,345,678".
std::string Grouped(std::uint64_t value);
/// With this number of decimals, rounded as printf(3) does: "3.42". "-" if the value is not finite.
std::string FixedText(double value, int decimals);
/// A share of 1 as a percentage: 0.612 -> "61.2%".
std::string Percent(double share, int decimals = 1);
/// A share of 1 in a table: as Percent, but with two significant digits below 0.1 %, so that rows
/// that differ have different texts: "0.034%", "<0.0001%".
std::string ShareText(double share);
/// Three significant digits and a decimal prefix: "1.23G", "45.6M", "789". For values from 0 on.
std::string Short(double value);
/// Three significant digits and a unit: "850 us", "12.3 ms", "3.42 s"; minutes from 120 s on, hours
/// from 120 min, days from 48 h: "2.49 min". "0 s" for 0 and less.
std::string Duration(double seconds);
/// A number with its noun in the right form: "1 thread", "2 threads".
std::string Count(std::uint64_t n, const char* one, const char* many);

}  // namespace csink::report
