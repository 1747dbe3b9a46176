#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/counting/components/device/device_source.h"

/// File: messages between a source and the process that serves it (separate_source.h). Both are the
/// same program, so numbers have its layout.

namespace csink {

/// Appends values to a message.
class MessageWriter {
 public:
  template <class T>
  void Add(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void AddText(std::string_view text) {
    Add(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  template <class T>
  void AddNumbers(std::span<const T> numbers) {
    AddText({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  }
  void AddEvent(const DeviceEvent& event);

  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes the values of a message in the order in which they were added. What a message that is too
/// short lacks is 0 or empty, and complete() is false from then on.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) noexcept : rest_(bytes) {}

  template <class T>
  T Take() noexcept {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    T value{};
    const std::string_view bytes = TakeBytes(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string TakeText() { return std::string(TakeBytes(Take<std::uint32_t>())); }
  template <class T>
  std::vector<T> TakeNumbers() {
    const std::string_view bytes = TakeBytes(Take<std::uint32_t>());
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
    return numbers;
  }
  DeviceEvent TakeEvent();

  bool complete() const noexcept { return complete_; }

 private:
  std::string_view TakeBytes(std::size_t bytes) noexcept {
    if (bytes > rest_.size()) {
      complete_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool complete_ = true;
};

}  // namespace csink
