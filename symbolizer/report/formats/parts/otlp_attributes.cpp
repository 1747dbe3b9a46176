#include "symbolizer/report/formats/parts/otlp_attributes.h"

#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/otlp_fields.h"
#include "symbolizer/report/formats/parts/protobuf.h"
#include "symbolizer/report/formats/parts/value_scale.h"

namespace csink::report::otlp {
namespace {

/// Writes the fields of an AnyValue. The value is a `oneof`, whose chosen member is written even if
/// it is 0 or empty.
struct WriteValue {
  protozero::pbf_writer& any;

  void operator()(const std::string& text) const {
    any.add_string(any_value_field::kString, CleanName(text, {}, ' '));
  }
  void operator()(bool value) const { any.add_bool(any_value_field::kBool, value); }
  void operator()(std::int64_t value) const { any.add_int64(any_value_field::kInt, value); }
  void operator()(double value) const { any.add_double(any_value_field::kDouble, value); }
  void operator()(const std::vector<std::string>& texts) const {
    std::string array;
    protozero::pbf_writer writer(array);
    for (const std::string& text : texts) writer.add_message(array_field::kValue, Encode(text));
    any.add_message(any_value_field::kArray, array);
  }
};

}  // namespace

// OTLP has signed numbers of 64 bits.
Value NumberValue(std::uint64_t number) { return static_cast<std::int64_t>(ClampToSigned(number)); }

std::string Encode(const Value& value) {
  std::string bytes;
  protozero::pbf_writer any(bytes);
  std::visit(WriteValue{any}, value);
  return bytes;
}

std::string Encode(std::string_view key, const Value& value) {
  std::string bytes;
  protozero::pbf_writer attribute(bytes);
  attribute.add_string(key_value_field::kKey, CleanName(key, {}, ' '));
  attribute.add_message(key_value_field::kValue, Encode(value));
  return bytes;
}

std::uint32_t AttributeTable::Id(std::string_view key, const Value& value, std::string_view unit) {
  std::string bytes;
  protozero::pbf_writer attribute(bytes);
  AddNumber(attribute, attribute_field::kKey, strings_.Id(key));
  attribute.add_message(attribute_field::kValue, Encode(value));
  AddNumber(attribute, attribute_field::kUnit, strings_.Id(unit));
  // Entry 0 of each table stands for "none". Equal messages are one entry.
  const auto next = static_cast<std::uint32_t>(messages_.size() + 1);
  const auto [it, is_new] = ids_.emplace(bytes, next);
  if (is_new) messages_.push_back(std::move(bytes));
  return it->second;
}

}  // namespace csink::report::otlp
