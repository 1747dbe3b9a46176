// APAPI_init and APAPI_destroy.
#include <cerrno>

#include "compat/apapi/defaults.h"
#include "compat/apapi/settings.h"
#include "compat/apapi/timer.h"

int APAPI_init(void) {
  return csink::apapi::AtEdge([] {
    static bool initialised = false;
    const csink::apapi::Settings settings = csink::apapi::ReadSettings();
    const int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
      csink::apapi::Warn("PAPI cannot be initialized: " + csink::apapi::PapiError(version));
      return -1;
    }
    // A second call only initialises PAPI again, unless APAPI_destroy has freed the defaults.
    // Operations that could not be read under APAPI_SOFTFAIL are tried again.
    if (!initialised || csink::apapi::TheDefaults().ops() == nullptr) {
      const bool loaded = csink::apapi::TheDefaults().Load();
      // Without the files users can still name events and operations of their own.
      if (!loaded && !settings.softfail) return -1;
      initialised = true;
    }
    // apapi.h promises errno 0 after a successful call.
    errno = 0;
    return static_cast<int>(PAPI_VER_CURRENT);
  });
}

void APAPI_destroy(void) {
  csink::apapi::TheDefaults().Forget();
  // PAPI_shutdown would wait for a read that hangs.
  if (csink_apapi_any_abandoned() == 0) PAPI_shutdown();
}
