#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/settings/table.h"
#include "core/util/text.h"

/// File: the table of settings at run time: looking names up, reading values, writing them.
/// Lean. Signals: safe.

namespace csink {

/// Begins the name of every environment variable of ours.
inline constexpr std::string_view kSettingPrefix = "CSINK_";

/// The name without kSettingPrefix: "TOP". Like all texts that functions of this file return as
/// string_view, a static string.
std::string_view NameOf(Setting setting) noexcept;
/// What kind of value the setting has.
ValueType TypeOf(Setting setting) noexcept;
/// Which program reads the setting.
ReadBy ReadByWhom(Setting setting) noexcept;
/// Whether the configuration in a spool has the setting.
InSpool IsInSpool(Setting setting) noexcept;
/// The default as a user would write it, from the table; "": there is none.
std::string_view DefaultOf(Setting setting) noexcept;

/// The setting of a name without prefix, in upper case: "TOP". nullopt if there is none.
std::optional<Setting> FindSetting(std::string_view name) noexcept;
/// The setting of a key of CSINK_OPTIONS, in lower case: "top". nullopt if there is none, also for
/// a key with an upper-case letter, so that each setting has one spelling.
std::optional<Setting> FindSettingByKey(std::string_view key) noexcept;
/// The setting whose name is closest to an unknown name, in any case of letters (NearestNames);
/// nullopt if no name is close enough. For a hint in a message.
std::optional<Setting> NearestSetting(std::string_view name) noexcept;
/// The `index`th setting in alphabetic order; `index` must be below kSettingCount.
Setting SettingByName(std::size_t index) noexcept;

/// Reads a value of a kBool or kBoolOrFolder setting (ParseBool). Returns false if the text cannot
/// be used; `result` is then unchanged, as with the other functions that read.
bool ReadValue(Setting setting, std::string_view value, bool& result) noexcept;
/// Reads a value of the type of the setting: kCount, with k, M or G (ParseCount); kTime, in ns
/// (ParseDuration); kSignal, the number of a signal that may ask for a snapshot. Signals with
/// another use are refused (settings_signal.cpp).
bool ReadValue(Setting setting, std::string_view value, std::uint64_t& result) noexcept;
/// Reads one of the row's words, which must match exactly. kWord: the word's index. kBoolOrWord: 0
/// for no, 1 for yes, from 2 on the words.
bool ReadChoice(Setting setting, std::string_view value, unsigned char& index) noexcept;
/// Whether a value can be used, whatever the type. kBoolOrFolder: a yes, a no, or a path from "/"
/// on. Lists, files, folders and fifos are checked for their length alone.
bool IsUsable(Setting setting, std::string_view value) noexcept;

/// A text of ExpectationOf, in bytes with the 0 at its end.
inline constexpr std::size_t kExpectationRoom = 200;
using Expectation = Text<kExpectationRoom>;
/// What a value should be, in words that follow "expected ": "auto, ring or timer". Never cut: a
/// test compares with the room of Expectation.
Expectation ExpectationOf(Setting setting) noexcept;

/// A value as a user would write it, so that ReadValue reads the same again: "1" or "0".
std::string_view WriteValue(bool value) noexcept;
/// A number in digits; a time other than 0 with "ns". Empty for 0 where the setting has no default
/// (kSignal: no signal).
Text<24> WriteValue(Setting setting, std::uint64_t value) noexcept;
/// The word of a kWord setting. `index` as from ReadChoice; "" for an index without a word.
std::string_view WriteChoice(Setting setting, unsigned char index) noexcept;

}  // namespace csink
