#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: formats numbers for people, independently of the locale.

namespace csink::report {

/// Nanoseconds as seconds.
inline double Seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string Grouped(std::uint64_t value);             ///< 12,345,678
std::string FixedText(double value, int decimals);    ///< "3.42"; "-" when not finite
std::string Percent(double share, int decimals = 1);  ///< 0.612 -> "61.2%"
std::string Short(double value);                      ///< 1.23G, 45.6M, 789: three digits
std::string Duration(double seconds);                 ///< "850 us", "12.3 ms", "3.42 s", "5 h"
std::string Count(std::uint64_t n, const char* one, const char* many);  ///< "1 thread", "2 threads"

}  // namespace csink::report
