#pragma once

#include <string_view>

#include "agent/settings/config.h"

/// File: the list of keys, for those who read settings from somewhere.

namespace csink::agent {

// Takes the value, or says in a few words what was expected.
using Setter = const char* (*)(Config&, std::string_view);

struct Key {
  std::string_view name;  ///< Without CSINK_: "TOP"
  Setter set;
};

inline constexpr std::string_view kPrefix = "CSINK_";

/// All keys, sorted. Signals: safe.
const Key* AllKeys(std::size_t& count) noexcept;

/// nullptr: no such key. Signals: safe.
const Key* FindKey(std::string_view name) noexcept;

/// The same for a name in small letters, as CSINK_OPTIONS has them. Signals: safe.
const Key* FindSmallKey(std::string_view name) noexcept;

/// Sets `key` and remembers that it was given. What was expected, or nullptr. Signals: safe.
const char* SetKey(Config& config, const Key& key, std::string_view value) noexcept;

}  // namespace csink::agent
