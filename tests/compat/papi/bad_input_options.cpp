// PAPI_get_opt, PAPI_set_opt, PAPI_get_cmp_opt, domains and granularities.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

int Domain(Scene& s, int handle, int domain) {
  s.out.option.domain.eventset = handle;
  s.out.option.domain.domain = domain;
  s.Ready();
  return PAPI_set_opt(PAPI_DOMAIN, &s.out.option);
}

int Granularity(Scene& s, int handle, int granularity) {
  s.out.option.granularity.eventset = handle;
  s.out.option.granularity.granularity = granularity;
  s.Ready();
  return PAPI_set_opt(PAPI_GRANUL, &s.out.option);
}

int DefaultDomain(Scene& s, int component, int domain) {
  s.out.option.defdomain.def_cidx = component;
  s.out.option.defdomain.domain = domain;
  s.Ready();
  return PAPI_set_opt(PAPI_DEFDOM, &s.out.option);
}

int DefaultGranularity(Scene& s, int component, int granularity) {
  s.out.option.defgranularity.def_cidx = component;
  s.out.option.defgranularity.granularity = granularity;
  s.Ready();
  return PAPI_set_opt(PAPI_DEFGRN, &s.out.option);
}

int Inherit(Scene& s, int handle, int inherit) {
  s.out.option.inherit.eventset = handle;
  s.out.option.inherit.inherit = inherit;
  s.Ready();
  return PAPI_set_opt(PAPI_INHERIT, &s.out.option);
}

int Multiplex(Scene& s, int handle, int ns, int flags) {
  s.out.option.multiplex.eventset = handle;
  s.out.option.multiplex.ns = ns;
  s.out.option.multiplex.flags = flags;
  s.Ready();
  return PAPI_set_opt(PAPI_MULTIPLEX, &s.out.option);
}

int Slice(Scene& s, int ns) {
  s.out.option.multiplex.ns = ns;
  s.Ready();
  return PAPI_set_opt(PAPI_DEF_MPX_NS, &s.out.option);
}

int Timer(Scene& s, int number, int signal, int ns) {
  s.out.option.itimer = PAPI_itimer_option_t{number, signal, ns, 0};
  s.Ready();
  return PAPI_set_opt(PAPI_DEF_ITIMER, &s.out.option);
}

int Attach(Scene& s, int option, int handle, unsigned long tid) {
  s.out.option.attach.eventset = handle;
  s.out.option.attach.tid = tid;
  s.Ready();
  return PAPI_set_opt(option, &s.out.option);
}

int CpuAttach(Scene& s, int handle, unsigned cpu) {
  s.out.option.cpu.eventset = handle;
  s.out.option.cpu.cpu_num = cpu;
  s.Ready();
  return PAPI_set_opt(PAPI_CPU_ATTACH, &s.out.option);
}

int Debug(Scene& s, int level) {
  s.out.option.debug = PAPI_debug_option_t{level, nullptr};
  s.Ready();
  return PAPI_set_opt(PAPI_DEBUG, &s.out.option);
}

int Addresses(Scene& s, int option) {
  s.out.option.addr = PAPI_addr_range_option_t{s.set, nullptr, nullptr, 0, 0};
  s.Ready();
  return PAPI_set_opt(option, &s.out.option);
}

int GetOfSet(Scene& s, int option, int handle) {
  // Every option that names a set has it in one of these two places.
  if (option == PAPI_DOMAIN || option == PAPI_GRANUL) {
    s.out.option.domain.eventset = handle;
  } else {
    s.out.option.attach.eventset = handle;
  }
  s.Ready();
  return PAPI_get_opt(option, &s.out.option);
}

template <int option>
int GetOfWrongSet(Scene& s, int handle) {
  return GetOfSet(s, option, handle);
}

const Row kOptions[] = {
    BAD(BeforeInit, PAPI_get_opt(PAPI_DEBUG, &s.out.option), PAPI_OK),
    BAD(BeforeInit, PAPI_get_opt(PAPI_MAX_CPUS, nullptr), PAPI_ENOINIT),
    BAD(BeforeInit, PAPI_get_opt(PAPI_LIB_VERSION, nullptr), PAPI_VERSION),
    BAD_PEER(BeforeInit, PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, nullptr, 0), PAPI_ENOINIT, PAPI_OK,
             kNotInitialized),
    BAD(BeforeInit, Debug(s, PAPI_QUIET), PAPI_OK),
    BAD(BeforeInit, DefaultDomain(s, 0, PAPI_DOM_USER), PAPI_ENOINIT),

    BAD(Init, PAPI_get_opt(0, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(9, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(-1, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(30, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(INT_MAX, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_PROFIL, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_DEBUG, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_opt(PAPI_DOMAIN, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_opt(PAPI_GRANUL, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_opt(PAPI_MULTIPLEX, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_opt(PAPI_ATTACH, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_opt(PAPI_DETACH, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_opt(PAPI_CPU_ATTACH, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_opt(PAPI_INHERIT, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_DEF_ITIMER, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_DEF_ITIMER_NS, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_DEF_MPX_NS, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_PRELOAD, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_HWINFO, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_EXEINFO, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_SHLIBINFO, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_COMPONENTINFO, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_USER_EVENTS_FILE, nullptr), PAPI_EINVAL),
    BAD(Init, ForEachWrongHandle(s, GetOfWrongSet<PAPI_DOMAIN>), PAPI_ENOEVST),
    BAD(Init, ForEachWrongHandle(s, GetOfWrongSet<PAPI_GRANUL>), PAPI_ENOEVST),
    BAD(Init, ForEachWrongHandle(s, GetOfWrongSet<PAPI_MULTIPLEX>), PAPI_ENOEVST),
    BAD(Init, ForEachWrongHandle(s, GetOfWrongSet<PAPI_ATTACH>), PAPI_ENOEVST),
    BAD(Init, ForEachWrongHandle(s, GetOfWrongSet<PAPI_DETACH>), PAPI_ENOEVST),
    BAD(Init, ForEachWrongHandle(s, GetOfWrongSet<PAPI_CPU_ATTACH>), PAPI_ENOEVST),
    BAD(Init, ForEachWrongHandle(s, GetOfWrongSet<PAPI_INHERIT>), PAPI_ENOEVST),
    BAD(Empty, GetOfSet(s, PAPI_DOMAIN, s.set), PAPI_OK),
    BAD(Empty, GetOfSet(s, PAPI_GRANUL, s.set), PAPI_OK),

    BAD_PEER(Init, PAPI_get_cmp_opt(PAPI_DEFDOM, &s.out.option, -1), PAPI_ENOCMP, PAPI_ECMP,
             kManualsCode),
    BAD_PEER(Init, PAPI_get_cmp_opt(PAPI_DEFDOM, &s.out.option, 999), PAPI_ENOCMP, PAPI_ECMP,
             kManualsCode),
    BAD_PEER(Init, PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, nullptr, INT_MAX), PAPI_ENOCMP, PAPI_ECMP,
             kManualsCode),
    BAD_PEER(Init, PAPI_get_cmp_opt(PAPI_MAX_MPX_CTRS, nullptr, -1), PAPI_ENOCMP, PAPI_ECMP,
             kManualsCode),
    BAD(Init, PAPI_get_cmp_opt(PAPI_COMPONENTINFO, nullptr, 0), PAPI_EINVAL),
    BAD(Init, PAPI_get_cmp_opt(PAPI_DEBUG, &s.out.option, 0), PAPI_EINVAL),
    BAD(Init, PAPI_get_cmp_opt(12345, &s.out.option, 0), PAPI_EINVAL),

    BAD(Init, PAPI_set_opt(PAPI_DEBUG, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_set_opt(PAPI_DOMAIN, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_set_opt(PAPI_MULTIPLEX, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(PAPI_USER_EVENTS_FILE, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(0, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(9, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(-1, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(INT_MAX, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(PAPI_HWINFO, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(PAPI_CLOCKRATE, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(PAPI_MAX_CPUS, &s.out.option), PAPI_EINVAL),
};

const Row kSetters[] = {
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return Domain(t, set, PAPI_DOM_USER); }),
        PAPI_ENOEVST),
    BAD(Empty, Domain(s, s.set, PAPI_DOM_USER), PAPI_ENOCMP),
    BAD(Stopped, Domain(s, s.set, 0), PAPI_EINVAL_DOM),
    BAD(Stopped, Domain(s, s.set, 0x1000), PAPI_EINVAL_DOM),
    BAD(Stopped, Domain(s, s.set, -1), PAPI_EINVAL_DOM),
    BAD(Running, Domain(s, s.set, PAPI_DOM_ALL), PAPI_EISRUN),
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return Granularity(t, set, PAPI_GRN_THR); }),
        PAPI_ENOEVST),
    BAD(Empty, Granularity(s, s.set, PAPI_GRN_THR), PAPI_ENOCMP),
    BAD(Stopped, Granularity(s, s.set, 0), PAPI_EINVAL),
    BAD(Stopped, Granularity(s, s.set, 0x1000), PAPI_EINVAL),
    BAD(Stopped, Granularity(s, s.set, PAPI_GRN_THR | PAPI_GRN_SYS), PAPI_EINVAL),
    BAD_PEER(Running, Granularity(s, s.set, PAPI_GRN_SYS), PAPI_EISRUN, PAPI_OK, kNotChecked),
    BAD(Init, DefaultDomain(s, -1, PAPI_DOM_USER), PAPI_ENOCMP),
    BAD(Init, DefaultDomain(s, 999, PAPI_DOM_USER), PAPI_ENOCMP),
    BAD(Init, DefaultDomain(s, 0, 0), PAPI_EINVAL),
    BAD(Init, DefaultDomain(s, 0, 0x40), PAPI_EINVAL),
    BAD(Init, DefaultGranularity(s, -1, PAPI_GRN_THR), PAPI_ENOCMP),
    BAD(Init, DefaultGranularity(s, 999, PAPI_GRN_THR), PAPI_ENOCMP),
    BAD(Init, DefaultGranularity(s, 0, 0), PAPI_EINVAL),
    BAD(Init, DefaultGranularity(s, 0, 0x40), PAPI_EINVAL),
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return Inherit(t, set, PAPI_INHERIT_ALL); }),
        PAPI_ENOEVST),
    BAD_PEER(Stopped, Inherit(s, s.set, 7), PAPI_EINVAL, kPeerVaries, kHardwareProbe),
    BAD_PEER(Stopped, Inherit(s, s.set, -1), PAPI_EINVAL, kPeerVaries, kHardwareProbe),
    BAD(Empty, Inherit(s, s.set, PAPI_INHERIT_ALL), PAPI_ENOCMP),
    BAD(Running, Inherit(s, s.set, PAPI_INHERIT_ALL), PAPI_EISRUN),
    BAD(Init, ForEachWrongHandle(s, [](Scene& t, int set) { return Multiplex(t, set, 0, 0); }),
        PAPI_ENOEVST),
    BAD(Empty, Multiplex(s, s.set, 0, 0), PAPI_ENOCMP),
    BAD(Stopped, Multiplex(s, s.set, -1, 0), PAPI_EINVAL),
    BAD_PEER(Stopped, Multiplex(s, s.set, 0, 0x10), PAPI_EINVAL, kPeerVaries, kHardwareProbe),
    BAD(Multiplexed, Multiplex(s, s.set, 0, 0), PAPI_EINVAL),
    BAD(Running, Multiplex(s, s.set, 0, 0), PAPI_EISRUN),
    BAD(Init, Slice(s, -1), PAPI_EINVAL),
    BAD(Init, Slice(s, INT_MIN), PAPI_EINVAL),
    BAD_PEER(Init, Timer(s, 99, 27, 1'000'000), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Init, Timer(s, -1, 27, 1'000'000), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Init, Timer(s, 2, 0, 1'000'000), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Init, Timer(s, 2, 999, 1'000'000), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(Init, Timer(s, 2, 27, -1), PAPI_EINVAL),
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return Attach(t, PAPI_ATTACH, set, 1); }),
        PAPI_ENOEVST),
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return Attach(t, PAPI_DETACH, set, 1); }),
        PAPI_ENOEVST),
    BAD(Empty, Attach(s, PAPI_ATTACH, s.set, 1), PAPI_ENOCMP),
    BAD(Running, Attach(s, PAPI_ATTACH, s.set, 1), PAPI_EISRUN),
    BAD(Running, Attach(s, PAPI_DETACH, s.set, 1), PAPI_EISRUN),
    BAD(Stopped, Attach(s, PAPI_DETACH, s.set, 1), PAPI_EINVAL),
    BAD(Init, ForEachWrongHandle(s, [](Scene& t, int set) { return CpuAttach(t, set, 0); }),
        PAPI_ENOEVST),
    BAD(Empty, CpuAttach(s, s.set, 0), PAPI_ENOCMP),
    BAD(Running, CpuAttach(s, s.set, 0), PAPI_EISRUN),
    BAD(Stopped, CpuAttach(s, s.set, 1'000'000), PAPI_EINVAL),
    BAD_PEER(Stopped, CpuAttach(s, s.set, UINT_MAX), PAPI_EINVAL, kPeerVaries, kHardwareProbe),
    BAD(Init, Debug(s, 17), PAPI_EINVAL),
    BAD(Init, Debug(s, -1), PAPI_EINVAL),
    BAD(Stopped, Addresses(s, PAPI_DATA_ADDRESS), PAPI_ENOSUPP),
    BAD(Stopped, Addresses(s, PAPI_INSTR_ADDRESS), PAPI_ENOSUPP),

    BAD(BeforeInit, PAPI_set_domain(PAPI_DOM_USER), PAPI_ENOINIT),
    BAD(Init, PAPI_set_domain(0), PAPI_EINVAL),
    BAD(Init, PAPI_set_domain(-1), PAPI_EINVAL),
    BAD(Init, PAPI_set_domain(0x100), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_set_cmp_domain(PAPI_DOM_USER, 0), PAPI_ENOINIT),
    BAD(Init, PAPI_set_cmp_domain(0, 0), PAPI_EINVAL),
    BAD(Init, PAPI_set_cmp_domain(PAPI_DOM_USER, -1), PAPI_ENOCMP),
    BAD(Init, PAPI_set_cmp_domain(PAPI_DOM_USER, 999), PAPI_ENOCMP),
    BAD(BeforeInit, PAPI_set_granularity(PAPI_GRN_THR), PAPI_ENOINIT),
    BAD(Init, PAPI_set_granularity(0), PAPI_EINVAL),
    BAD(Init, PAPI_set_granularity(-1), PAPI_EINVAL),
    BAD(Init, PAPI_set_granularity(0x100), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_set_cmp_granularity(PAPI_GRN_THR, 0), PAPI_ENOINIT),
    BAD(Init, PAPI_set_cmp_granularity(0, 0), PAPI_EINVAL),
    BAD(Init, PAPI_set_cmp_granularity(PAPI_GRN_THR, -1), PAPI_ENOCMP),
    BAD(Init, PAPI_set_cmp_granularity(PAPI_GRN_THR, 999), PAPI_ENOCMP),
};

INSTANTIATE_TEST_SUITE_P(Options, BadInput, ::testing::ValuesIn(kOptions), RowName);
INSTANTIATE_TEST_SUITE_P(Setters, BadInput, ::testing::ValuesIn(kSetters), RowName);

}  // namespace
}  // namespace csink::papi_test
