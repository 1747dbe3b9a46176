#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// File: writes the wire format of protocol buffers (protobuf.dev, "Encoding"), as far as pprof
/// needs it: varints (wire type 0) and length-delimited fields (wire type 2). These two need no
/// library.

namespace csink::report {

/// One message, field by field. Fields that are 0 or empty are left out, because readers use these
/// values for missing fields.
class ProtoMessage {
 public:
  /// Appends a varint field. Left out if the value is 0.
  ProtoMessage& Number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return *this;
    Varint(std::uint64_t{field} << 3);
    Varint(value);
    return *this;
  }
  /// Appends a string, a packed array or a message. Not left out if empty: an entry of the string
  /// table may be empty.
  ProtoMessage& Bytes(std::uint32_t field, std::string_view bytes) {
    Varint(std::uint64_t{field} << 3 | kLengthDelimited);
    Varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  /// Appends a nested message.
  ProtoMessage& Message(std::uint32_t field, const ProtoMessage& message) {
    return Bytes(field, message.bytes_);
  }
  /// A number without a tag, as in packed fields: seven bits a byte, the lowest first, bit 7 set in
  /// all bytes but the last.
  ProtoMessage& Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
    return *this;
  }
  /// The encoded message.
  const std::string& bytes() const { return bytes_; }
  /// Empties the message and keeps its memory for the next one.
  void Clear() { bytes_.clear(); }

 private:
  /// Wire type 2: the value begins with its length in bytes.
  static constexpr std::uint64_t kLengthDelimited = 2;
  std::string bytes_;
};

}  // namespace csink::report
