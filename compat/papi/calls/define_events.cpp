/// File: PAPI 3.5's functions that define events. Errors are those of its manual
/// (PAPI_encode_events, PAPI_set_event_info).

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/events/preset_events.h"
#include "core/counting/presets/event_file.h"
#include "core/counting/presets/preset_columns.h"

namespace csink::papi {
namespace {

/// Reads a text field of a C structure. False: the field has no NUL.
template <std::size_t N>
bool TakeText(const char (&field)[N], std::string& text) {
  const void* end = std::memchr(field, 0, N);
  if (end == nullptr) return false;
  text.assign(field, static_cast<const char*>(end));
  return true;
}

/// Reads the fields that PAPI 3.5's manual names; all others of the structure are ignored. The list
/// of native names ends at the first empty one. False: a text is not terminated.
bool TakeInfo(const PAPI_event_info_t& info, PresetRequest& request, std::string& derived) {
  if (!TakeText(info.symbol, request.name) || !TakeText(info.derived, derived) ||
      !TakeText(info.postfix, request.formula) ||
      !TakeText(info.short_descr, request.short_description) ||
      !TakeText(info.long_descr, request.long_description) || !TakeText(info.note, request.note)) {
    return false;
  }
  for (const auto& name : info.name) {
    std::string native;
    if (!TakeText(name, native)) return false;
    if (native.empty()) break;
    request.bases.push_back(std::move(native));
  }
  return true;
}

/// PAPI_set_event_info. The type of the event is decided by its name: that of a preset redefines
/// the preset, any other defines a user event. `*code` is set on success only.
int SetEventInfo(const PAPI_event_info_t* info, int* code, bool replace) {
  if (info == nullptr || code == nullptr) return PAPI_EINVAL;
  if ((info->event_code & PAPI_PRESET_MASK) == 0) {
    return Complain(PAPI_ENOEVNT, "only presets can be defined: event_code needs PAPI_PRESET_MASK");
  }
  PresetRequest request;
  std::string derived;
  if (!TakeInfo(*info, request, derived)) {
    return Complain(PAPI_EINVAL, "a text in the event info is not terminated");
  }
  if (!DerivationFromName(derived, request.derivation)) {
    return Complain(PAPI_EINVAL, Printable(Quoted(derived) + " is not a derivation" +
                                           NearestHint(NearestDerivationName(derived))));
  }
  if (request.bases.empty()) {
    return Complain(PAPI_EINVAL, Printable(Quoted(request.name) + " has no native event"));
  }
  DefineFailure failure;
  std::vector<std::uint32_t> codes;
  const int defined = Presets().Define({&request, 1}, replace, failure, &codes);
  if (defined != PAPI_OK) return Complain(defined, Printable(failure.sentence));
  *code = static_cast<int>(codes.front());
  return PAPI_OK;
}

/// Stores "FILE:LINE:COLUMN: sentence" as the message.
int ComplainAt(int code, std::string_view file, int line, int column, std::string_view sentence) {
  ComplaintList complaints;
  complaints.Add(file, line, column, sentence);
  return Complain(code, complaints.Sentences().front());
}

/// PAPI_encode_events. All lines are read before anything is defined, and PresetEvents::Define
/// takes all or none, so that a mistake in the last line leaves no half of the file behind.
int EncodeEvents(const char* path, bool replace) {
  if (path == nullptr) return PAPI_EINVAL;
  std::string sentence;
  const Result<std::string> text = ReadEventFile(path, sentence);
  if (!text) {
    // A file that may not be read is PAPI_ESYS with errno: this call uses PAPI_EPERM for an event
    // that exists already.
    const bool system = text.error().sys_errno != 0 && text.error().code != Errc::kNotFound;
    errno = text.error().sys_errno;
    return ComplainAt(system ? PAPI_ESYS : PAPI_EINVAL, path, 0, 0, sentence);
  }
  ComplaintList complaints;
  std::vector<PresetColumnsLine> lines = ReadPresetColumns(path, *text, complaints);
  if (complaints.count() != 0) return Complain(PAPI_EINVAL, complaints.Sentences().front());
  std::vector<PresetRequest> requests;
  requests.reserve(lines.size());
  for (PresetColumnsLine& line : lines) requests.push_back(std::move(line.request));
  DefineFailure failure;
  const int defined = Presets().Define(requests, replace, failure, nullptr);
  if (defined == PAPI_OK || lines.empty()) return defined;
  // The failure names a request and one of its fields; the line's table gives their place in the
  // file.
  const PresetColumnsLine& wrong = lines[failure.request];
  const bool has_column = failure.column < wrong.columns.size();
  return ComplainAt(defined, path, wrong.line, has_column ? wrong.columns[failure.column] : 0,
                    failure.sentence);
}

}  // namespace
}  // namespace csink::papi

using csink::papi::AtCBoundaryOfLibrary;

int PAPI_encode_events(const char* event_file, int replace) {
  return AtCBoundaryOfLibrary([&] { return csink::papi::EncodeEvents(event_file, replace != 0); });
}

int PAPI_set_event_info(PAPI_event_info_t* info, int* EventCode, int replace) {
  return AtCBoundaryOfLibrary(
      [&] { return csink::papi::SetEventInfo(info, EventCode, replace != 0); });
}
