#include "symbolizer/report/formats/parts/otlp_dictionary.h"

#include <algorithm>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

#include "core/util/hex.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/otlp_fields.h"
#include "symbolizer/report/formats/parts/protobuf.h"
#include "symbolizer/report/tables/callers.h"

namespace csink::report::otlp {
namespace {

/// More than a sink collects (64 KiB), so that pieces are passed on without a copy.
constexpr std::size_t kPiece = std::size_t{96} << 10;

/// Begins a table: entry 0 is the empty message.
std::string TableOf(std::uint32_t field) {
  std::string table;
  protozero::pbf_writer(table).add_message(field, "", 0);
  return table;
}

}  // namespace

void WriteInPieces(std::string_view bytes, Sink& sink) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPiece))) {
    sink << bytes.substr(0, kPiece);
  }
}

Dictionary::Dictionary(const Report& report, bool inlines)
    : profile_(report.profile),
      inlines_(inlines),
      spots_(report),
      layout_(report, spots_),
      cut_location_(static_cast<std::uint32_t>(spots_.all().size() + 1)),
      stacks_(TableOf(dictionary_field::kStack)) {
  stack_keys_.reserve(profile_.places.size());
  stack_index_.Reserve(profile_.places.size());
  // The usual size without callers. Room that is not needed costs no memory, but each larger copy
  // of a growing string does.
  constexpr std::size_t kStackBytes = 8;
  stacks_.reserve(profile_.places.size() * kStackBytes);
}

std::uint32_t Dictionary::StackOf(std::size_t place) {
  const std::uint32_t leaf = spots_.OfPlace(place);
  const std::uint32_t first = profile_.places[place].caller;
  const std::uint64_t key = std::uint64_t{leaf} << 32 | first;
  const std::uint32_t known = stack_index_.FindOrAdd(
      Mix(0, key), stack_keys_.size(), [&](std::uint32_t i) { return stack_keys_[i] == key; });
  // Entry 0 is the empty stack.
  if (known != stack_keys_.size()) return known + 1;
  stack_keys_.push_back(key);
  // Innermost first. Location 0 means none, so that spots are counted from 1.
  chain_.assign(1, leaf + 1);
  for (std::uint32_t c = first; c != 0; c = profile_.callers[c].parent) {
    const Caller& caller = profile_.callers[c];
    if (!caller.IsEmpty()) chain_.push_back(spots_.OfCaller(c) + 1);
    if (!caller.IsCut()) continue;
    chain_.push_back(cut_location_);
    is_cut_used_ = true;
  }
  message_.Clear();
  message_.AddPacked(stack_field::kLocation, chain_);
  message_.AppendTo(stacks_, dictionary_field::kStack);
  return known + 1;
}

AttributeIds Dictionary::MappingAttributes(const Module& module, const SegmentNames& names) {
  AttributeIds ids;
  if (!module.build_id.empty()) {
    ids.push_back(attributes_.Id("process.executable.build_id.gnu", ToHex(module.build_id)));
  }
  // Converters to pprof read these; readers of pprof then do not search for names again.
  ids.push_back(attributes_.Id("pprof.mapping.has_functions", names.functions));
  ids.push_back(attributes_.Id("pprof.mapping.has_filenames", names.files));
  ids.push_back(attributes_.Id("pprof.mapping.has_line_numbers", names.lines));
  ids.push_back(attributes_.Id("pprof.mapping.has_inline_frames", names.inlines));
  return ids;
}

std::string Dictionary::Mappings() {
  const std::vector<SegmentNames> names = NamesOfSegments(spots_, layout_, inlines_);
  std::string table = TableOf(dictionary_field::kMapping);
  protozero::pbf_writer writer(table);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Segment& segment = layout_.segments()[i];
    const Module& module = profile_.modules[segment.module];
    const AttributeIds attributes = MappingAttributes(module, names[i]);
    protozero::pbf_writer mapping(writer, dictionary_field::kMapping);
    AddNumber(mapping, mapping_field::kStart, segment.start);
    AddNumber(mapping, mapping_field::kLimit, segment.limit);
    AddNumber(mapping, mapping_field::kOffset, segment.file_offset);
    AddNumber(
        mapping, mapping_field::kFile,
        strings_.Id(module.path.empty() || module.is_anonymous ? spots_.ModuleName(segment.module)
                                                               : std::string_view(module.path)));
    mapping.add_packed_uint32(mapping_field::kAttribute, attributes.begin(), attributes.end());
  }
  return table;
}

void Dictionary::LocationAttributes(std::uint32_t spot, AttributeIds& ids) {
  const Module& module = profile_.modules[spots_.all()[spot].code.module];
  ids.clear();
  // Code that a JIT wrote has no type: which language it is of is not known.
  if (IsKernelCode(module)) {
    ids.push_back(kernel_);
  } else if (!module.is_anonymous && !module.is_unknown) {
    ids.push_back(native_);
  }
  // The linker folded functions with equal code, or the function has aliases: one name of several.
  if (spots_.all()[spot].location->aliases != 0) {
    ids.push_back(attributes_.Id("pprof.location.is_folded", true));
  }
}

std::uint32_t Dictionary::FunctionId(const Frame& frame) {
  // Spots are sorted by address: the one before is often in the same function.
  if (last_function_ != 0) {
    const FunctionKey& last = functions_[last_function_ - 1];
    const auto& texts = strings_.texts();
    if (texts[last[0]] == frame.function && texts[last[1]] == frame.raw_name &&
        texts[last[2]] == frame.file) {
      return last_function_;
    }
  }
  const FunctionKey key = {strings_.Id(frame.function), strings_.Id(frame.raw_name),
                           strings_.Id(frame.file)};
  const auto next = static_cast<std::uint32_t>(functions_.size() + 1);
  const auto [it, is_new] = function_ids_.emplace(key, next);
  if (is_new) functions_.push_back(key);
  last_function_ = it->second;
  return last_function_;
}

std::string Dictionary::Locations() {
  constexpr std::size_t kLocationBytes = 24;  // The usual size
  std::string table = TableOf(dictionary_field::kLocation);
  table.reserve(spots_.all().size() * kLocationBytes);
  SmallMessage line;
  const auto add_line = [&](const Frame& frame) {
    line.Clear();
    line.AddNumber(line_field::kFunction, FunctionId(frame));
    line.AddNumber(line_field::kLine, frame.line);
    message_.AddBytes(location_field::kLine, line.bytes());
  };
  AttributeIds attributes;
  std::vector<Frame> frames;
  for (std::uint32_t i = 0; i < spots_.all().size(); ++i) {
    LocationAttributes(i, attributes);
    spots_.FramesOf(i, frames);
    message_.Clear();
    message_.AddNumber(location_field::kMapping, std::uint64_t{layout_.SegmentOf(i)} + 1);
    message_.AddNumber(location_field::kAddress, layout_.AddressOf(i));
    for (const Frame& frame : frames) {
      if (!frame.is_inlined || inlines_) add_line(frame);
    }
    message_.AddPacked(location_field::kAttribute, attributes);
    message_.AppendTo(table, dictionary_field::kLocation);
  }
  // It has no mapping and no address.
  if (is_cut_used_) {
    message_.Clear();
    add_line({kCutName, {}, {}, 0, false});
    message_.AppendTo(table, dictionary_field::kLocation);
  }
  return table;
}

// After Locations, which gives the functions their numbers.
std::string Dictionary::Functions() {
  std::string table = TableOf(dictionary_field::kFunction);
  for (const FunctionKey& key : functions_) {
    message_.Clear();
    message_.AddNumber(function_field::kName, key[0]);
    message_.AddNumber(function_field::kSystemName, key[1]);
    message_.AddNumber(function_field::kFile, key[2]);
    // Also if it is empty: numbers count all entries.
    message_.AppendTo(table, dictionary_field::kFunction);
  }
  return table;
}

std::string Dictionary::Attributes() const {
  std::string table = TableOf(dictionary_field::kAttribute);
  protozero::pbf_writer writer(table);
  for (const std::string& message : attributes_.messages()) {
    writer.add_message(dictionary_field::kAttribute, message);
  }
  return table;
}

// Written after all other tables have been made, because each of them adds texts.
std::string Dictionary::Texts() const {
  std::string table;
  protozero::pbf_writer writer(table);
  for (const std::string_view text : strings_.texts()) {
    // Nearly all names are clean, and need no copy.
    if (IsPlainName(text)) {
      writer.add_string(dictionary_field::kString, text.data(), text.size());
    } else {
      writer.add_string(dictionary_field::kString, CleanName(text, {}, ' '));
    }
  }
  return table;
}

Result<void> Dictionary::Write(std::uint32_t field, Sink& sink) {
  // Each table puts its strings and attributes into those that follow. The table of links has the
  // empty entry alone: samples belong to no span.
  const std::string mappings = Mappings();
  const std::string locations = Locations();
  const std::string functions = Functions();
  const std::string links = TableOf(dictionary_field::kLink);
  const std::string attributes = Attributes();
  const std::string texts = Texts();
  const std::string* const tables[] = {&mappings, &locations,  &functions, &links,
                                       &texts,    &attributes, &stacks_};
  std::size_t size = 0;
  for (const std::string* table : tables) size += table->size();
  if (size > kMostMessageBytes) return kTooLarge;
  std::string head;
  protozero::add_varint_to_buffer(
      &head, protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited));
  protozero::add_varint_to_buffer(&head, size);
  sink << head;
  for (const std::string* table : tables) WriteInPieces(*table, sink);
  return {};
}

}  // namespace csink::report::otlp
