#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/text.h"

namespace csink::agent {

/// Writes to stderr; stdout belongs to the program.
void Print(std::string_view text) noexcept;

/// Prints "  label            text\n", and below it a line with "->" for each line of `advice`.
void PrintRow(std::string_view label, std::string_view text, std::string_view advice = {}) noexcept;

/// A number with commas: 2,000,003.
Text<32> GroupedNumber(std::uint64_t value) noexcept;

}  // namespace csink::agent
