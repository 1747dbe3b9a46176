#pragma once

#include <cstddef>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>

/// File: what the writers of pprof and OTLP add to protozero, which encodes protocol buffers.

namespace csink::report {

/// Writes a varint field unless its value is 0, which readers use for missing fields.
inline void AddNumber(protozero::pbf_writer& message, std::uint32_t field, std::uint64_t value) {
  if (value != 0) message.add_uint64(field, value);
}

/// A message of tables with many entries. It is encoded in a buffer of its own, so that its length
/// is known when it is appended to the table: a nested pbf_writer makes room for the longest length
/// and moves the message afterwards, which takes a third of the time of such a table.
/// Owns:    the buffer, which Clear keeps.
class SmallMessage {
 public:
  void Clear() { size_ = 0; }
  std::string_view bytes() const { return {buffer_.data(), size_}; }

  /// A varint field, also if its value is 0.
  void AddVarint(std::uint32_t field, std::uint64_t value) {
    Reserve(2 * protozero::max_varint_length);
    PutTag(field, protozero::pbf_wire_type::varint);
    Put(value);
  }
  /// As report::AddNumber.
  void AddNumber(std::uint32_t field, std::uint64_t value) {
    if (value != 0) AddVarint(field, value);
  }
  /// A text or a message.
  void AddBytes(std::uint32_t field, std::string_view bytes) {
    Reserve(2 * protozero::max_varint_length + bytes.size());
    PutTag(field, protozero::pbf_wire_type::length_delimited);
    Put(bytes.size());
    bytes.copy(&buffer_[size_], bytes.size());
    size_ += bytes.size();
  }
  /// Fields that are encoded already.
  void AddEncoded(std::string_view fields) {
    Reserve(fields.size());
    fields.copy(&buffer_[size_], fields.size());
    size_ += fields.size();
  }
  /// A packed field; nothing if there are no numbers.
  template <class Numbers>
  void AddPacked(std::uint32_t field, const Numbers& numbers) {
    if (numbers.empty()) return;
    std::size_t length = 0;
    for (const std::uint64_t number : numbers) length += LengthOf(number);
    Reserve(2 * protozero::max_varint_length + length);
    PutTag(field, protozero::pbf_wire_type::length_delimited);
    Put(length);
    for (const std::uint64_t number : numbers) Put(number);
  }
  /// Appends the message to `table` as its field `field`, also if it is empty.
  void AppendTo(std::string& table, std::uint32_t field) const {
    char head[2 * protozero::max_varint_length];
    char* end = head;
    end += protozero::add_varint_to_buffer(
        end, protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited));
    end += protozero::add_varint_to_buffer(end, size_);
    table.append(head, static_cast<std::size_t>(end - head));
    table.append(buffer_, 0, size_);
  }

 private:
  static std::size_t LengthOf(std::uint64_t number) {
    std::size_t length = 1;
    for (; number >= 0x80; number >>= 7) ++length;
    return length;
  }
  void Reserve(std::size_t more) {
    if (buffer_.size() - size_ < more) buffer_.resize(2 * buffer_.size() + more);
  }
  void PutTag(std::uint32_t field, protozero::pbf_wire_type type) {
    Put(protozero::tag_and_type(field, type));
  }
  /// There is room for it.
  void Put(std::uint64_t number) {
    size_ += static_cast<std::size_t>(protozero::add_varint_to_buffer(&buffer_[size_], number));
  }

  std::string buffer_;
  std::size_t size_ = 0;
};

}  // namespace csink::report
