#include "compat/utils/header.h"

#include <csink_papi.h>
#include <papi.h>
#include <sys/utsname.h>

#include <cstdio>

#include "compat/utils/message.h"
#include "compat/utils/text.h"

/// File: the head that PAPI's tools print: layout and words of papi-tools 7.0, so that programs
/// that read the tools' output find the same lines.

namespace csink::utils {
namespace {

// A negative value is an error code of PAPI_get_opt.
void PrintLimit(const char* label, int value) {
  if (value >= 0) {
    std::printf("%s : %d\n", label, value);
  } else {
    std::printf("%s : PAPI error %d: %s\n", label, value, PAPI_strerror(value));
  }
}

// Whether counters are read without a system call.
bool ReadsInUserSpace() {
  // With our library the option answers at once; the component's description, which other libraries
  // need, lists all events.
  if (const int reads = PAPI_get_opt(CSINK_PAPI_USER_READS, nullptr); reads >= 0) return reads != 0;
  PAPI_option_t option = {};
  return PAPI_get_opt(PAPI_COMPONENTINFO, &option) == PAPI_OK && option.cmp_info &&
         option.cmp_info->fast_counter_read;
}

// The lines of the processor. Lines of numbers that are not known are left out, as in PAPI's tool.
void PrintProcessor(const PAPI_hw_info_t& hardware) {
  std::printf("Vendor string and code   : %s (%d, 0x%x)\n", hardware.vendor_string, hardware.vendor,
              static_cast<unsigned>(hardware.vendor));
  std::printf("Model string and code    : %s (%d, 0x%x)\n", hardware.model_string, hardware.model,
              static_cast<unsigned>(hardware.model));
  std::printf("CPU revision             : %f\n", static_cast<double>(hardware.revision));
  // 0 where the processor has no CPUID. The same holds for the numbers below that are tested.
  if (hardware.cpuid_family > 0) {
    std::printf("CPUID                    : Family/Model/Stepping %d/%d/%d, 0x%02x/0x%02x/0x%02x\n",
                hardware.cpuid_family, hardware.cpuid_model, hardware.cpuid_stepping,
                static_cast<unsigned>(hardware.cpuid_family),
                static_cast<unsigned>(hardware.cpuid_model),
                static_cast<unsigned>(hardware.cpuid_stepping));
  }
  std::printf("CPU Max MHz              : %d\n", hardware.cpu_max_mhz);
  std::printf("CPU Min MHz              : %d\n", hardware.cpu_min_mhz);
  std::printf("Total cores              : %d\n", hardware.totalcpus);
  if (hardware.threads > 0) std::printf("SMT threads per core     : %d\n", hardware.threads);
  if (hardware.cores > 0) std::printf("Cores per socket         : %d\n", hardware.cores);
  if (hardware.sockets > 0) std::printf("Sockets                  : %d\n", hardware.sockets);
  std::printf("Cores per NUMA region    : %d\n", hardware.ncpu);
  std::printf("NUMA regions             : %d\n", hardware.nnodes);
  std::printf("Running in a VM          : %s\n", hardware.virtualized ? "yes" : "no");
  if (hardware.virtualized) {
    std::printf("VM Vendor                : %s\n", hardware.virtual_vendor_string);
  }
}

constexpr char kRule[] =
    "--------------------------------------------------------------------------------";

}  // namespace

bool PrintHeader(const Tool& tool, const char* title) {
  const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
  if (!hardware) return Say(tool, "the library does not describe the hardware"), false;
  const Colours& colour = Colour();
  std::printf("%s%s%s\n%s\n", colour.bold, title, colour.off, kRule);
  // The version of the header, as in PAPI's own tools.
  std::printf("PAPI version             : %d.%d.%d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION),
              PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
              PAPI_VERSION_INCREMENT(PAPI_VERSION));
  // uname(2), as the library has no function for the system.
  utsname system = {};
  uname(&system);
  std::printf("Operating system         : %s %s\n", system.sysname, system.release);
  PrintProcessor(*hardware);
  PrintLimit("Number Hardware Counters", PAPI_get_opt(PAPI_MAX_HWCTRS, nullptr));
  PrintLimit("Max Multiplex Counters  ", PAPI_get_opt(PAPI_MAX_MPX_CTRS, nullptr));
  std::printf("Fast counter read (rdpmc): %s\n%s\n\n", ReadsInUserSpace() ? "yes" : "no", kRule);
  return true;
}

}  // namespace csink::utils
