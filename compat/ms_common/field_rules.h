#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compat/apapi/include/apapi.h"

namespace csink::ms {

/// Where a number of an event comes from.
enum class Source : std::uint8_t { kLast0, kLast1, kMax0, kAvg0, kAcc0, kAvg1, kAcc1 };

inline constexpr double kThousandths = 0.001, kThousands = 1000, kKibi = 1024;

/// One field of a structure of libmeasure and the event that fills it:
/// field = source / (prefix of that value * scale), converted to the field's type.
struct FieldRule {
  std::string event;  ///< "rapl:::PACKAGE_ENERGY:PACKAGE0"; of a GPU "nvml:::*:power"
  Source source = Source::kLast0;
  double scale = 1;  ///< kThousandths: the field is in mW, the value in W
  std::size_t offset = 0;
  enum class Type : std::uint8_t { kDouble, kUint32, kUint64 };
  Type type = Type::kDouble;
  /// Filled at every sample; else when the measurement is over.
  bool each_sample = false;
};

/// A rule whose event is in the set.
struct BoundRule {
  const FieldRule* rule = nullptr;
  int event = 0;
};

/// Makes rules for the fields of one structure.
template <class Measurement>
class RuleMaker {
 public:
  /// A structure whose fields name the places: rule.Final(..., rule.like.nvml_energy_acc).
  const Measurement like{};

  /// Filled when the measurement is over.
  template <class Value>
  void Final(std::string event, Source source, double scale, const Value& field) {
    Add(std::move(event), source, scale, field, false);
  }
  /// Filled at every sample.
  template <class Value>
  void Each(std::string event, Source source, double scale, const Value& field) {
    Add(std::move(event), source, scale, field, true);
  }
  template <class Value>
  std::size_t OffsetOf(const Value& field) const noexcept {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&field) -
                                    reinterpret_cast<const char*>(&like));
  }
  std::vector<FieldRule> Take() { return std::move(rules_); }

 private:
  static constexpr FieldRule::Type TypeOf(const double&) { return FieldRule::Type::kDouble; }
  static constexpr FieldRule::Type TypeOf(const std::uint32_t&) { return FieldRule::Type::kUint32; }
  static constexpr FieldRule::Type TypeOf(const std::uint64_t&) { return FieldRule::Type::kUint64; }

  template <class Value>
  void Add(std::string event, Source source, double scale, const Value& field, bool each) {
    rules_.push_back({std::move(event), source, scale, OffsetOf(field), TypeOf(field), each});
  }

  std::vector<FieldRule> rules_;
};

/// What is known of one kind of resource.
struct ResourceRules {
  int resource = 0;  ///< CPU, GPU, ...
  const char* component = nullptr;
  std::vector<FieldRule> fields;
  std::size_t time_wait = 0, check_for_exit = 0, runtime = 0;  ///< Offsets
};

ResourceRules CpuRules();
ResourceRules GpuRules();
ResourceRules FpgaRules();
ResourceRules ServerRules();
ResourceRules MicRules();

/// All five, in the order of ms_alloc_measurement. Source of the mapping: libms_common_apapi of
/// APAPI 1.0.
const std::vector<ResourceRules>& AllRules();

/// The rules whose events `set` holds. Of GPUs the first one: that with the smallest device number,
/// whatever its name.
std::vector<BoundRule> Bind(const ResourceRules& rules, apapi_eventset* set);

/// Fills the fields of `measurement` from what `set` holds now.
void Fill(const std::vector<BoundRule>& rules, const apapi_eventset* set, bool each_sample_only,
          void* measurement) noexcept;

}  // namespace csink::ms
