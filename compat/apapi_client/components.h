#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace csink::apapi {

/// A component that is not disabled on this machine.
struct Component {
  int index = 0;     ///< PAPI's component index
  std::string name;  ///< PAPI's short name, which event lists use
};

/// What a client of libapapi measures.
struct Choice {
  std::vector<Component> components;  ///< Sorted by index, without duplicates
  bool named = false;                 ///< True: named by APAPI_CMPLIST; false: the default list
};

/// Chooses the components of APAPI_CMPLIST, or those of APAPI's default list that this machine has.
/// APAPI_init must have succeeded. `known`: the components that the client can handle; empty: any.
/// nullopt: a component that APAPI_CMPLIST names is missing, disabled or not in `known`; with
/// APAPI_SOFTFAIL it is left out instead. Prints on stderr, prefixed by `who`, what is left out:
/// one line for the default list, one line with the reason for each named component, and one line
/// for a component that lacks a device. Opens components, which may take milliseconds.
std::optional<Choice> ChooseComponents(const char* who, std::span<const std::string_view> known);

}  // namespace csink::apapi
