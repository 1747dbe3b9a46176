#pragma once

#include <cstdint>

/// File: the field numbers of OTLP profiles that we write. Source: opentelemetry-proto,
/// opentelemetry/proto/profiles/v1development/profiles.proto, common/v1/common.proto and
/// resource/v1/resource.proto, as of August 2026. The profiles are in development: a later version
/// may move fields, as earlier ones did.

namespace csink::report::otlp {

/// ProfilesData (a file) and ExportProfilesServiceRequest (a request) have the same layout.
namespace data_field {
constexpr std::uint32_t kResourceProfiles = 1, kDictionary = 2;
}
namespace dictionary_field {
constexpr std::uint32_t kMapping = 1, kLocation = 2, kFunction = 3, kLink = 4, kString = 5,
                        kAttribute = 6, kStack = 7;
}
namespace resource_profiles_field {
constexpr std::uint32_t kResource = 1, kScopeProfiles = 2;
}
namespace resource_field {
constexpr std::uint32_t kAttribute = 1;
}
namespace scope_profiles_field {
constexpr std::uint32_t kScope = 1, kProfile = 2;
}
namespace scope_field {
constexpr std::uint32_t kName = 1, kVersion = 2;
}
namespace profile_field {
constexpr std::uint32_t kSampleType = 1, kSample = 2, kTimeUnixNano = 3, kDurationNano = 4,
                        kPeriodType = 5, kPeriod = 6, kProfileId = 7, kAttribute = 11;
}
namespace value_type_field {
constexpr std::uint32_t kType = 1, kUnit = 2;
}
namespace sample_field {
constexpr std::uint32_t kStack = 1, kAttribute = 2, kValue = 4;
}
namespace stack_field {
constexpr std::uint32_t kLocation = 1;
}
namespace location_field {
constexpr std::uint32_t kMapping = 1, kAddress = 2, kLine = 3, kAttribute = 4;
}
namespace line_field {
constexpr std::uint32_t kFunction = 1, kLine = 2;
}
namespace function_field {
constexpr std::uint32_t kName = 1, kSystemName = 2, kFile = 3;
}
namespace mapping_field {
constexpr std::uint32_t kStart = 1, kLimit = 2, kOffset = 3, kFile = 4, kAttribute = 5;
}
/// KeyValueAndUnit: an attribute of the dictionary.
namespace attribute_field {
constexpr std::uint32_t kKey = 1, kValue = 2, kUnit = 3;
}
/// KeyValue: an attribute of a resource.
namespace key_value_field {
constexpr std::uint32_t kKey = 1, kValue = 2;
}
namespace any_value_field {
constexpr std::uint32_t kString = 1, kBool = 2, kInt = 3, kDouble = 4, kArray = 5;
}
namespace array_field {
constexpr std::uint32_t kValue = 1;
}

}  // namespace csink::report::otlp
