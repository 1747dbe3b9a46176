#pragma once

#include <memory>
#include <vector>

#include "compat/apapi_client/inputs.h"
#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/resource.h"

namespace csink::ms {

inline constexpr const char* kWho = "ms_common_apapi";

/// What is behind an MS_SYSTEM: the resources that are measured, from ms_init to ms_fini.
class Session {
 public:
  /// nullptr, with a line on stderr: libapapi does not start, or what was asked for by name cannot
  /// be measured.
  static std::unique_ptr<Session> Make();
  static Session* Of(MS_SYSTEM* system) {
    return system ? static_cast<Session*>(system->mgmt) : nullptr;
  }
  MS_SYSTEM* system() noexcept { return &system_; }

  MS_LIST* NewList() const;
  /// Timers for the resources of `flags` that `list` has. One that cannot start is said and left
  /// out.
  void Prepare(MS_LIST* list, int flags);
  void Start();
  void Stop();
  void Join();

 private:
  Session() = default;
  bool AddResources();

  apapi::Inputs inputs_;  // the event sets point into it
  std::vector<std::unique_ptr<Resource>> resources_;
  MS_CONFIG config_ = {};
  MS_SYSTEM system_ = {};
};

}  // namespace csink::ms
