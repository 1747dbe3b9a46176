#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// File: the standard presets of PAPI 7.3: names, descriptions and classes. They are the same on
/// every machine.
/// Their order is part of the ABI: the code of preset i is kPresetMask | i (papiStdEventDefs.h of
/// PAPI 7.3, whose first 108 are those of 7.0; a test compares them). preset_table.h defines what a
/// machine counts for them. Threads: any. Signals: safe.

namespace csink {

/// Bits of an event's code (docs/design/papi.md). The second mask contains the first.
inline constexpr std::uint32_t kPresetMask = 0x80000000u;     ///< PAPI_PRESET_MASK
inline constexpr std::uint32_t kUserEventMask = 0xC0000000u;  ///< PAPI_UE_MASK
inline constexpr std::size_t kStandardPresetCount = 110;      ///< PAPI_END_idx

/// The topics of a preset, with the values of PAPI_PRESET_BIT_* (PAPI_event_info_t::event_type). A
/// preset has one or more. Listings by topic (PAPI_enum_event) use them.
enum PresetClass : std::uint32_t {
  kPresetMisc = 1u << 3,
  kPresetInstructions = 1u << 4,
  kPresetIdle = 1u << 5,
  kPresetBranch = 1u << 6,
  kPresetConditional = 1u << 7,
  kPresetMemory = 1u << 8,
  kPresetCache = 1u << 9,
  kPresetL1 = 1u << 10,
  kPresetL2 = 1u << 11,
  kPresetL3 = 1u << 12,
  kPresetTlb = 1u << 13,
  kPresetFloat = 1u << 14,
};

/// One preset. The texts live as long as the process.
struct StandardPreset {
  std::string_view name;  ///< "PAPI_L1_DCM"
  /// At most 63 bytes, as PAPI_event_info_t holds them.
  std::string_view short_description;
  /// One sentence.
  std::string_view long_description;
  std::uint32_t classes = 0;  ///< PresetClass bits
};

/// Preset number `index`, which must be below kStandardPresetCount. The reference is valid as long
/// as the process.
const StandardPreset& StandardPresetAt(std::size_t index) noexcept;

/// The index of a preset, by exact case; kStandardPresetCount: there is none. Takes constant time
/// (a hash table): each look-up of an event's name begins here.
std::size_t StandardPresetIndex(std::string_view name) noexcept;

/// Whether presets-software.csv defines this preset by a software event. For messages that
/// recommend that file where a preset cannot be counted.
bool HasSoftwareEvent(std::string_view name) noexcept;

/// The nearest name of a standard preset, for a hint to the user; "": none is close, or the name is
/// longer than 20 bytes.
std::string_view NearestStandardPreset(std::string_view name) noexcept;

}  // namespace csink
