#include "compat/papi/abi35/options.h"

#include <cstring>
#include <limits>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/threads/last_error.h"

/// File: each option of 3.5 is carried out by GetOption or SetOption (calls/calls.h) with 7.0's
/// option and a converted value: microseconds become nanoseconds, and defaults are those of
/// component 0. That call reports its failures itself, so the functions here report only their own.

namespace csink::papi {
namespace {

constexpr int kNsPerUs = 1000;
constexpr int kMostUs = std::numeric_limits<int>::max() / kNsPerUs;  // 7.0's member is an int in ns

/// Rounded up, so that a time above 0 never becomes 0: a program that passes the value back would
/// ask for no time.
int UsOf(int ns) noexcept { return ns / kNsPerUs + (ns % kNsPerUs != 0 ? 1 : 0); }

/// PAPI_MULTIPLEX and PAPI_DEF_MPX_USEC: the time slice. A copy is used, so that `out` is unchanged
/// on a failure.
int GetTurn(int option, PAPI_option_t& out) {
  PAPI_option_t asked = out;
  const int answer = GetOption(option, &asked);
  if (answer < 0) return answer;
  out.multiplex.ns = UsOf(asked.multiplex.ns);
  // 3.5's max_degree, which lies there: number of events that may be multiplexed
  if (option == PAPI_MULTIPLEX) out.multiplex.flags = GetOption(PAPI_MAX_MPX_CTRS, nullptr);
  return answer;
}

/// The value is returned, as in 7.0, and also stored in the union, as in 3.5.
int GetDefault(int option, PAPI_option_t* out) {
  const int answer = GetOption(option, nullptr);
  if (answer < 0 || out == nullptr) return answer;
  if (option == PAPI_DEFDOM) out->defdomain.domain = answer;
  if (option == PAPI_DEFGRN) out->defgranularity.granularity = answer;
  return answer;
}

int SetTurn(int option, const PAPI_option_t& in) {
  const int us = in.multiplex.ns;
  if (us < 0 || us > kMostUs) {
    return AtCBoundary(
        [] { return Complain(PAPI_EINVAL, "the time slice must be 0 to 2147483 microseconds"); });
  }
  PAPI_option_t wanted = in;
  wanted.multiplex.ns = us * kNsPerUs;
  // max_degree was the size of a table in 3.5. Here any number of events may be multiplexed, so it
  // is ignored.
  wanted.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
  return SetOption(option, &wanted);
}

/// 3.5 had one component: the place of 7.0's component number is not initialised by its programs.
int SetDefault(int option, const PAPI_option_t& in) {
  PAPI_option_t wanted = in;
  wanted.defdomain.def_cidx = 0;  // also defgranularity's, which has the same place
  return SetOption(option, &wanted);
}

/// PAPI_SUBSTRATEINFO: stores the address of the structure.
int GetSubstrate(PAPI_option_t& out) {
  const PAPI_substrate_info_t* info = PAPI_get_substrate_info();
  if (info == nullptr) return LastFailure();
  const void* const sub_info = info;
  std::memcpy(&out, &sub_info, sizeof sub_info);  // the pointer is the first member of 3.5's union
  return PAPI_OK;
}

}  // namespace

int GetOption35(int option, PAPI_option_t* ptr) noexcept {
  if (option == PAPI_35_DEFDOM) return GetDefault(PAPI_DEFDOM, ptr);
  if (option == PAPI_35_DEFGRN) return GetDefault(PAPI_DEFGRN, ptr);
  if (ptr == nullptr || !TheLibrary().ready()) {
    return AtCBoundaryOfLibrary([] { return PAPI_EINVAL; });
  }
  if (option == PAPI_35_MULTIPLEX) return GetTurn(PAPI_MULTIPLEX, *ptr);
  if (option == PAPI_35_DEF_MPX_USEC) return GetTurn(PAPI_DEF_MPX_NS, *ptr);
  return GetSubstrate(*ptr);
}

int SetOption35(int option, const PAPI_option_t* ptr) noexcept {
  if (ptr == nullptr || !TheLibrary().ready()) {
    return AtCBoundaryOfLibrary([] { return PAPI_EINVAL; });
  }
  if (option == PAPI_35_DEFDOM) return SetDefault(PAPI_DEFDOM, *ptr);
  if (option == PAPI_35_DEFGRN) return SetDefault(PAPI_DEFGRN, *ptr);
  if (option == PAPI_35_MULTIPLEX) return SetTurn(PAPI_MULTIPLEX, *ptr);
  if (option == PAPI_35_DEF_MPX_USEC) return SetTurn(PAPI_DEF_MPX_NS, *ptr);
  return AtCBoundary([] { return Complain(PAPI_EINVAL, "the substrate cannot be set"); });
}

}  // namespace csink::papi

// PAPI_get_opt is in abi7/abi_calls.cpp, because its answers also depend on the version of PAPI.
int PAPI_set_opt(int option, PAPI_option_t* ptr) {
  using namespace csink::papi;
  return IsOption35(option) ? SetOption35(option, ptr) : SetOption(option, ptr);
}
