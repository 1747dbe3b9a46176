#pragma once

#include <cstdlib>

namespace csink::apapi {

/// While it exists, the components that are opened read their devices in processes of their own
/// (core/counting/components/vendor/separate_source.h): a library that crashes does not end this
/// process, and a driver that hangs in the kernel does not hold it. Programs that are started later
/// do not get the variable. Must exist before libpapi is initialised.
class SeparateDevices {
 public:
  SeparateDevices() : set_(std::getenv(kVariable) == nullptr) {
    if (set_) setenv(kVariable, "1", 0);
  }
  ~SeparateDevices() {
    if (set_) unsetenv(kVariable);
  }
  SeparateDevices(const SeparateDevices&) = delete;
  SeparateDevices& operator=(const SeparateDevices&) = delete;

 private:
  static constexpr char kVariable[] = "CSINK_VENDOR_PROCESS";
  const bool set_;  ///< False: the user has set it
};

}  // namespace csink::apapi
