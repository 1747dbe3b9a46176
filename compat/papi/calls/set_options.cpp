/// File: PAPI_set_opt (abi35/options.cpp has the entry point) and the functions that set one of
/// its options. Options of an event set are changed on a copy (ChangeSet), checked, and then
/// applied by EventSet::Apply, which opens the counters anew and keeps the old options if that
/// fails.

#include <signal.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/preset_events.h"
#include "compat/papi/sets/event_set_table.h"
#include "compat/papi/threads/thread_list.h"
#include "core/util/raw_syscall.h"

namespace csink::papi {
namespace {

/// Changes the options of one event set, which must be stopped and have a component: `change` edits
/// a copy, which is then applied.
template <class F>
int ChangeSet(int handle, F change) {
  EventSet* set = Sets().Find(handle);
  if (set == nullptr) return PAPI_ENOEVST;
  if (set->component() < 0) {
    return Complain(PAPI_ENOCMP,
                    "the event set has no component yet: add an event, or call "
                    "PAPI_assign_eventset_component");
  }
  if (set->running()) return PAPI_EISRUN;
  SetOptions options = set->options();
  const int code = change(*set, options);
  return code == PAPI_OK ? set->Apply(options) : code;
}

/// The abilities of the set's component, without the list of its events, which could take
/// milliseconds.
const ComponentInfo& InfoOf(const EventSet& set) { return Components().BasicsOf(set.component()); }

/// PAPI_OK: `domain` is valid and the component supports a part of it. `wrong`: the error for a
/// number that is not a domain.
int CheckDomain(int domain, int component, int wrong) {
  if (domain < PAPI_DOM_MIN || (domain & ~PAPI_DOM_ALL) != 0) {
    return Complain(wrong,
                    "a domain must be a sum of PAPI_DOM_USER, _KERNEL, _OTHER and _SUPERVISOR");
  }
  if ((domain & Components().AvailableDomains(component)) == 0) {
    return Complain(PAPI_ENOSUPP, "the component cannot count in this domain");
  }
  return PAPI_OK;
}

/// The kernel counts threads or CPUs. It cannot count a process or a group of processes as such.
int CheckGranularity(int granularity) {
  if (granularity == PAPI_GRN_THR || granularity == PAPI_GRN_SYS) return PAPI_OK;
  return Complain(PAPI_EINVAL, "only PAPI_GRN_THR and PAPI_GRN_SYS are supported");
}

/// The domain must be or-ed of PAPI_DOM_*, and the component must support a part of it.
int SetDomain(const PAPI_domain_option_t& domain) {
  return ChangeSet(domain.eventset, [&](EventSet& set, SetOptions& options) {
    options.domain = domain.domain;
    return CheckDomain(domain.domain, set.component(), PAPI_EINVAL_DOM);
  });
}

int SetGranularity(const PAPI_granularity_option_t& granularity) {
  return ChangeSet(granularity.eventset, [&](EventSet& set, SetOptions& options) {
    options.granularity = granularity.granularity;
    // A set of a CPU counts whatever runs there; the handler could not be called on that thread.
    if (granularity.granularity == PAPI_GRN_SYS && set.overflows()) {
      return Complain(PAPI_EINVAL, "an event set with overflow must count its own thread");
    }
    return CheckGranularity(granularity.granularity);
  });
}

int SetMultiplex(int handle, int flags, int ns) {
  return ChangeSet(handle, [&](EventSet& set, SetOptions& options) -> int {
    // PAPI has no way back from multiplexing but PAPI_cleanup_eventset, and no change of its
    // options.
    if (options.multiplexed) return Complain(PAPI_EINVAL, "the event set is multiplexed already");
    if ((flags & ~PAPI_MULTIPLEX_FORCE_SW) != 0 || ns < 0) {
      return Complain(PAPI_EINVAL,
                      "flags must be PAPI_MULTIPLEX_DEFAULT or PAPI_MULTIPLEX_FORCE_SW, and ns "
                      "must not be negative");
    }
    if (!InfoOf(set).can_multiplex) {
      return Complain(PAPI_ENOSUPP, "the component cannot multiplex");
    }
    options.multiplexed = true;
    options.multiplex_flags = flags;
    options.multiplex_ns = ns != 0 ? ns : TheLibrary().timer.interval_ns.load();
    return PAPI_OK;
  });
}

/// The kernel's number of a thread that the program identifies by the id of PAPI_thread_id or
/// PAPI_list_threads, or by the kernel's number; 0: no such thread.
pid_t ThreadNamed(unsigned long id) {
  if (const pid_t known = Threads().TidOf(id); known != 0 && id != 0) return known;
  if (id == 0 || id > 0x7fffffffUL) return 0;
  // Signal 0 only asks for existence. EPERM means that the thread exists; whether it may be counted
  // is found when its counters are opened.
  const long exists = RawSyscall(SYS_kill, static_cast<long>(id), 0);
  return exists == -ESRCH ? 0 : static_cast<pid_t>(id);
}

/// The order of the checks: what the component can do, the set's other target, the thread itself.
/// The set keeps the number under which the program named the thread, for PAPI_get_opt.
int Attach(const PAPI_attach_option_t& attach) {
  return ChangeSet(attach.eventset, [&](EventSet& set, SetOptions& options) -> int {
    if (!InfoOf(set).can_attach) return Complain(PAPI_ECMP, "the component cannot attach");
    if (options.cpu >= 0) return Complain(PAPI_ECMP, "the event set is attached to a CPU");
    const pid_t tid = ThreadNamed(attach.tid);
    if (tid == 0) return Complain(PAPI_EINVAL, "there is no such thread or process");
    // The handler runs on the thread that is counted, so that must be the caller.
    if (set.overflows() && tid != OwnTid()) {
      return Complain(PAPI_EINVAL, "an event set with overflow must count its own thread");
    }
    options.attached_tid = tid;
    options.attached_id = attach.tid;
    return PAPI_OK;
  });
}

int Detach(const PAPI_attach_option_t& attach) {
  return ChangeSet(attach.eventset, [](EventSet& set, SetOptions& options) -> int {
    if (!InfoOf(set).can_attach) return PAPI_ECMP;
    if (options.attached_tid == 0) return Complain(PAPI_EINVAL, "the event set is not attached");
    options.attached_tid = 0;
    options.attached_id = 0;
    return PAPI_OK;
  });
}

int AttachToCpu(const PAPI_cpu_option_t& cpu) {
  return ChangeSet(cpu.eventset, [&](EventSet& set, SetOptions& options) -> int {
    if (!InfoOf(set).can_attach_cpu) {
      return Complain(PAPI_ECMP, "the component does not support this");
    }
    if (options.attached_tid != 0) {
      return Complain(PAPI_ECMP, "the event set is attached to a thread");
    }
    if (set.overflows()) {
      return Complain(PAPI_EINVAL, "an event set with overflow must count its own thread");
    }
    // Offline CPUs are accepted here; the kernel refuses them when the counters are opened.
    if (cpu.cpu_num >= static_cast<unsigned>(get_nprocs_conf())) {
      return Complain(PAPI_EINVAL, "this machine has no CPU with that number");
    }
    options.cpu = static_cast<int>(cpu.cpu_num);
    return PAPI_OK;
  });
}

int SetInherit(const PAPI_inherit_option_t& inherit) {
  return ChangeSet(inherit.eventset, [&](EventSet& set, SetOptions& options) -> int {
    if (inherit.inherit != PAPI_INHERIT_ALL && inherit.inherit != PAPI_INHERIT_NONE) {
      return Complain(PAPI_EINVAL,
                      "the value of inherit must be PAPI_INHERIT_ALL or PAPI_INHERIT_NONE");
    }
    if (!InfoOf(set).can_inherit) return Complain(PAPI_ECMP, "the component cannot inherit");
    // The counterpart is in CheckTarget (profiling/profil_call.cpp): whichever comes second is
    // refused.
    if (inherit.inherit == PAPI_INHERIT_ALL && (set.State() & PAPI_PROFILING) != 0) {
      return Complain(PAPI_EINVAL, "the kernel has no ring buffer for inherited events");
    }
    options.inherit = inherit.inherit;
    return PAPI_OK;
  });
}

/// Defaults are for sets that get their component later; existing sets keep their domain.
int SetDefaultDomain(int domain, int component) {
  if (Components().At(component) == nullptr) return PAPI_ENOCMP;
  const int code = CheckDomain(domain, component, PAPI_EINVAL);
  if (code == PAPI_OK) Components().set_default_domain(component, domain);
  return code;
}

int SetDefaultGranularity(int granularity, int component) {
  if (Components().At(component) == nullptr) return PAPI_ENOCMP;
  const int code = CheckGranularity(granularity);
  if (code == PAPI_OK) Components().set_default_granularity(component, granularity);
  return code;
}

/// The handler may be null, which restores the default. Works before PAPI_library_init.
int SetDebug(const PAPI_debug_option_t& debug) {
  if (!SetDebugLevel(debug.level)) return PAPI_EINVAL;
  SetDebugHandler(debug.handler);
  return PAPI_OK;
}

int SetInterval(int ns) {
  if (ns <= 0) return Complain(PAPI_EINVAL, "an interval must be above 0 ns");
  TheLibrary().timer.interval_ns.store(ns);
  return PAPI_OK;
}

/// Timer and signal are stored so that PAPI_get_opt returns them; nothing uses them (ThreadTick has
/// a timer and a signal of its own). The interval is used.
int SetTimer(const PAPI_itimer_option_t& itimer) {
  if (itimer.itimer_num < ITIMER_REAL || itimer.itimer_num > ITIMER_PROF || itimer.itimer_sig < 1 ||
      itimer.itimer_sig >= NSIG) {
    return Complain(PAPI_EINVAL, "there is no such timer or signal");
  }
  if (itimer.ns != 0) {  // 0: unchanged
    if (const int code = SetInterval(itimer.ns); code != PAPI_OK) return code;
  }
  LibraryState::Timer& timer = TheLibrary().timer;
  timer.number.store(itimer.itimer_num);
  timer.signal.store(itimer.itimer_sig);
  return PAPI_OK;
}

int LoadUserEvents(const char* path) {
  if (path == nullptr) return PAPI_EINVAL;
  const Result<std::size_t> loaded = Presets().LoadUserEvents(path);
  return loaded ? PAPI_OK : Complain(loaded.error());
}

/// Counting was restricted to address ranges on Itanium alone.
int RestrictAddresses(const PAPI_addr_range_option_t& range) {
  return ChangeSet(range.eventset, [](EventSet&, SetOptions&) {
    return Complain(PAPI_ENOSUPP, "no counter of this machine can be restricted to addresses");
  });
}

/// Options that can only be read are unknown here: PAPI_EINVAL.
int SetOneOption(int option, const PAPI_option_t& in) {
  switch (option) {
    case PAPI_DETACH:
      return Detach(in.attach);
    case PAPI_ATTACH:
      return Attach(in.attach);
    case PAPI_CPU_ATTACH:
      return AttachToCpu(in.cpu);
    case PAPI_MULTIPLEX:
      return SetMultiplex(in.multiplex.eventset, in.multiplex.flags, in.multiplex.ns);
    case PAPI_DOMAIN:
      return SetDomain(in.domain);
    case PAPI_GRANUL:
      return SetGranularity(in.granularity);
    case PAPI_INHERIT:
      return SetInherit(in.inherit);
    case PAPI_DEFDOM:
      return SetDefaultDomain(in.defdomain.domain, in.defdomain.def_cidx);
    case PAPI_DEFGRN:
      return SetDefaultGranularity(in.defgranularity.granularity, in.defgranularity.def_cidx);
    case PAPI_DEF_MPX_NS:
      return SetInterval(in.multiplex.ns);
    case PAPI_DEF_ITIMER:
      return SetTimer(in.itimer);
    case PAPI_DEF_ITIMER_NS:
      return SetInterval(in.itimer.ns);
    case PAPI_USER_EVENTS_FILE:
      return LoadUserEvents(in.events_file);
    case PAPI_DATA_ADDRESS:
    case PAPI_INSTR_ADDRESS:
      return RestrictAddresses(in.addr);
    default:
      return Complain(PAPI_EINVAL, "no option that can be set has this number");
  }
}

}  // namespace

int SetOption(int option, PAPI_option_t* ptr) noexcept {
  return AtCBoundary([&]() -> int {
    if (option == PAPI_DEBUG && ptr) return SetDebug(ptr->debug);
    if (!TheLibrary().ready()) return PAPI_ENOINIT;
    return ptr ? SetOneOption(option, *ptr) : PAPI_EINVAL;
  });
}

}  // namespace csink::papi

using csink::papi::AtCBoundaryOfSets;

int PAPI_attach(int handle, unsigned long tid) {
  return AtCBoundaryOfSets([&] { return csink::papi::Attach({handle, tid}); });
}

int PAPI_detach(int handle) {
  return AtCBoundaryOfSets([&] { return csink::papi::Detach({handle, 0}); });
}

int PAPI_multiplex_init(void) { return PAPI_OK; }  // nothing needs to be prepared

int PAPI_set_multiplex(int handle) {
  return AtCBoundaryOfSets(
      [&] { return csink::papi::SetMultiplex(handle, PAPI_MULTIPLEX_DEFAULT, 0); });
}

int PAPI_set_domain(int domain) { return PAPI_set_cmp_domain(domain, 0); }

int PAPI_set_cmp_domain(int domain, int cidx) {
  return AtCBoundaryOfSets([&] { return csink::papi::SetDefaultDomain(domain, cidx); });
}

int PAPI_set_granularity(int granularity) { return PAPI_set_cmp_granularity(granularity, 0); }

int PAPI_set_cmp_granularity(int granularity, int cidx) {
  return AtCBoundaryOfSets([&] { return csink::papi::SetDefaultGranularity(granularity, cidx); });
}
