#include "symbolizer/tool/symbolize_command.h"

#include <elf.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "symbolizer/elf_file.h"
#include "symbolizer/tool/report_command.h"

namespace csink::tool {
namespace {

using symbolizer::Location;

/// The headers of the file. nullopt: complained of.
std::optional<symbolizer::ElfFile> OpenModule(const std::string& path) {
  const auto complain = [&](const Error& error) {
    std::string text = path + " " + error.what;
    if (error.sys_errno != 0) text += std::string(" (") + std::strerror(error.sys_errno) + ")";
    Complain(text);
    return std::nullopt;
  };
  auto object = symbolizer::ObjectBytes::Open(path);
  if (!object) return complain(object.error());
  auto elf = symbolizer::ElfFile::Read(std::move(*object));
  if (!elf) return complain(elf.error());
  return std::move(*elf);
}

/// Where in the file an address lies, as the loadable segments say.
std::optional<std::uint64_t> OffsetOf(const symbolizer::ElfFile& elf, std::uint64_t vaddr) {
  for (const Elf64_Phdr& segment : elf.segments()) {
    if (segment.p_type != PT_LOAD || vaddr < segment.p_vaddr) continue;
    if (vaddr - segment.p_vaddr < segment.p_filesz) {
      return vaddr - segment.p_vaddr + segment.p_offset;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint64_t>> ReadAddresses(std::istream& input) {
  std::vector<std::uint64_t> addresses;
  for (std::string line; std::getline(input, line);) {
    if (line.empty()) continue;
    std::size_t used = 0;
    try {
      addresses.push_back(std::stoull(line, &used, 16));
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != line.size()) {
      Complain("is no address: " + line + " (hexadecimal numbers, one a line)");
      return std::nullopt;
    }
  }
  return addresses;
}

std::string Hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, number);
  return text;
}

void AddPlace(std::string& out, const std::string& file, std::uint32_t line) {
  out += file.empty() ? "??" : file;
  out += ':';
  out += std::to_string(line);
  out += '\n';
}

/// As addr2line -afi: the address, then function and place of every frame, innermost first.
void PrintText(std::string& out, std::uint64_t address, const Location* location) {
  out += Hex(address) + "\n";
  if (location == nullptr) {
    out += "??\n??:0\n";
    return;
  }
  const std::string* file = &location->file;
  std::uint32_t line = location->line;
  for (const auto& frame : location->inlined) {
    out += frame.function;
    out += '\n';
    AddPlace(out, *file, line);
    file = &frame.call_file;
    line = frame.call_line;
  }
  out += location->function;
  out += '\n';
  AddPlace(out, *file, line);
}

nlohmann::ordered_json ToJson(std::uint64_t address, const Location* location) {
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  if (location != nullptr) {
    const auto* file = &location->file;
    auto line = location->line;
    for (const auto& frame : location->inlined) {
      frames.push_back({{"function", frame.function}, {"file", *file}, {"line", line}});
      file = &frame.call_file;
      line = frame.call_line;
    }
    frames.push_back({{"function", location->function}, {"file", *file}, {"line", line}});
  }
  return {{"address", Hex(address)}, {"frames", std::move(frames)}};
}

symbolizer::Detail DetailOf(const SymbolizeOptions& options) {
  if (options.inlines) return symbolizer::Detail::kInlines;
  return options.functions ? symbolizer::Detail::kFunctions : symbolizer::Detail::kLines;
}

}  // namespace

int RunSymbolize(const SymbolizeOptions& options, const report::Resolver& resolve) {
  const auto elf = OpenModule(options.module);
  if (!elf) return kExitNothing;
  std::ios::sync_with_stdio(false);
  const auto addresses = ReadAddresses(std::cin);
  if (!addresses) return kExitNothing;
  symbolizer::ModuleRequest request;
  request.path = options.module;
  request.detail = DetailOf(options);
  for (const std::uint64_t address : *addresses) {
    if (const auto offset = OffsetOf(*elf, address)) request.file_offsets.push_back(*offset);
  }
  auto& offsets = request.file_offsets;
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  const symbolizer::ModuleAnswer answer = resolve(request);
  if (!answer.problem.empty()) Warn(options.module + ": " + answer.problem);
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const std::uint64_t address : *addresses) {
    const auto offset = OffsetOf(*elf, address);
    const Location* location = nullptr;
    if (offset) {
      const auto at = std::lower_bound(offsets.begin(), offsets.end(), *offset) - offsets.begin();
      location = &answer.locations[static_cast<std::size_t>(at)];
    }
    if (options.format == ReportFormat::kText) PrintText(text, address, location);
    if (options.format == ReportFormat::kJson) json.push_back(ToJson(address, location));
  }
  if (options.format == ReportFormat::kJson) {
    text = json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return Print(text) ? 0 : kExitNothing;
}

}  // namespace csink::tool
