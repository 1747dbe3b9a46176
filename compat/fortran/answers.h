#pragma once

#include "compat/fortran/text.h"

namespace csink::fortran {

/// \file Functions that papif.table calls where one function of papi.h is not enough. They use
/// papi.h alone (SetInherit excepted). Each returns PAPI_OK or the error of the papi.h function,
/// where nothing else is said.
/// Number arguments are set on success alone; text arguments are blank after an error.
/// Threads: any. Signals: not safe.

/// PAPI_set_opt(PAPI_DOMAIN) for one event set.
int SetEventDomain(int event_set, int domain) noexcept;
/// `mode` PAPI_DEFDOM: the default domain of component 0; PAPI_DOMAIN: the domain of the set; any
/// other value: PAPI_EINVAL.
int Domain(int event_set, int& domain, int mode) noexcept;
/// As Domain, with the modes PAPI_DEFGRN and PAPI_GRANUL.
int Granularity(int event_set, int& granularity, int mode) noexcept;
/// PAPI_INHERIT_ALL or PAPI_INHERIT_NONE for event sets that are made later. PAPI_EINVAL: another
/// value.
int SetInherit(int inherit) noexcept;
/// Returns the clock rate in MHz, or a negative error.
int ClockRate() noexcept;
/// Gives the name of the environment variable that lists libraries to preload.
int Preload(OutText& variable) noexcept;

/// PAPI_get_event_info. `count`: number of native events of a preset. `flags`: PAPI_DERIVED or 0.
int EventInfo(int code, OutText& symbol, OutText& long_descr, OutText& short_descr, int& count,
              OutText& note, int& flags) noexcept;

/// PAPI_get_hardware_info. Returns no error code; the arguments are unchanged when nothing is
/// known.
void HardwareInfo(int& ncpu, int& nnodes, int& totalcpus, int& vendor, OutText& vendor_string,
                  int& model, OutText& model_string, float& revision, float& mhz) noexcept;
/// PAPI_get_executable_info. Addresses are given as numbers. PAPI_ESYS: nothing is known.
int ExecutableInfo(OutText& fullname, OutText& name, long long& text_start, long long& text_end,
                   long long& data_start, long long& data_end, long long& bss_start,
                   long long& bss_end) noexcept;
/// PAPI_get_dmem_info. Writes PAPIF_DMEM_MAXVAL elements.
int MemoryInfo(long long* numbers) noexcept;

/// The event argument of the rate calls, in any of the three ways in which programs pass it: an
/// INTEGER by reference, as all other arguments of this interface; the code by value (%VAL), which
/// PAPI 7.0's library takes; the event's name, which PAPI 7.0's man pages document. `length` is
/// used for a name alone. PAPI_NULL: the argument is none of them.
/// Threads: any. Signals: not safe.
int EventOf(const void* argument, HiddenLength length) noexcept;

/// Enumerates the types of devices, one a call. A handle is a number from 0 to
/// PAPI_DEV_TYPE_ID__MAX_NUM - 1, because Fortran cannot hold the pointers of papi.h. PAPI_EBUG: a
/// type with a number outside of this range.
int NextDeviceType(int modifier, int& handle) noexcept;
/// An attribute of a device type or of device `id`. A numeric attribute sets `value`, a text
/// attribute sets `text`; the other argument is unchanged. PAPI_EINVAL: a handle that was not
/// enumerated.
int DeviceTypeAttribute(int handle, int attribute, int& value, OutText& text) noexcept;
int DeviceAttribute(int handle, int id, int attribute, int& value, OutText& text) noexcept;

}  // namespace csink::fortran
