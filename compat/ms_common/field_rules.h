#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compat/apapi/include/apapi.h"

namespace csink::ms {

/// The number of an event that fills a field: last value, maximum, average or sum, of value0 or
/// value1 (apapi.h). kLast0 is converted by the event's data type (apapi::Sample).
enum class Source : std::uint8_t { kLast0, kLast1, kMax0, kAvg0, kAcc0, kAvg1, kAcc1 };

/// Scales of FieldRule: W to mW, kHz to MHz, B to kiB.
inline constexpr double kThousandths = 0.001, kThousands = 1000, kKibi = 1024;

/// One field of a structure of libmeasure and the event that fills it: field = source / (prefix of
/// that value * scale), converted to the field's type. The prefix is the factor of the event's
/// operations, so a file of operations in another unit still gives the unit of the field.
struct FieldRule {
  std::string event;  ///< "rapl:::PACKAGE_ENERGY:PACKAGE0"; for a GPU "nvml:::*:power"
  Source source = Source::kLast0;
  double scale = 1;        ///< kThousandths: the field is in mW and the value in W
  std::size_t offset = 0;  ///< Of the field in its structure
  enum class Type : std::uint8_t { kDouble, kUint32, kUint64 };
  Type type = Type::kDouble;
  /// True: filled at each sample. False: filled when the measurement is over.
  bool each_sample = false;
};

/// A rule whose event is in the event set, with the event's index. `rule` points into AllRules.
struct BoundRule {
  const FieldRule* rule = nullptr;
  int event = 0;
};

/// Makes the rules for the fields of one structure. A field is named by a reference into `like`,
/// from which its offset and type are taken, so neither can be wrong.
template <class Measurement>
class RuleMaker {
 public:
  /// A structure whose fields name the places to be filled: rule.Final(...,
  /// rule.like.nvml_energy_acc).
  const Measurement like{};

  /// Adds a rule for a field that is filled when the measurement is over.
  template <class Value>
  void Final(std::string event, Source source, double scale, const Value& field) {
    Add(std::move(event), source, scale, field, false);
  }
  /// Adds a rule for a field that is filled at each sample.
  template <class Value>
  void Each(std::string event, Source source, double scale, const Value& field) {
    Add(std::move(event), source, scale, field, true);
  }
  /// The offset of a field of `like` in its structure. `field` must be a member of `like`.
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

/// The rules of one kind of resource, and the three fields that are not filled from events.
struct ResourceRules {
  int resource = 0;                 ///< CPU, GPU, FPGA, SYSTEM or MIC
  const char* component = nullptr;  ///< PAPI's short name: "rapl"
  std::vector<FieldRule> fields;
  std::size_t time_wait = 0, check_for_exit = 0, runtime = 0;  ///< Offsets in the structure
};

ResourceRules CpuRules();
ResourceRules GpuRules();
ResourceRules FpgaRules();
ResourceRules ServerRules();
ResourceRules MicRules();

/// The rules of all five resources, in the order of ms_alloc_measurement's list. Source of the
/// mapping: libms_common_apapi of APAPI 1.0.
const std::vector<ResourceRules>& AllRules();

/// The rules whose events `set` contains; fields of the other rules stay 0. For GPUs: the rules of
/// the GPU with the smallest device number, whatever its name.
std::vector<BoundRule> Bind(const ResourceRules& rules, apapi_eventset* set);

/// Stores the current values of `set` in `measurement`, which has the structure that the rules were
/// made for. `each_sample_only`: only the fields that change at each sample. Does not allocate.
/// Integer fields get the whole part, limited to their range.
/// Threads: the timer's thread, or any thread after the timer is done. Fields are written
///          atomically; other threads may read them.
void Fill(const std::vector<BoundRule>& rules, const apapi_eventset* set, bool each_sample_only,
          void* measurement) noexcept;

// Which GPU the rules are for (first_gpu.cpp), for Bind.

/// The part of the event names that precedes the metric ("nvml:::Tesla_K20c:" or
/// "nvml:::NVIDIA_H200:device_0:"), for the GPU of the set with the smallest device number; of
/// equal numbers the first in the set. `cards`: result of GpuPrefixes, for names without a number.
/// "": the set has no event of a GPU.
std::string FirstGpuPrefix(const apapi_eventset* set, std::span<const std::string> cards);

/// The prefixes of this machine's GPUs in the driver's order. Empty: no GPU, or PAPI is not
/// initialised.
std::vector<std::string> GpuPrefixes();

/// The device number of a prefix: the number in it, or else derived from its place in `cards` (one
/// more than the card before it). 0: the prefix is not in `cards`.
unsigned DeviceNumber(std::string_view prefix, std::span<const std::string> cards);

}  // namespace csink::ms
