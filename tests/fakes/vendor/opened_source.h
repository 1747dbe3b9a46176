#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/components/device/device_source.h"

namespace csink::testing {

/// A source, opened, whose events are read by name.
class OpenedSource {
 public:
  explicit OpenedSource(std::unique_ptr<DeviceSource> source) : source_(std::move(source)) {
    const Result<void> opened = source_->Open(reason_);
    error_ = opened.error();
  }

  bool opened() const { return error_.code == Errc::kOk; }
  const Error& error() const { return error_; }
  const std::string& reason() const { return reason_; }
  const std::vector<Error>& errors() const { return errors_; }
  DeviceSource& source() { return *source_; }

  const DeviceEvent* Find(std::string_view name) const {
    for (const DeviceEvent& event : source_->events()) {
      if (event.name == name) return &event;
      for (const std::string& alias : event.aliases) {
        if (alias == name) return &event;
      }
    }
    return nullptr;
  }

  /// All in one read; its first error is left in error(), those of all values in errors().
  std::vector<std::uint64_t> Read(std::initializer_list<std::string_view> names) {
    std::vector<std::uint32_t> places;
    for (const std::string_view name : names) {
      const DeviceEvent* const event = Find(name);
      if (!event) {
        ADD_FAILURE() << "no event " << name;
        return std::vector<std::uint64_t>(names.size());
      }
      places.push_back(static_cast<std::uint32_t>(event - source_->events().data()));
    }
    std::vector<std::uint64_t> bits(places.size());
    errors_.assign(places.size(), Error{});
    error_ = source_->Read(places, bits.data(), errors_.data()).error();
    for (const Error& error : errors_) {
      if (error_.code == Errc::kOk) error_ = error;
    }
    return bits;
  }
  std::int64_t Value(std::string_view name) { return static_cast<std::int64_t>(Read({name})[0]); }
  double Floating(std::string_view name) { return std::bit_cast<double>(Read({name})[0]); }

 private:
  std::unique_ptr<DeviceSource> source_;
  std::string reason_;
  Error error_;
  std::vector<Error> errors_;
};

}  // namespace csink::testing
