#pragma once

#include <cstdint>

namespace CLI {
class Validator;
}

/// File: numbers of the command line that are not taken at their word. CLI11's own Range lets nan
/// through, and what does not fit an unsigned number becomes another one.

namespace csink::tool {

/// Rows that somebody may ask for: all there are.
inline constexpr std::uint64_t kMostRows = 1'000'000'000;

/// A finite number from `low` to `high`.
CLI::Validator NumberIn(double low, double high);

/// A decimal number without sign or fraction, at most `high`. Of a flag with a number, also the
/// flag alone.
CLI::Validator CountUpTo(std::uint64_t high);

}  // namespace csink::tool
