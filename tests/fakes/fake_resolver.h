#pragma once

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "symbolizer/names/resolve/resolver.h"

namespace csink::testing {

/// Answers from a table of functions, for tests of everything behind the symbolizer.
class FakeResolver {
 public:
  struct Function {
    std::uint64_t end = 0;  ///< File offsets [key, end) belong to it.
    std::string name = {};
    std::string file = {};         ///< Empty: no line information.
    std::uint32_t first_line = 0;  ///< The line of an offset: first_line + (offset - begin) / 16
    std::vector<symbolizer::InlineFrame> inlined = {};  ///< At all of its offsets
  };

  void Add(const std::string& path, std::uint64_t begin, Function function) {
    functions_[path][begin] = std::move(function);
  }
  /// A variable at an address of the module's data.
  void AddData(const std::string& path, std::uint64_t address, const std::string& name) {
    data_[path][address] = name;
  }
  /// The module's answer will carry this problem.
  void SetProblem(const std::string& path, const std::string& problem) {
    problems_[path] = problem;
  }

  /// The module has exported names only: its answer says has_symbols = false.
  void SetStripped(const std::string& path) { stripped_.insert(path); }

  symbolizer::ModuleAnswer operator()(const symbolizer::ModuleRequest& request) const {
    ++requests_[request.path];
    symbolizer::ModuleAnswer answer;
    const auto module = functions_.find(request.path);
    answer.has_symbols = module != functions_.end() && stripped_.count(request.path) == 0;
    const auto problem = problems_.find(request.path);
    if (problem != problems_.end()) answer.problem = problem->second;
    for (const std::uint64_t offset : request.file_offsets) {
      answer.locations.push_back(Locate(request, offset));
      if (gives_addresses_) answer.locations.back().vaddr = offset;
    }
    for (const std::uint64_t address : request.data_addresses) {
      const auto data = data_.find(request.path);
      answer.data_names.emplace_back();
      if (data == data_.end()) continue;
      const auto name = data->second.find(address);
      if (name != data->second.end()) answer.data_names.back() = name->second;
    }
    for (const std::string& symbol : request.calls_from) {
      answer.called.emplace_back();
      const auto callees = callees_.find(request.path);
      if (callees == callees_.end()) continue;
      const auto starts = callees->second.find(symbol);
      if (starts != callees->second.end()) answer.called.back() = starts->second;
    }
    return answer;
  }
  /// What an exported function of the module reaches by direct calls: starts of functions.
  void AddCallees(const std::string& path, const std::string& symbol,
                  std::vector<std::uint64_t> starts) {
    callees_[path][symbol] = std::move(starts);
  }
  /// Locations get their own address, too (Location::vaddr): the file offset.
  void GiveAddresses() { gives_addresses_ = true; }

  int requests(const std::string& path) const { return requests_[path]; }

 private:
  symbolizer::Location Locate(const symbolizer::ModuleRequest& request,
                              std::uint64_t offset) const {
    symbolizer::Location location;
    const auto module = functions_.find(request.path);
    if (module != functions_.end()) {
      auto it = module->second.upper_bound(offset);
      if (it != module->second.begin() && offset < (--it)->second.end) {
        const Function& function = it->second;
        location.function = function.name;
        location.raw_name = function.name;
        location.source = symbolizer::NameSource::kSymbol;
        location.function_vaddr = it->first;
        location.inlined = function.inlined;
        if (!function.file.empty()) {
          location.file = function.file;
          location.line =
              function.first_line + static_cast<std::uint32_t>((offset - it->first) / 16);
        }
        return location;
      }
    }
    // As the symbolizer does for stripped code: bounds of 4 KiB stand for unwind entries.
    const std::uint64_t begin = offset & ~0xfffull;
    char text[32];
    std::snprintf(text, sizeof text, "+0x%llx]", static_cast<unsigned long long>(begin));
    location.function = "[" + request.path.substr(request.path.rfind('/') + 1) + text;
    location.function_vaddr = begin;
    location.source =
        request.is_anonymous ? symbolizer::NameSource::kNone : symbolizer::NameSource::kFde;
    return location;
  }

  std::map<std::string, std::map<std::uint64_t, Function>> functions_;
  std::map<std::string, std::map<std::uint64_t, std::string>> data_;
  std::map<std::string, std::map<std::string, std::vector<std::uint64_t>>> callees_;
  bool gives_addresses_ = false;
  std::map<std::string, std::string> problems_;
  std::set<std::string> stripped_;
  mutable std::map<std::string, int> requests_;
};

}  // namespace csink::testing
