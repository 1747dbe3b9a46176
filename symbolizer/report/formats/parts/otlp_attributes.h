#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "symbolizer/report/formats/parts/strings.h"

/// File: attributes of OTLP: of resources, and of the dictionary.

namespace csink::report::otlp {

/// A value of an attribute. Texts need not be UTF-8; they are cleaned when they are written
/// (CleanName).
using Value = std::variant<std::string, bool, std::int64_t, double, std::vector<std::string>>;

/// The value of a count or a time: the largest signed number if it is larger.
Value NumberValue(std::uint64_t number);

/// An encoded AnyValue.
std::string Encode(const Value& value);

/// An encoded KeyValue, as resources have them.
std::string Encode(std::string_view key, const Value& value);

/// Numbers of attributes in the dictionary's table.
using AttributeIds = std::vector<std::uint32_t>;

/// The dictionary's table of attributes: each key, value and unit once. Number 0 is the empty
/// attribute.
/// Threads: one at a time.
class AttributeTable {
 public:
  /// Keys and units are put into `strings`, which must outlive the table.
  explicit AttributeTable(Strings& strings) : strings_(strings) {}

  /// The number of an attribute. `unit` is that of the value in UCUM ("ns", "Hz"), or empty. Key
  /// and unit must live as long as the table of strings.
  std::uint32_t Id(std::string_view key, const Value& value, std::string_view unit = {});

  /// The encoded KeyValueAndUnit messages, in the order of their numbers from 1 on.
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  Strings& strings_;
  std::vector<std::string> messages_;
  std::unordered_map<std::string, std::uint32_t> ids_;  ///< By encoded message
};

}  // namespace csink::report::otlp
