#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/util/result.h"
#include "profil/reading/model/flat_index.h"
#include "symbolizer/report/formats/parts/layout.h"
#include "symbolizer/report/formats/parts/otlp_attributes.h"
#include "symbolizer/report/formats/parts/protobuf.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/formats/parts/spots.h"
#include "symbolizer/report/formats/parts/strings.h"
#include "symbolizer/report/tables/report.h"

namespace csink::report::otlp {

/// The ProfilesDictionary of a report: mappings, locations, functions, strings, attributes and
/// stacks. Entry 0 of each table is empty and stands for "none".
/// Owns:    the stacks in encoded form; everything else refers to the report, which must outlive
/// it. Threads: one at a time.
class Dictionary {
 public:
  /// With `inlines`, inlined functions are lines of their own in a location.
  Dictionary(const Report& report, bool inlines);

  /// The number of the stack of a place (index into Profile::places); equal stacks have one number.
  std::uint32_t StackOf(std::size_t place);

  /// The table of strings, for values of profiles.
  Strings& strings() { return strings_; }
  /// The table of attributes, for those of profiles and samples.
  AttributeTable& attributes() { return attributes_; }

  /// Writes the dictionary as the field `field` of the top message. Nothing may be added
  /// afterwards. Errors: kLimit (the message is larger than 2 GiB, the most that readers of
  /// protocol buffers take). Errors of the sink are reported by the sink.
  Result<void> Write(std::uint32_t field, Sink& sink);

 private:
  /// Encoded entries of the tables of mappings, locations, ...
  std::string Mappings();
  std::string Locations();
  std::string Functions();
  std::string Attributes() const;
  std::string Texts() const;
  /// Attributes of the mapping of a module.
  AttributeIds MappingAttributes(const Module& module, const SegmentNames& names);
  /// Writes the attributes of the location of spot `spot` over `ids`.
  void LocationAttributes(std::uint32_t spot, AttributeIds& ids);
  /// The number of a function; a new one at its first use.
  std::uint32_t FunctionId(const Frame& frame);

  const Profile& profile_;
  const bool inlines_;
  const Spots spots_;
  const Layout layout_;
  /// Stands for the callers above a stack that was cut.
  const std::uint32_t cut_location_;
  bool is_cut_used_ = false;
  Strings strings_;
  AttributeTable attributes_{strings_};
  /// The attributes that nearly all locations have.
  const std::uint32_t native_ = attributes_.Id("profile.frame.type", "native");
  const std::uint32_t kernel_ = attributes_.Id("profile.frame.type", "kernel");
  using FunctionKey = std::array<std::uint64_t, 3>;  ///< Strings: name, system name, file
  std::map<FunctionKey, std::uint32_t> function_ids_;
  std::vector<FunctionKey> functions_;  ///< By number, from 1 on
  std::uint32_t last_function_ = 0;     ///< Of FunctionId; 0: none yet
  /// Spot and caller of each stack: spot << 32 | caller.
  std::vector<std::uint64_t> stack_keys_;
  FlatIndex stack_index_;  ///< Into stack_keys_
  std::string stacks_;     ///< Encoded
  // Kept for their memory.
  std::vector<std::uint32_t> chain_;  ///< Of one stack
  SmallMessage message_;              ///< An entry of a table
};

/// Writes bytes to the sink in pieces, which the sink then need not hold as a whole.
void WriteInPieces(std::string_view bytes, Sink& sink);

/// The most bytes of a message that readers of protocol buffers take: 2^31 - 1.
inline constexpr std::size_t kMostMessageBytes = 0x7fffffff;
/// The error of a larger one.
inline constexpr Error kTooLarge{Errc::kLimit, 0, "a message of OTLP cannot hold more than 2 GiB"};

}  // namespace csink::report::otlp
