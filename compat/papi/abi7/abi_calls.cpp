/// File: the functions whose meaning depends on the caller's version of PAPI, and 7.0's entry
/// points to them. Options that only PAPI 3.5 has are sorted out here, too (abi35/options.h).

#include "compat/papi/abi7/abi_calls.h"

#include <array>
#include <memory>

#include "compat/papi/abi35/options.h"
#include "compat/papi/abi7/caller_abi.h"
#include "compat/papi/abi7/layout_72.h"
#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/threads/thread_context.h"

namespace csink::papi {
namespace {

constexpr int kPartial72 = -28;  // PAPI_PARTIAL

Abi AbiFor(int entered, const void* caller) noexcept {
  return AbiOfCaller(caller, static_cast<Abi>(entered));
}

/// As DescribeComponent, in 7.2's layout. Under the library's lock.
const ComponentInfo72* Describe72(int index) {
  // Allocated on first use, and never freed: programs keep the pointer.
  static auto& described = *new std::array<std::unique_ptr<ComponentInfo72>, kMaxComponents>;
  const PAPI_component_info_t* info = DescribeComponent(index);
  if (info == nullptr) return nullptr;
  auto& kept = described[static_cast<std::size_t>(index)];
  if (!kept) kept = std::make_unique<ComponentInfo72>();
  ToLayout72(*info, *kept);
  return kept.get();
}

/// As GetComponentInfo (calls/components.cpp), in 7.2's layout.
const ComponentInfo72* ComponentInfoOf72(int index) noexcept {
  const ComponentInfo72* info = nullptr;
  AtCBoundary([&] {
    const LibraryLock held;
    if (!held.held()) return kBusy;
    info = Describe72(index);
    return info ? PAPI_OK : PAPI_ENOCMP;
  });
  return info;
}

/// Translates the answer of PAPI_get_opt and PAPI_get_cmp_opt. The caller is looked up for the two
/// options that differ alone, because handlers may ask for other options (csink_papi.h) and the
/// look-up is not signal-safe.
int FinishOption(int entered, const void* caller, int option, PAPI_option_t* value, int component,
                 int answer) noexcept {
  if (option == PAPI_LIB_VERSION && answer == PAPI_VERSION) {
    return PAPI_VERSION_NUMBER(7, static_cast<int>(AbiFor(entered, caller)) % 10, 0, 0);
  }
  if (option != PAPI_COMPONENTINFO || answer != PAPI_OK) return answer;
  if (!HasLayout72(AbiFor(entered, caller))) return answer;
  // The member is a pointer in both versions; the structures behind it differ.
  value->cmp_info = reinterpret_cast<PAPI_component_info_t*>(
      const_cast<ComponentInfo72*>(ComponentInfoOf72(component)));
  return value->cmp_info ? PAPI_OK : PAPI_ENOCMP;
}

/// A step of an enumeration, which ends before the presets that the header of the version does not
/// have: they are the last ones. A program that asks for one of them by its name gets it.
template <class Step>
int UpToLastOf(Abi abi, int* code, Step step) noexcept {
  const int from = code ? *code : 0;
  const int answer = step();
  if (answer != PAPI_OK || FamilyOf(*code) != EventFamily::kPreset) return answer;
  if ((*code & PAPI_PRESET_AND_MASK) < PresetsOf(abi)) return answer;
  *code = from;
  return PAPI_ENOEVNT;
}

/// `enumerate` does the step with a modifier of 7.0; -1 is no modifier and makes it fail with the
/// usual code and message. The kind of event is taken from *code, because some modifiers of 7.2 are
/// for presets alone.
template <class Enumerate>
int EnumerateAs72(const int* code, int modifier, Enumerate enumerate) noexcept {
  const bool preset = code != nullptr && FamilyOf(*code) == EventFamily::kPreset;
  const Step72 step = StepOf72(modifier, preset);
  switch (step.kind) {
    case Step72::Kind::kAs70:
      return enumerate(step.modifier);
    case Step72::Kind::kFirstOfComponents:
      // No component has presets: the end of an empty list. This is not an error for the debug
      // handler.
      return TheLibrary().ready() ? PAPI_ENOEVNT : enumerate(PAPI_ENUM_FIRST);
    case Step72::Kind::kUnknown:
      break;
  }
  return enumerate(-1);
}

}  // namespace
}  // namespace csink::papi

using csink::papi::Abi;

void papi_abi_loaded(int abi) { csink::papi::AbiLoaded(static_cast<Abi>(abi)); }

int papi_abi_library_init(int entered, const void* caller, int version) {
  return csink::papi::InitializeLibrary(version,
                                        static_cast<int>(csink::papi::AbiFor(entered, caller)));
}

int papi_abi_get_opt(int entered, const void* caller, int option, void* value) {
  auto* const out = static_cast<PAPI_option_t*>(value);
  if (csink::papi::IsOption35(option)) return csink::papi::GetOption35(option, out);
  const int answer = csink::papi::GetOption(option, out);
  return csink::papi::FinishOption(entered, caller, option, out, 0, answer);
}

int papi_abi_get_cmp_opt(int entered, const void* caller, int option, void* value, int cidx) {
  auto* const out = static_cast<PAPI_option_t*>(value);
  // With a component, 7.0's option is meant.
  if (csink::papi::IsDefault35(option)) option -= PAPI_35_OPTION;
  const int answer = csink::papi::GetComponentOption(option, out, cidx);
  return csink::papi::FinishOption(entered, caller, option, out, cidx, answer);
}

int papi_abi_enum_event(int entered, const void* caller, int* code, int modifier) {
  const Abi abi = csink::papi::AbiFor(entered, caller);
  const auto next = [&](int step) {
    return csink::papi::UpToLastOf(abi, code,
                                   [&] { return csink::papi::EnumerateEvents(code, step); });
  };
  if (!csink::papi::HasLayout72(abi)) return next(modifier);
  return csink::papi::EnumerateAs72(code, modifier, next);
}

int papi_abi_enum_cmp_event(int entered, const void* caller, int* code, int modifier, int cidx) {
  const Abi abi = csink::papi::AbiFor(entered, caller);
  const auto next = [&](int step) {
    return csink::papi::UpToLastOf(
        abi, code, [&] { return csink::papi::EnumerateEventsOf(code, step, cidx); });
  };
  if (!csink::papi::HasLayout72(abi)) return next(modifier);
  return csink::papi::EnumerateAs72(code, modifier, next);
}

int papi_abi_get_event_info(int entered, const void* caller, int code, void* info) {
  const Abi abi = csink::papi::AbiFor(entered, caller);
  if (!csink::papi::HasLayout72(abi) || info == nullptr) {
    return csink::papi::GetEventInfo(code, static_cast<PAPI_event_info_t*>(info));
  }
  // A caller of 7.2 or 7.3 has the larger structure. It is written after success only.
  PAPI_event_info_t found;
  const int answer = csink::papi::GetEventInfo(code, &found);
  if (answer == PAPI_OK) ToLayout72(found, *static_cast<csink::papi::EventInfo72*>(info));
  return answer;
}

const void* papi_abi_get_component_info(int entered, const void* caller, int cidx) {
  if (!csink::papi::HasLayout72(csink::papi::AbiFor(entered, caller))) {
    return csink::papi::GetComponentInfo(cidx);
  }
  return csink::papi::ComponentInfoOf72(cidx);
}

char* papi_abi_strerror(int entered, const void* caller, int code) {
  if (code != csink::papi::kPartial72 ||
      !csink::papi::HasLayout72(csink::papi::AbiFor(entered, caller))) {
    return PAPI_strerror(code);
  }
  static char sentence[] = "The component works partially; see its partially_disabled_reason";
  return sentence;
}

// ---- 7.0's entries ------------------------------------------------------------------------------
// noinline: __builtin_return_address(0) must be in the caller's module.

[[gnu::noinline]] int PAPI_library_init(int version) {
  return papi_abi_library_init(70, __builtin_return_address(0), version);
}

[[gnu::noinline]] int PAPI_get_opt(int option, PAPI_option_t* ptr) {
  return papi_abi_get_opt(70, __builtin_return_address(0), option, ptr);
}

[[gnu::noinline]] int PAPI_get_cmp_opt(int option, PAPI_option_t* ptr, int cidx) {
  return papi_abi_get_cmp_opt(70, __builtin_return_address(0), option, ptr, cidx);
}

[[gnu::noinline]] int PAPI_enum_event(int* EventCode, int modifier) {
  return papi_abi_enum_event(70, __builtin_return_address(0), EventCode, modifier);
}

[[gnu::noinline]] int PAPI_enum_cmp_event(int* EventCode, int modifier, int cidx) {
  return papi_abi_enum_cmp_event(70, __builtin_return_address(0), EventCode, modifier, cidx);
}

[[gnu::noinline]] int PAPI_get_event_info(int EventCode, PAPI_event_info_t* info) {
  return papi_abi_get_event_info(70, __builtin_return_address(0), EventCode, info);
}

[[gnu::noinline]] const PAPI_component_info_t* PAPI_get_component_info(int cidx) {
  return static_cast<const PAPI_component_info_t*>(
      papi_abi_get_component_info(70, __builtin_return_address(0), cidx));
}
