#pragma once
#include <string>
#include <vector>

namespace part {

// Inlined into both units.
inline double Square(double x) { return x * x; }
double Smooth(int i);
std::vector<std::string> Words(const std::string& text);

}  // namespace part
