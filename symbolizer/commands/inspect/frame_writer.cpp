#include "symbolizer/commands/inspect/frame_writer.h"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

/// File: frames in the layout of addr2line -f -i, for programs that read that, and as JSON. Each
/// address is written as soon as it is answered, so the array is opened and closed by hand.

namespace csink::tool {
namespace {

using symbolizer::Location;
using Json = nlohmann::ordered_json;

/// "0x4011a6".
std::string Hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, number);
  return text;
}

/// Calls `take` with function, file and line of each frame, innermost first.
template <class Take>
void ForEachFrame(const Location& location, Take take) {
  // The position of the address is in the innermost function; each further frame has the position
  // of the call in it.
  const std::string* file = &location.file;
  std::uint32_t line = location.line;
  for (const auto& frame : location.inlined) {
    take(frame.function, *file, line);
    file = &frame.call_file;
    line = frame.call_line;
  }
  take(location.function, *file, line);
}

/// Appends the address, then the frames as addr2line -f -i prints them. "??": nothing is known.
void AddText(std::uint64_t address, const Location* location, std::string& out) {
  out += Hex(address) + "\n";
  const auto add = [&](const std::string& function, const std::string& file, std::uint32_t line) {
    out += function;
    out += '\n';
    out += file.empty() ? "??" : file;
    out += ':';
    out += std::to_string(line);
    out += '\n';
  };
  if (location == nullptr) return add("??", "", 0);
  ForEachFrame(*location, add);
}

/// Appends an array element, indented by one blank for each level.
void AddJson(std::uint64_t address, const Location* location, std::string& out) {
  Json frames = Json::array();
  if (location != nullptr) {
    ForEachFrame(*location,
                 [&](const std::string& function, const std::string& file, std::uint32_t line) {
                   frames.push_back({{"function", function}, {"file", file}, {"line", line}});
                 });
  }
  // An array of one element, so that the element is indented as in a larger array.
  const Json array = Json::array({{{"address", Hex(address)}, {"frames", std::move(frames)}}});
  const std::string text = array.dump(1, ' ', false, Json::error_handler_t::replace);
  out += text.substr(1, text.size() - 3);  // Without the brackets and the last newline
}

}  // namespace

void FrameWriter::Add(std::uint64_t address, const Location* location, std::string& out) {
  if (format_ == ReportFormat::kText) return AddText(address, location, out);
  out += has_begun_ ? "," : "[";
  has_begun_ = true;
  AddJson(address, location, out);
}

std::string FrameWriter::End() const {
  if (format_ == ReportFormat::kText) return "";
  return has_begun_ ? "\n]\n" : "[]\n";
}

}  // namespace csink::tool
