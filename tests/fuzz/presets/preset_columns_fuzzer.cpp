#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/counting/presets/preset_columns.h"
#include "core/counting/presets/preset_table.h"

namespace {

/// A hybrid machine; neither PMU has a built-in table.
const std::vector<csink::PresentPmu> kPmus = {{"big", true}, {"little", true}};

bool KnowsAllButX(std::string_view name, std::string& why, void*) {
  if (name.find('X') == std::string_view::npos) return true;
  why = "there is no event with an X";
  return false;
}

/// Definitions that are there: those of presets by their code, user events by number.
std::size_t Defined(const csink::PresetTable& table) {
  std::size_t defined = table.UserEventCount();
  for (std::size_t i = 0; i < csink::kStandardPresetCount; ++i)
    defined += table.ByIndex(i) != nullptr;
  return defined;
}

void CheckComplaints(const csink::ComplaintList& complaints) {
  for (const std::string& sentence : complaints.Sentences()) {
    for (char c : sentence) {
      if (c < ' ' || c > '~') std::abort();
    }
  }
}

}  // namespace

/// Any bytes are a file of PAPI_encode_events: all of it is defined, or nothing and it is said
/// which line and value are wrong.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  csink::ComplaintList complaints;
  const std::vector<csink::PresetColumnsLine> lines =
      csink::ReadPresetColumns("file", text, complaints);
  CheckComplaints(complaints);
  std::vector<csink::PresetRequest> requests;
  for (const csink::PresetColumnsLine& line : lines) {
    for (const int column : line.columns) {
      if (column < 1 || static_cast<std::size_t>(column) > size) std::abort();
    }
    if (line.columns.empty()) std::abort();
    requests.push_back(line.request);
  }
  csink::PresetOptions options;
  options.pmus = kPmus;
  options.knows_native = KnowsAllButX;
  const auto table = csink::PresetTable::Load(options);
  csink::DefineFailure failure;
  std::vector<std::uint32_t> codes;
  const bool replace = size % 2 == 0;
  if (table->DefineAll(requests, replace, failure, &codes)) {
    for (const std::uint32_t code : codes) {
      const csink::PresetDefinition* definition = table->ByCode(code);
      if (!definition || definition->natives.empty()) std::abort();
      for (const csink::PresetNative& native : definition->natives) {
        if (native.qualified.find('X') != std::string::npos) std::abort();
      }
    }
    if (codes.size() != Defined(*table)) std::abort();
    return 0;
  }
  if (!codes.empty() || Defined(*table) != 0) std::abort();
  if (failure.sentence.empty() || failure.request >= requests.size()) std::abort();
  return 0;
}
