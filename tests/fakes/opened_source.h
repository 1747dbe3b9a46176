#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "core/counting/components/device/device_source.h"

namespace csink::testing {

/// A source that has been opened, asked by the names of its events.
class OpenedSource {
 public:
  explicit OpenedSource(std::unique_ptr<DeviceSource> source) : source_(std::move(source)) {
    result_ = source_->Open(reason_);
  }

  bool ok() const { return result_.has_value(); }
  const std::string& reason() const { return reason_; }
  DeviceSource& source() { return *source_; }

  /// nullptr: there is no such event.
  const DeviceEvent* Find(const std::string& name) const {
    for (const DeviceEvent& event : source_->events()) {
      if (event.name == name && !event.hidden) return &event;
    }
    return nullptr;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const DeviceEvent& event : source_->events()) {
      if (!event.hidden) names.push_back(event.name);
    }
    return names;
  }
  Result<std::uint64_t> Try(const std::string& name) {
    const DeviceEvent* event = Find(name);
    if (event == nullptr) return Error{Errc::kNoEvent, 0, "no such event"};
    const auto place = static_cast<std::uint32_t>(event - source_->events().data());
    std::uint64_t bits = 0;
    Error error;
    const Result<void> read = source_->Read({&place, 1}, &bits, &error);
    if (!read) return read.error();
    // kLost: the value is valid.
    if (error.code != Errc::kOk && error.code != Errc::kLost) return error;
    return bits;
  }
  std::uint64_t Value(const std::string& name) {
    const Result<std::uint64_t> value = Try(name);
    EXPECT_TRUE(value) << name << ": " << value.error().what;
    return value ? *value : 0xdeadbeef;
  }
  double Floating(const std::string& name) { return std::bit_cast<double>(Value(name)); }

 private:
  std::unique_ptr<DeviceSource> source_;
  Result<void> result_;
  std::string reason_;
};

}  // namespace csink::testing
