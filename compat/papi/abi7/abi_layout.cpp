// Checks the layouts of PAPI 7.1, 7.2 and 7.3 at compile time. Members that are not listed are
// those of 7.0 (../abi_layout.cpp); tests/abi/layouts.tsv has all of them. Source: papi.h of
// PAPI 7.1.0 and 7.2.0 (Debian's libpapi-dev 7.1.0-5 and 7.2.0-2) and of 7.3 (upstream of August
// 2026), for x86-64.
#include <papi.h>

#include <cstddef>

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes))
#define AT(type, member, bytes) static_assert(offsetof(type, member) == (bytes))

SIZE(PAPI_option_t, 264);
SIZE(PAPI_hw_info_t, 1480);
SIZE(PAPI_exe_info_t, 2096);
SIZE(PAPI_sprofil_t, 32);
SIZE(PAPI_dmem_info_t, 96);

#if CSINK_PAPI_ABI >= 72
SIZE(PAPI_component_info_t, 3296);
AT(PAPI_component_info_t, disabled, 1536);
AT(PAPI_component_info_t, partially_disabled_reason, 1540);
AT(PAPI_component_info_t, partially_disabled, 2564);
AT(PAPI_component_info_t, initialized, 2568);
AT(PAPI_component_info_t, component_type, 2612);
AT(PAPI_component_info_t, pmu_names, 2616);
AT(PAPI_component_info_t, reserved, 3256);
SIZE(PAPI_event_info_t, 23068);
AT(PAPI_event_info_t, note, 5656);
AT(PAPI_event_info_t, num_quals, 6680);
AT(PAPI_event_info_t, quals, 6684);
AT(PAPI_event_info_t, quals_descrs, 14876);
static_assert(PAPI_PRESET_ENUM_FIRST_COMP == 2 && PAPI_PRESET_ENUM_AVAIL == 3);
static_assert(PAPI_PRESET_ENUM_CPU == 16 && PAPI_PRESET_ENUM_CPU_AVAIL == 17);
static_assert(PAPI_NTV_ENUM_GROUPS == 25);
static_assert(PAPI_PRESET_BIT_MSC == 0x10 && PAPI_PRESET_BIT_FP == 0x8000);
#else
SIZE(PAPI_component_info_t, 2272);
SIZE(PAPI_event_info_t, 6680);
static_assert(PAPI_NTV_ENUM_GROUPS == 22);
#endif
