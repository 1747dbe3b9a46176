#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/settings/table.h"
#include "core/util/text.h"

/// File: the table of settings at run time: looking names up, reading values, writing them.
/// Lean. Signals: safe.

namespace csink {

inline constexpr std::string_view kSettingPrefix = "CSINK_";

/// "TOP"
std::string_view NameOf(Setting setting) noexcept;
ValueType TypeOf(Setting setting) noexcept;
ReadBy ReadByWhom(Setting setting) noexcept;
InSpool IsInSpool(Setting setting) noexcept;
/// As in the table; "": none.
std::string_view DefaultOf(Setting setting) noexcept;

/// Of "TOP", without the prefix.
std::optional<Setting> FindSetting(std::string_view name) noexcept;
/// Of "top", as CSINK_OPTIONS has it.
std::optional<Setting> FindSettingByKey(std::string_view key) noexcept;
/// The setting that was probably meant by an unknown name, in any case of letters.
std::optional<Setting> NearestSetting(std::string_view name) noexcept;
/// The `index`th in alphabetic order.
Setting SettingByName(std::size_t index) noexcept;

/// Reads a value of the type of the setting. False: it cannot be used, and `result` is unchanged.
/// kBool.
bool ReadValue(Setting setting, std::string_view value, bool& result) noexcept;
/// kCount; kTime, in ns; kSignal, the number of a signal that may ask for a snapshot.
bool ReadValue(Setting setting, std::string_view value, std::uint64_t& result) noexcept;
/// kWord: the word's index. kBoolOrWord: 0 for no, 1 for yes, from 2 on the words.
bool ReadChoice(Setting setting, std::string_view value, unsigned char& index) noexcept;
/// Whether a value can be used, whatever the type.
bool IsUsable(Setting setting, std::string_view value) noexcept;

/// What a value should be, in words that follow "expected ": "auto, ring or timer".
using Expectation = Text<160>;
Expectation ExpectationOf(Setting setting) noexcept;

/// A value as a user would write it; of the default value, DefaultOf().
std::string_view WriteValue(bool value) noexcept;
Text<24> WriteValue(Setting setting, std::uint64_t value) noexcept;
/// kWord: the word.
std::string_view WriteChoice(Setting setting, unsigned char index) noexcept;

}  // namespace csink
