#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// File: protocol buffers' wire format (protobuf.dev, "Encoding"), as much as pprof needs.

namespace csink::report {

/// One message, field by field. Numbers that are 0 and texts that are empty are left out: that is
/// what a reader takes a missing field for.
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
  /// Behind one another, as packed fields are.
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
