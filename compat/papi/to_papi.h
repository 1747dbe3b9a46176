#pragma once

#include <cerrno>

#include "compat/papi/include/papi.h"
#include "core/util/result.h"

namespace csink::papi {

/// The PAPI code of an internal error. Total: without a default, so that the compiler warns about a
/// new Errc. kLimit has three codes: descriptors of the process or the system used up (EMFILE,
/// ENFILE) is PAPI_ESYS, another limit of the kernel (sys_errno set) is PAPI_ENOMEM, a limit of the
/// library itself is PAPI_ECOUNT. errno is not changed here (Complain in debug.h sets it).
constexpr int ToPapi(const Error& error) noexcept {
  // kInvalid, kNotFound and kCorrupt are mistakes in what the caller passed: an argument or a file.
  switch (error.code) {
    case Errc::kOk:
      return PAPI_OK;
    case Errc::kPermission:
      return PAPI_EPERM;
    case Errc::kNoEvent:
      return PAPI_ENOEVNT;
    case Errc::kConflict:
      return PAPI_ECNFLCT;
    case Errc::kLimit:
      if (error.sys_errno == EMFILE || error.sys_errno == ENFILE) return PAPI_ESYS;
      return error.sys_errno == 0 ? PAPI_ECOUNT : PAPI_ENOMEM;
    case Errc::kInvalid:
    case Errc::kNotFound:
    case Errc::kCorrupt:
      return PAPI_EINVAL;
    case Errc::kAttribute:
      return PAPI_EATTR;
    case Errc::kCombination:
      return PAPI_ECOMBO;
    case Errc::kUnsupported:
      return PAPI_ENOSUPP;
    case Errc::kLost:
      return PAPI_ECLOST;
    case Errc::kSystem:
      return PAPI_ESYS;
  }
  return PAPI_EBUG;
}

}  // namespace csink::papi
