/// File: PAPI_get_opt and PAPI_get_cmp_opt. An option is either a number, which is the return value
/// (GetNumber), or a member of the union (GetOfLibrary, and GetOfSet for options of an event set).
/// Our own options (csink_papi.h) lay their structures over the union, whose size is checked.

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/copy_text.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/events/preset_events.h"
#include "compat/papi/sets/event_set_table.h"
#include "core/counting/catalogue/native_catalogue.h"
#include "core/counting/signals/thread_tick.h"

namespace csink::papi {
namespace {

/// Options of a set name the set in their structure; nullptr: PAPI_ENOEVST.
EventSet* SetOf(int handle) noexcept { return Sets().Find(handle); }

/// PAPI_ATTACH returns whether the set is attached, PAPI_DETACH whether it is not. The thread is
/// named as the program named it.
int GetAttachment(int option, PAPI_attach_option_t& attach) {
  const EventSet* set = SetOf(attach.eventset);
  if (set == nullptr) return PAPI_ENOEVST;
  const bool attached = set->options().attached_tid != 0;
  attach.tid = set->options().attached_id;
  return option == PAPI_ATTACH ? attached : !attached;
}

/// Returns whether the set counts a CPU. cpu_num is unchanged if it does not.
int GetCpu(PAPI_cpu_option_t& cpu) {
  const EventSet* set = SetOf(cpu.eventset);
  if (set == nullptr) return PAPI_ENOEVST;
  const int number = set->options().cpu;
  if (number >= 0) cpu.cpu_num = static_cast<unsigned>(number);
  return number >= 0;
}

int GetMultiplex(PAPI_multiplex_option_t& multiplex) {
  const EventSet* set = SetOf(multiplex.eventset);
  if (set == nullptr) return PAPI_ENOEVST;
  multiplex.ns = set->options().multiplex_ns;
  multiplex.flags = set->options().multiplex_flags;
  return set->options().multiplexed;
}

/// May be called in the set's own handler, so neither locks nor the heap are used.
int GetOverflowInfo(csink_papi_overflow_info_t& info) {
  const EventSet* set = SetOf(info.eventset);
  if (set == nullptr) return PAPI_ENOEVST;
  set->DescribeOverflow(info);
  return PAPI_OK;
}
static_assert(sizeof(csink_papi_overflow_info_t) <= sizeof(PAPI_option_t));

/// The message is cut to the caller's buffer and always terminated.
int GetLastMessage(const csink_papi_last_message_t& out) noexcept {
  if (out.text == nullptr || out.size == 0) return PAPI_EINVAL;
  const std::string_view sentence = LastSentence();
  const std::size_t length = std::min<std::size_t>(sentence.size(), out.size - 1);
  std::memcpy(out.text, sentence.data(), length);
  out.text[length] = '\0';
  return PAPI_OK;
}
static_assert(sizeof(csink_papi_last_message_t) <= sizeof(PAPI_option_t));

/// The encoding of a native event for perf_event_open(2), as this machine's tables have it. The
/// event need not be in a set.
int GetEncoding(csink_papi_event_encoding_t& out) {
  Component* component = Components().At(NativeComponent(out.event_code));
  ComponentEvent event;
  if (FamilyOf(out.event_code) != EventFamily::kNative || component == nullptr ||
      !component->Describe(NativeNumber(out.event_code), event)) {
    return PAPI_ENOEVNT;
  }
  // perf_event and perf_event_uncore; the numbers of other components are not the catalogue's.
  if (!component->name().starts_with("perf_event")) {
    return Complain(PAPI_ECMP, "only perf events have this encoding");
  }
  const auto encoded = NativeCatalogue::Get().Encode(NativeNumber(out.event_code), Complaint());
  if (!encoded) return Complain(encoded.error());
  const perf_event_attr& attr = (*encoded)->attr;
  out.type = attr.type;
  out.config = attr.config;
  out.config1 = attr.config1;
  out.config2 = attr.config2;
  return PAPI_OK;
}
static_assert(sizeof(csink_papi_event_encoding_t) <= sizeof(PAPI_option_t));

/// Whether the values of a device's or a program's event grow.
int GetAccumulates(csink_papi_event_accumulates_t& out) {
  Component* component = Components().At(NativeComponent(out.event_code));
  ComponentEvent event;
  if (FamilyOf(out.event_code) != EventFamily::kNative || component == nullptr ||
      !component->Describe(NativeNumber(out.event_code), event)) {
    return PAPI_ENOEVNT;
  }
  if (component->name().starts_with("perf_event")) {
    return Complain(PAPI_ECMP, "perf events are counts");
  }
  out.accumulates = event.accumulates ? 1 : 0;
  return PAPI_OK;
}
static_assert(sizeof(csink_papi_event_accumulates_t) <= sizeof(PAPI_option_t));

int ReadEach(const csink_papi_read_each_t& read) {
  EventSet* const set = SetOf(read.eventset);
  if (set == nullptr) return PAPI_ENOEVST;
  if (set->component() < 0) return PAPI_ENOCMP;
  if (read.values == nullptr || read.codes == nullptr) return PAPI_EINVAL;
  return set->ReadEach(read.values, read.codes);
}
static_assert(sizeof(csink_papi_read_each_t) <= sizeof(PAPI_option_t));

int GetCountedShares(const csink_papi_counted_shares_t& out) {
  const EventSet* const set = SetOf(out.eventset);
  if (set == nullptr) return PAPI_ENOEVST;
  if (out.shares == nullptr) return PAPI_EINVAL;
  set->CountedShares(out.shares);
  return PAPI_OK;
}
static_assert(sizeof(csink_papi_counted_shares_t) <= sizeof(PAPI_option_t));

int GetLacks(const csink_papi_lacks_t& out) {
  EventSet* const set = SetOf(out.eventset);
  if (set == nullptr) return PAPI_ENOEVST;
  if (out.most == nullptr) return PAPI_EINVAL;
  set->Lacks(out.most);
  return PAPI_OK;
}
static_assert(sizeof(csink_papi_lacks_t) <= sizeof(PAPI_option_t));

/// Options of one event set.
int GetOfSet(int option, PAPI_option_t& out) {
  switch (option) {
    case PAPI_ATTACH:
    case PAPI_DETACH:
      return GetAttachment(option, out.attach);
    case PAPI_CPU_ATTACH:
      return GetCpu(out.cpu);
    case PAPI_MULTIPLEX:
      return GetMultiplex(out.multiplex);
    case PAPI_DOMAIN: {
      const EventSet* set = SetOf(out.domain.eventset);
      if (set == nullptr) return PAPI_ENOEVST;
      out.domain.domain = set->options().domain;
      return PAPI_OK;
    }
    case PAPI_GRANUL: {
      const EventSet* set = SetOf(out.granularity.eventset);
      if (set == nullptr) return PAPI_ENOEVST;
      out.granularity.granularity = set->options().granularity;
      return PAPI_OK;
    }
    case CSINK_PAPI_OVERFLOW_INFO:
      return GetOverflowInfo(*reinterpret_cast<csink_papi_overflow_info_t*>(&out));
    case CSINK_PAPI_EVENT_ENCODING:
      return GetEncoding(*reinterpret_cast<csink_papi_event_encoding_t*>(&out));
    case CSINK_PAPI_EVENT_ACCUMULATES:
      return GetAccumulates(*reinterpret_cast<csink_papi_event_accumulates_t*>(&out));
    case CSINK_PAPI_COUNTED_SHARES:
      return GetCountedShares(*reinterpret_cast<csink_papi_counted_shares_t*>(&out));
    case CSINK_PAPI_LACKS:
      return GetLacks(*reinterpret_cast<csink_papi_lacks_t*>(&out));
    case CSINK_PAPI_READ_EACH:
      return ReadEach(*reinterpret_cast<csink_papi_read_each_t*>(&out));
    case PAPI_INHERIT: {
      const EventSet* set = SetOf(out.inherit.eventset);
      if (set == nullptr) return PAPI_ENOEVST;
      out.inherit.inherit = set->options().inherit;
      return PAPI_OK;
    }
    default:
      return PAPI_EINVAL;
  }
}

/// As ld.so(8) has it; blanks and colons separate LD_PRELOAD, colons LD_LIBRARY_PATH.
void GetPreload(PAPI_preload_info_t& preload) {
  CopyText(preload.lib_preload_env, "LD_PRELOAD");
  preload.lib_preload_sep = ' ';
  CopyText(preload.lib_dir_env, "LD_LIBRARY_PATH");
  preload.lib_dir_sep = ':';
}

/// The timer as the program set it; `flags` has the timer and signal that are really used.
void GetTimer(PAPI_itimer_option_t& itimer) {
  const LibraryState::Timer& timer = TheLibrary().timer;
  itimer.itimer_num = timer.number.load();
  itimer.itimer_sig = timer.signal.load();
  itimer.ns = timer.interval_ns.load();
  itimer.flags = CSINK_PAPI_ITIMER_THREAD_CPU | ThreadTick::Signal();
}

int GetUserEventsFile(PAPI_option_t& out) {
  const char* file = Presets().UserEventsFile();
  if (file == nullptr) return Complain(PAPI_EINVAL, "no file of user events has been read");
  // PAPI's interface has no const here; the caller must not write through the pointer.
  out.events_file = const_cast<char*>(file);
  return PAPI_OK;
}

/// Options of the library that are returned through the pointer.
int GetOfLibrary(int option, PAPI_option_t& out) {
  switch (option) {
    case PAPI_DEBUG:
      out.debug.level = DebugLevel();
      out.debug.handler = DebugHandler();
      return PAPI_OK;
    case PAPI_DEF_MPX_NS:
      out.multiplex.ns = TheLibrary().timer.interval_ns.load();
      return PAPI_OK;
    case PAPI_DEF_ITIMER:
      GetTimer(out.itimer);
      return PAPI_OK;
    case PAPI_DEF_ITIMER_NS:
      out.itimer.ns = TheLibrary().timer.interval_ns.load();
      return PAPI_OK;
    case PAPI_USER_EVENTS_FILE:
      return GetUserEventsFile(out);
    case PAPI_PRELOAD:
      GetPreload(out.preload);
      return PAPI_OK;
    case PAPI_HWINFO:
      // The interface has no const; the caller may not write there.
      out.hw_info = const_cast<PAPI_hw_info_t*>(PAPI_get_hardware_info());
      return out.hw_info ? PAPI_OK : PAPI_ESYS;
    case PAPI_EXEINFO:
      out.exe_info = const_cast<PAPI_exe_info_t*>(PAPI_get_executable_info());
      return out.exe_info ? PAPI_OK : PAPI_ESYS;
    case PAPI_COMPONENTINFO:
      return GetComponentOption(option, &out, 0);
    case PAPI_SHLIBINFO:
      return GetComponentOption(option, &out, 0);
    default:
      return GetOfSet(option, out);
  }
}

/// Options whose value is the return value. PAPI_EINVAL: `option` is none of these; the caller then
/// tries the others.
int GetNumber(int option, int* answer) {
  switch (option) {
    case PAPI_LIB_VERSION:
      *answer = PAPI_VERSION;
      return PAPI_OK;
    case PAPI_CLOCKRATE:
    case PAPI_MAX_CPUS: {
      const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
      if (hardware == nullptr) return PAPI_ESYS;
      *answer = option == PAPI_CLOCKRATE ? hardware->cpu_max_mhz : hardware->totalcpus;
      return PAPI_OK;
    }
    // PAPI_get_opt names no component: component 0 (perf_event) is meant.
    case PAPI_MAX_HWCTRS:
    case PAPI_MAX_MPX_CTRS:
    case PAPI_DEFDOM:
    case PAPI_DEFGRN:
      *answer = GetComponentOption(option, nullptr, 0);
      return PAPI_OK;
    case CSINK_PAPI_USER_READS:
      *answer = Components().BasicsOf(0).fast_counter_read;
      return PAPI_OK;
    default:
      return PAPI_EINVAL;
  }
}

/// Numbers are the return value, pointers are stored. `out` may be null for numbers.
int GetOfComponent(int option, PAPI_option_t* out, int index) {
  ComponentTable& components = Components();
  if (components.At(index) == nullptr) return PAPI_ENOCMP;
  switch (option) {
    case PAPI_MAX_HWCTRS:
      return components.BasicsOf(index).counters;
    case PAPI_MAX_MPX_CTRS:
      return components.BasicsOf(index).multiplexed_counters;
    case PAPI_DEFDOM:
      return components.default_domain(index);
    case PAPI_DEFGRN:
      return components.default_granularity(index);
    case PAPI_SHLIBINFO:
      if (out == nullptr) return PAPI_EINVAL;
      out->shlib_info = const_cast<PAPI_shlib_info_t*>(PAPI_get_shared_lib_info());
      return out->shlib_info ? PAPI_OK : PAPI_ESYS;
    case PAPI_COMPONENTINFO:
      if (out == nullptr) return PAPI_EINVAL;
      out->cmp_info = const_cast<PAPI_component_info_t*>(GetComponentInfo(index));
      return out->cmp_info ? PAPI_OK : PAPI_ENOCMP;
    default:
      return Complain(PAPI_EINVAL, "no option of a component has this number");
  }
}

}  // namespace

int GetOption(int option, PAPI_option_t* ptr) noexcept {
  if (option == CSINK_PAPI_LAST_MESSAGE && ptr) {  // before AtCBoundary, which clears the message
    return GetLastMessage(*reinterpret_cast<csink_papi_last_message_t*>(ptr));
  }
  return AtCBoundary([&]() -> int {
    if (option == PAPI_LIB_VERSION) return PAPI_VERSION;  // also before PAPI_library_init
    if (option == PAPI_DEBUG && ptr) return GetOfLibrary(option, *ptr);
    if (!TheLibrary().ready()) return PAPI_ENOINIT;
    int answer = 0;
    // PAPI_get_opt accepts a null pointer for the options that are numbers.
    const int numeric = GetNumber(option, &answer);
    if (numeric != PAPI_EINVAL) return numeric == PAPI_OK ? answer : numeric;
    return ptr ? GetOfLibrary(option, *ptr) : PAPI_EINVAL;
  });
}

int GetComponentOption(int option, PAPI_option_t* ptr, int component) noexcept {
  return AtCBoundaryOfLibrary([&] { return GetOfComponent(option, ptr, component); });
}

}  // namespace csink::papi

using csink::papi::AtCBoundaryOfLibrary;
using csink::papi::EventSet;
using csink::papi::Sets;

int PAPI_get_multiplex(int handle) {
  return AtCBoundaryOfLibrary([&]() -> int {
    const EventSet* set = Sets().Find(handle);
    return set ? set->options().multiplexed : PAPI_ENOEVST;
  });
}
