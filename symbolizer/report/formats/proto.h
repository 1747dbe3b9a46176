#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// File: writes the wire format of protocol buffers (protobuf.dev, "Encoding"), as far as pprof
/// needs it.

namespace csink::report {

/// One message, field by field. Fields that are 0 or empty are left out, because readers use these
/// values for missing fields.
class ProtoMessage {
 public:
  ProtoMessage& Number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return *this;
    Varint(std::uint64_t{field} << 3);
    Varint(value);
    return *this;
  }
  ProtoMessage& Bytes(std::uint32_t field, std::string_view bytes) {
    Varint(std::uint64_t{field} << 3 | kLengthDelimited);
    Varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  ProtoMessage& Message(std::uint32_t field, const ProtoMessage& message) {
    return Bytes(field, message.bytes_);
  }
  /// A number without a tag, as in packed fields.
  ProtoMessage& Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  static constexpr std::uint64_t kLengthDelimited = 2;
  std::string bytes_;
};

}  // namespace csink::report
