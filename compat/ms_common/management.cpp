#include <cstdio>
#include <exception>

#include "compat/apapi_client/message.h"
#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/session.h"

/// File: libmeasure's calls that control a measurement. No exception leaves them, and none ends the
/// program.

namespace {

using csink::ms::Session;

// An exception becomes a line on stderr, and the call has no effect.
template <class Body>
void AtEdge(Body body) noexcept {
  try {
    body();
  } catch (const std::exception& error) {
    csink::apapi::Say(csink::ms::kWho, error.what());
  }
}

// On stdout and in upstream's words.
void SayNotAvailable(const char* function) {
  std::printf("MS_COMMON_APAPI: %s is not available in ms_common_apapi.\n", function);
}

}  // namespace

// The caller gets a structure inside the Session, which ms_fini destroys.
MS_SYSTEM* ms_init(MS_VERSION*, cpu_governor, uint64_t, uint64_t, gpu_frequency,
                   ipmi_timeout_setting, skip_ms_rate, lib_variant) {
  MS_SYSTEM* system = nullptr;
  AtEdge([&] {
    if (auto session = Session::Make()) system = session.release()->system();
  });
  return system;
}

// Not offered: forcing a card to be idle changes its state, and this library only reads.
void ms_init_fpga_force_idle(MS_SYSTEM*) { SayNotAvailable("ms_init_fpga_force_idle"); }

// A null system, after an ms_init that failed, is allowed in this call and in all others.
void ms_fini(MS_SYSTEM* system) {
  AtEdge([&] { delete Session::Of(system); });
}

// The list is the program's. It does not belong to the session and may outlive it.
MS_LIST* ms_alloc_measurement(MS_SYSTEM* system) {
  const Session* session = Session::Of(system);
  return session ? session->NewList() : nullptr;
}

void ms_free_measurement(MS_LIST* list) { deleteList(&list); }

// The interval is stored in the structures; ms_init_measurement reads it there, also where a
// program has written the fields itself.
void ms_set_timer(MS_LIST* list, int flag, uint64_t seconds, uint64_t nanoseconds,
                  uint32_t check_for_exit_interrupts) {
  AtEdge([&] {
    for (const auto& rules : csink::ms::AllRules()) {
      void* measurement = getMeasurement(&list, rules.resource);
      // The numbers of resources are bits, so `flag` may name several.
      if ((flag & rules.resource) == 0 || !measurement) continue;
      csink::ms::SetInterval(rules, measurement, seconds * 1'000'000'000 + nanoseconds,
                             check_for_exit_interrupts);
    }
  });
}

void ms_init_measurement(MS_SYSTEM* system, MS_LIST* list, int flags) {
  AtEdge([&] {
    if (Session* session = Session::Of(system)) session->Prepare(list, flags);
  });
}

void ms_start_measurement(MS_SYSTEM* system) {
  AtEdge([&] {
    if (Session* session = Session::Of(system)) session->Start();
  });
}

void ms_stop_measurement(MS_SYSTEM* system) {
  AtEdge([&] {
    if (Session* session = Session::Of(system)) session->Stop();
  });
}

void ms_join_measurement(MS_SYSTEM* system) {
  AtEdge([&] {
    if (Session* session = Session::Of(system)) session->Join();
  });
}

void ms_fini_measurement(MS_SYSTEM*) {}  // nothing to do: ms_fini frees all

// Timers of libapapi are threads and need no signals.
void ms_reg_sighandler_start(MS_SYSTEM*, void (*)(int)) {
  SayNotAvailable("ms_reg_sighandler_start");
}

void ms_reg_sighandler_stop(MS_SYSTEM*, void (*)(int)) {
  SayNotAvailable("ms_reg_sighandler_stop");
}
