#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "profil/reading/model/profile.h"

namespace csink::report {

inline constexpr std::size_t kNoPlace = SIZE_MAX;

/// Index into Profile::places, which are sorted by address first, of the first place of an address;
/// kNoPlace: none has it.
inline std::size_t PlaceOf(const std::vector<Place>& places, const CodeAddress& wanted) {
  const auto before = [](const CodeAddress& a, const CodeAddress& b) {
    return std::tie(a.module, a.offset) < std::tie(b.module, b.offset);
  };
  const auto it = std::lower_bound(places.begin(), places.end(), wanted,
                                   [&](const Place& place, const CodeAddress& address) {
                                     return before(place.address, address);
                                   });
  if (it == places.end() || before(wanted, it->address)) return kNoPlace;
  return static_cast<std::size_t>(it - places.begin());
}

}  // namespace csink::report
