#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace csink::apapi {

/// A component that works here.
struct Component {
  int index = 0;     ///< PAPI's
  std::string name;  ///< PAPI's short name, by which event lists know it
};

/// What a client of libapapi measures.
struct Choice {
  std::vector<Component> components;  ///< By index, each once
  bool named = false;                 ///< By APAPI_CMPLIST; else those of the default list
};

/// The components of APAPI_CMPLIST, or those of APAPI's default list that this machine has. Needs
/// an initialised libapapi. nullopt: one that was named is not there, not usable, or not in `known`
/// (empty: any); with APAPI_SOFTFAIL it is left out. Says on stderr, as `who`, what is left out:
/// one line for the default list, a line with the reason for each that was named.
std::optional<Choice> ChooseComponents(const char* who, std::span<const std::string_view> known);

}  // namespace csink::apapi
