#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

/// File: members of a JSON report, which is not trusted: a member of another type counts as
/// missing.

namespace csink::report {

/// The number json[key]. 0 if it is missing, not a number, not finite or not positive: no number
/// that is read here may be negative.
inline double Finite(const nlohmann::json& json, const char* key) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_number()) return 0;
  const double value = it->get<double>();
  return std::isfinite(value) && value > 0 ? value : 0;
}

/// The text json[key]; "" if it is missing or not a text.
inline std::string TextIn(const nlohmann::json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

/// The array json[key]; empty if there is none.
inline const nlohmann::json& ArrayIn(const nlohmann::json& json, const char* key) {
  static const nlohmann::json kEmpty = nlohmann::json::array();
  const auto it = json.find(key);
  return it != json.end() && it->is_array() ? *it : kEmpty;
}

}  // namespace csink::report
