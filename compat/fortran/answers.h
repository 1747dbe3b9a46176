#pragma once

#include "compat/fortran/text.h"

namespace csink::fortran {

/// \file What papif.table calls where no function of papi.h answers alone. All are over papi.h.
/// Each fills its arguments only when it succeeds, texts with blanks where it fails, and returns
/// PAPI_OK or what the function of papi.h fails with.
/// Threads: any. Signals: not safe.

/// PAPI_set_opt(PAPI_DOMAIN).
int SetEventDomain(int event_set, int domain) noexcept;
/// `mode`: PAPI_DEFDOM, the default of component 0, or PAPI_DOMAIN, the set's own; else
/// PAPI_EINVAL.
int Domain(int event_set, int& domain, int mode) noexcept;
/// The same of PAPI_DEFGRN and PAPI_GRANUL.
int Granularity(int event_set, int& granularity, int mode) noexcept;
int SetInherit(int inherit) noexcept;
/// In MHz, or a negative code.
int ClockRate() noexcept;
/// The variable that lists libraries to preload.
int Preload(OutText& variable) noexcept;

/// `count`: native events that it is made of. `flags`: PAPI_DERIVED, or 0.
int EventInfo(int code, OutText& symbol, OutText& long_descr, OutText& short_descr, int& count,
              OutText& note, int& flags) noexcept;

/// Numbers stay as they were where nothing is known.
void HardwareInfo(int& ncpu, int& nnodes, int& totalcpus, int& vendor, OutText& vendor_string,
                  int& model, OutText& model_string, float& revision, float& mhz) noexcept;
int ExecutableInfo(OutText& fullname, OutText& name, long long& text_start, long long& text_end,
                   long long& data_start, long long& data_end, long long& bss_start,
                   long long& bss_end) noexcept;
/// Writes all of PAPIF_DMEM_MAXVAL numbers.
int MemoryInfo(long long* numbers) noexcept;

/// Kinds of devices, one a call, by handles from 0 to PAPI_DEV_TYPE_ID__MAX_NUM - 1.
int NextDeviceType(int modifier, int& handle) noexcept;
/// A number goes to `value`, a text to `text`; the other of them stays.
int DeviceTypeAttribute(int handle, int attribute, int& value, OutText& text) noexcept;
int DeviceAttribute(int handle, int id, int attribute, int& value, OutText& text) noexcept;

}  // namespace csink::fortran
