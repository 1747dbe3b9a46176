// Names, codes, descriptions and enumeration of events; components and devices.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

constexpr int kNotInTable = PAPI_PRESET_MASK | 127;
constexpr int kUnknownNative = PAPI_NATIVE_MASK | 0x3fffffff;
constexpr int kUnknownUser = static_cast<int>(0xC0000031);
constexpr int kNoKind = 0x123;

std::string Long() { return std::string(100'000, 'x'); }

int NameToCode(Scene& s, const char* name) { return PAPI_event_name_to_code(name, &s.out.code); }

int Enumerate(Scene& s, int code, int modifier) {
  s.out.code = code;
  s.Ready();
  return PAPI_enum_event(&s.out.code, modifier);
}

int EnumerateComponent(Scene& s, int code, int modifier, int component) {
  s.out.code = code;
  s.Ready();
  return PAPI_enum_cmp_event(&s.out.code, modifier, component);
}

void* FirstDeviceType() {
  void* handle = nullptr;
  return PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &handle) == PAPI_OK ? handle : nullptr;
}

int EnumerateDevices(int modifier) {
  void* handle = nullptr;
  return PAPI_enum_dev_type(modifier, &handle);
}

int TypeAttribute(Scene& s, int attribute) {
  return PAPI_get_dev_type_attr(FirstDeviceType(), static_cast<PAPI_dev_type_attr_e>(attribute),
                                &s.out.pointer);
}

int Attribute(Scene& s, int device, int attribute) {
  return PAPI_get_dev_attr(FirstDeviceType(), device, static_cast<PAPI_dev_attr_e>(attribute),
                           &s.out.pointer);
}

const Row kEvents[] = {
    BAD_PEER(BeforeInit, PAPI_query_event(PAPI_TOT_INS), PAPI_ENOINIT, PAPI_ENOEVNT,
             kNotInitialized),
    BAD(Init, PAPI_query_event(0), PAPI_ENOEVNT),
    BAD(Init, PAPI_query_event(kNoKind), PAPI_ENOEVNT),
    BAD(Init, PAPI_query_event(kNotInTable), PAPI_ENOEVNT),
    BAD(Init, PAPI_query_event(PAPI_END), PAPI_ENOEVNT),
    BAD_PEER(Init, PAPI_query_event(kUnknownNative), PAPI_ENOEVNT, PAPI_ENOCMP, kManualsCode),
    BAD(Init, PAPI_query_event(kUnknownUser), PAPI_ENOEVNT),
    BAD(Init, PAPI_query_event(-1), PAPI_ENOEVNT),
    BAD(BeforeInit, PAPI_query_named_event("perf::CPU-CLOCK"), PAPI_ENOINIT),
    BAD(Init, PAPI_query_named_event(nullptr), PAPI_EINVAL),
    BAD_PEER(Init, PAPI_query_named_event(""), PAPI_EINVAL, kPeerVaries, kAnotherComponent),
    BAD(Init, PAPI_query_named_event("perf::NO-SUCH-EVENT"), PAPI_ENOEVNT),
    BAD_PEER(Init, PAPI_query_named_event(Long().c_str()), PAPI_EINVAL, kPeerCrashes, kNotChecked),

    BAD(BeforeInit, NameToCode(s, "perf::CPU-CLOCK"), PAPI_ENOINIT),
    BAD(Init, NameToCode(s, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_event_name_to_code("perf::CPU-CLOCK", nullptr), PAPI_EINVAL),
    BAD_PEER(Init, NameToCode(s, ""), PAPI_EINVAL, kPeerVaries, kAnotherComponent),
    BAD_PEER(Init, NameToCode(s, "PAPI_"), PAPI_ENOEVNT, kPeerVaries, kAnotherComponent),
    BAD_PEER(Init, NameToCode(s, "PAPI_NO_SUCH"), PAPI_ENOEVNT, kPeerVaries, kAnotherComponent),
    BAD_PEER(Init, NameToCode(s, "perf::"), PAPI_EINVAL, PAPI_ENOEVNT, kManualsCode),
    BAD(Init, NameToCode(s, "::CPU-CLOCK"), PAPI_ENOEVNT),
    BAD(Init, NameToCode(s, "perf::NO-SUCH-EVENT"), PAPI_ENOEVNT),
    BAD_PEER(Init, NameToCode(s, "perf::CPU-CLOCK:nonsense"), PAPI_EATTR, PAPI_ENOEVNT,
             kManualsCode),
    BAD_PEER(Init, NameToCode(s, "perf::CPU-CLOCK:u=2"), PAPI_EATTR, PAPI_ENOEVNT, kManualsCode),
    BAD_PEER(Init, NameToCode(s, "\x01\xff%s%n"), PAPI_EINVAL, kPeerVaries, kAnotherComponent),
    BAD_PEER(Init, NameToCode(s, Long().c_str()), PAPI_EINVAL, kPeerCrashes, kNotChecked),

    BAD_PEER(BeforeInit, PAPI_event_code_to_name(PAPI_TOT_INS, s.out.name), PAPI_ENOINIT, PAPI_OK,
             kNotInitialized),
    BAD(Init, PAPI_event_code_to_name(PAPI_TOT_INS, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_event_code_to_name(s.cpu_clock, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_event_code_to_name(0, s.out.name), PAPI_ENOEVNT),
    BAD(Init, PAPI_event_code_to_name(kNoKind, s.out.name), PAPI_ENOEVNT),
    BAD(Init, PAPI_event_code_to_name(kNotInTable, s.out.name), PAPI_ENOTPRESET),
    BAD(Init, PAPI_event_code_to_name(kUnknownNative, s.out.name), PAPI_ENOEVNT),
    BAD(Init, PAPI_event_code_to_name(kUnknownUser, s.out.name), PAPI_ENOEVNT),

    BAD_PEER(BeforeInit, PAPI_get_event_info(PAPI_TOT_INS, &s.out.info), PAPI_ENOINIT, PAPI_OK,
             kNotInitialized),
    BAD(Init, PAPI_get_event_info(PAPI_TOT_INS, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_event_info(s.cpu_clock, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_event_info(0, &s.out.info), PAPI_ENOTPRESET),
    BAD(Init, PAPI_get_event_info(kNoKind, &s.out.info), PAPI_ENOTPRESET),
    BAD_PEER(Init, PAPI_get_event_info(kNotInTable, &s.out.info), PAPI_ENOTPRESET, PAPI_ENOEVNT,
             kManualsCode),
    BAD_PEER(Init, PAPI_get_event_info(kUnknownNative, &s.out.info), PAPI_ENOEVNT, PAPI_ENOCMP,
             kManualsCode),
    BAD(Init, PAPI_get_event_info(kUnknownUser, &s.out.info), PAPI_ENOEVNT),

    BAD_PEER(BeforeInit, Enumerate(s, PAPI_PRESET_MASK, PAPI_ENUM_FIRST), PAPI_ENOINIT, PAPI_OK,
             kNotInitialized),
    BAD_PEER(Init, PAPI_enum_event(nullptr, PAPI_ENUM_EVENTS), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),
    BAD(Init, Enumerate(s, 0, PAPI_ENUM_EVENTS), PAPI_EINVAL),
    BAD_PEER(Init, Enumerate(s, kNoKind, PAPI_ENUM_FIRST), PAPI_EINVAL, PAPI_ENOCMP, kManualsCode),
    BAD(Init, Enumerate(s, PAPI_END - 1, PAPI_ENUM_EVENTS), PAPI_ENOEVNT),
    BAD_PEER(Init, Enumerate(s, kNotInTable, PAPI_ENUM_EVENTS), PAPI_ENOEVNT, PAPI_EINVAL,
             kManualsCode),
    BAD(Init, Enumerate(s, kUnknownNative, PAPI_ENUM_EVENTS), PAPI_ENOCMP),
    BAD_PEER(Init, Enumerate(s, PAPI_PRESET_MASK, -1), PAPI_EINVAL, kPeerVaries, kManualsCode),
    BAD_PEER(Init, Enumerate(s, PAPI_PRESET_MASK, 9999), PAPI_EINVAL, kPeerVaries, kManualsCode),
    BAD_PEER(BeforeInit, EnumerateComponent(s, PAPI_NATIVE_MASK, PAPI_ENUM_FIRST, 0), PAPI_ENOINIT,
             kPeerCrashes, kNotInitialized),
    BAD_PEER(Init, PAPI_enum_cmp_event(nullptr, PAPI_ENUM_FIRST, 0), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),
    BAD(Init, EnumerateComponent(s, PAPI_NATIVE_MASK, PAPI_ENUM_FIRST, -1), PAPI_ENOCMP),
    BAD(Init, EnumerateComponent(s, PAPI_NATIVE_MASK, PAPI_ENUM_FIRST, 999), PAPI_ENOCMP),
    BAD(Init, EnumerateComponent(s, kNoKind, PAPI_ENUM_FIRST, 0), PAPI_EINVAL),
};

const Row kComponents[] = {
    BAD(BeforeInit, PAPI_get_component_info(0) != nullptr, 1),
    BAD(Init, PAPI_get_component_info(-1) != nullptr, 0),
    BAD(Init, PAPI_get_component_info(999) != nullptr, 0),
    BAD(Init, PAPI_get_component_info(INT_MAX) != nullptr, 0),
    BAD(BeforeInit, PAPI_get_component_index("perf_event"), 0),
    BAD_PEER(Init, PAPI_get_component_index(nullptr), PAPI_EINVAL, kPeerCrashes, kNotChecked),
    BAD(Init, PAPI_get_component_index(""), PAPI_ENOCMP),
    BAD(Init, PAPI_get_component_index("no_such"), PAPI_ENOCMP),
    BAD_PEER(BeforeInit, PAPI_get_event_component(PAPI_TOT_INS), PAPI_ENOINIT, PAPI_OK,
             kNotInitialized),
    BAD_PEER(Init, PAPI_get_event_component(0), PAPI_ENOEVNT, PAPI_OK, kNotChecked),
    BAD(Init, PAPI_get_event_component(kNoKind), PAPI_ENOEVNT),
    BAD(Init, PAPI_get_event_component(kUnknownNative), PAPI_ENOEVNT),
    BAD(BeforeInit, PAPI_num_hwctrs(), 0),
    BAD(BeforeInit, PAPI_num_cmp_hwctrs(0), 0),
    BAD_PEER(Init, PAPI_num_cmp_hwctrs(-1), PAPI_ENOCMP, PAPI_ECMP, kManualsCode),
    BAD_PEER(Init, PAPI_num_cmp_hwctrs(999), PAPI_ENOCMP, PAPI_ECMP, kManualsCode),
    BAD(BeforeInit, PAPI_disable_component(-1), PAPI_ENOCMP),
    BAD(BeforeInit, PAPI_disable_component(999), PAPI_ENOCMP),
    BAD(Init, PAPI_disable_component(0), PAPI_ENOINIT),
    BAD(Running, PAPI_disable_component(0), PAPI_ENOINIT),
    BAD_PEER(BeforeInit, PAPI_disable_component_by_name(nullptr), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),
    BAD(BeforeInit, PAPI_disable_component_by_name(""), PAPI_ENOCMP),
    BAD(BeforeInit, PAPI_disable_component_by_name("no_such"), PAPI_ENOCMP),
    BAD(Init, PAPI_disable_component_by_name("perf_event"), PAPI_ENOINIT),

    BAD(BeforeInit, EnumerateDevices(PAPI_DEV_TYPE_ENUM__CPU), PAPI_OK),
    BAD_PEER(Init, PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, nullptr), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),
    BAD_PEER(Init, EnumerateDevices(0x4000), PAPI_EINVAL, kPeerVaries, kLeavesDescriptors),
    BAD(Init, EnumerateDevices(PAPI_DEV_TYPE_ENUM__CUDA), PAPI_OK),
    BAD_PEER(Init, PAPI_get_dev_type_attr(nullptr, PAPI_DEV_TYPE_ATTR__INT_COUNT, &s.out.number),
             PAPI_EINVAL, kPeerCrashes, kNotChecked),
    BAD_PEER(Init, TypeAttribute(s, 99), PAPI_ENOSUPP, kPeerVaries, kLeavesDescriptors),
    BAD_PEER(Init, TypeAttribute(s, -1), PAPI_ENOSUPP, kPeerVaries, kLeavesDescriptors),
    BAD_PEER(Init,
             PAPI_get_dev_type_attr(FirstDeviceType(), PAPI_DEV_TYPE_ATTR__INT_COUNT, nullptr),
             PAPI_EINVAL, kPeerCrashes, kNotChecked),
    BAD_PEER(Init, PAPI_get_dev_attr(nullptr, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, &s.out.number),
             PAPI_EINVAL, kPeerCrashes, kNotChecked),
    BAD_PEER(Init, Attribute(s, 0, 999), PAPI_ENOSUPP, kPeerVaries, kLeavesDescriptors),
    BAD_PEER(Init, Attribute(s, 0, -1), PAPI_ENOSUPP, kPeerVaries, kLeavesDescriptors),
    BAD_PEER(Init, Attribute(s, 999, PAPI_DEV_ATTR__CPU_UINT_FAMILY), PAPI_EINVAL, PAPI_OK,
             kNotChecked),
    BAD_PEER(Init, Attribute(s, -1, PAPI_DEV_ATTR__CPU_UINT_FAMILY), PAPI_EINVAL, PAPI_OK,
             kNotChecked),
    BAD_PEER(Init, Attribute(s, 0, PAPI_DEV_ATTR__CUDA_ULONG_UID), PAPI_ENOSUPP, PAPI_OK,
             kNotChecked),
    BAD_PEER(Init, PAPI_get_dev_attr(FirstDeviceType(), 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, nullptr),
             PAPI_EINVAL, kPeerCrashes, kNotChecked),
};

INSTANTIATE_TEST_SUITE_P(Events, BadInput, ::testing::ValuesIn(kEvents), RowName);
INSTANTIATE_TEST_SUITE_P(Components, BadInput, ::testing::ValuesIn(kComponents), RowName);

}  // namespace
}  // namespace csink::papi_test
