#pragma once

#include <memory>
#include <vector>

#include "compat/apapi_client/inputs.h"
#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/resource.h"

namespace csink::ms {

/// The prefix of messages on stderr.
inline constexpr const char* kWho = "ms_common_apapi";

/// The object behind an MS_SYSTEM: the measured resources, from ms_init to ms_fini.
/// Owns:    the resources and the user's files.
/// Threads: one thread.
class Session {
 public:
  /// Starts libapapi and makes the resources. nullptr, with a line on stderr: libapapi does not
  /// start, or something that the user named cannot be measured.
  static std::unique_ptr<Session> Make();
  /// The session of a system; nullptr: the system is null.
  static Session* Of(MS_SYSTEM* system) {
    return system ? static_cast<Session*>(system->mgmt) : nullptr;
  }
  MS_SYSTEM* system() noexcept { return &system_; }

  /// A new list with a structure for each resource, allocated by calloc; the caller frees it.
  /// nullptr: nothing is measured, or no memory.
  MS_LIST* NewList() const;
  /// Makes timers for the resources of `flags` that `list` contains. A resource that does not start
  /// is reported on stderr and shows zeros.
  void Prepare(MS_LIST* list, int flags);
  /// Starts all timers and waits for their first samples.
  void Start();
  /// Requests the last samples; does not wait.
  void Stop();
  /// Waits for the last samples; fills the structures.
  void Join();

 private:
  Session() = default;
  /// Makes the resources of the chosen components. False, with a line on stderr: what the user
  /// named cannot be measured.
  bool AddResources();

  apapi::Inputs inputs_;  // the event sets point into it
  std::vector<std::unique_ptr<Resource>> resources_;
  MS_CONFIG config_ = {};
  MS_SYSTEM system_ = {};
};

}  // namespace csink::ms
