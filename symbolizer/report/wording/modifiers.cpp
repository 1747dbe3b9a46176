#include "symbolizer/report/wording/modifiers.h"

namespace csink::report {

std::string PrivilegeModifiers(const std::string& name) {
  const auto colon = name.rfind(':');
  if (colon == std::string::npos) return "";
  std::string modifiers = name.substr(colon + 1);
  return modifiers.find_first_not_of("ukhpPGH") == std::string::npos ? modifiers : "";
}

}  // namespace csink::report
