#pragma once

#include <cstdint>

namespace CLI {
class Validator;
}

/// File: checks numbers on the command line. CLI11's own Range accepts nan, and CLI11 converts a
/// number that does not fit into an unsigned type to another number.

namespace csink::tool {

/// Largest number of rows that can be requested: practically all.
inline constexpr std::uint64_t kMostRows = 1'000'000'000;

/// Accepts a finite number from `low` to `high`, both included. For use with Option::check.
CLI::Validator NumberIn(double low, double high);

/// Accepts a decimal number without sign or fraction, at most `high`. For a flag with an optional
/// number, the flag alone is also valid.
CLI::Validator CountUpTo(std::uint64_t high);

}  // namespace csink::tool
