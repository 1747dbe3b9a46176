#pragma once

#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"

namespace csink::apapi {

/// What becomes of an event that cannot be added.
enum class Absent {
  kError,    ///< -1 and a message; with APAPI_SOFTFAIL a message, and it is left out
  kLeftOut,  ///< Named when verbose
};

/// A PAPI event set.
/// Owns:    the set until Release.
class PapiSet {
 public:
  PapiSet() = default;
  ~PapiSet();
  PapiSet(const PapiSet&) = delete;
  PapiSet& operator=(const PapiSet&) = delete;

  /// PAPI_OK, -1, or PAPI's code when it makes no set.
  int Create(int component);
  /// `name` may hold '*': all events of the component that fit, in PAPI's order. What is in the set
  /// already is not added again. PAPI_OK or -1.
  int Add(const std::string& name, Absent absent);
  /// All native events of the component.
  int AddAll();

  int handle() const noexcept { return handle_; }
  /// Of the events in the set, as they were asked for.
  const std::vector<std::string>& names() const noexcept { return names_; }
  int Release() noexcept;

 private:
  int AddOne(const std::string& name, Absent absent);

  int component_ = 0;
  int handle_ = PAPI_NULL;
  std::vector<std::string> names_;
};

/// The names of a component's native events; PAPI's order.
std::vector<std::string> NativeEvents(int component);

}  // namespace csink::apapi
