#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// File: what the documentation of Firefox Profiler's processed format demands of version 70
/// (docs-developer/CHANGELOG-formats.md, src/types/profile.ts of
/// github.com/firefox-devtools/profiler).

namespace csink::testing {

/// Looks for violations of the format.
class FirefoxCheck {
 public:
  using Json = nlohmann::json;
  explicit FirefoxCheck(const Json& profile) : profile_(profile) {
    Meta();
    Strings();
    Libraries();
    Shared();
    for (const Json& thread : profile_.at("threads")) Thread(thread);
  }
  /// One line for each violation; empty: none.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void Demand(bool is_so, const std::string& problem) {
    if (!is_so) problems_.push_back(problem);
  }
  void Meta() {
    const Json& meta = profile_.at("meta");
    Demand(meta.at("preprocessedProfileVersion") == 70, "version");
    for (const char* number : {"interval", "startTime", "processType", "version"}) {
      Demand(meta.at(number).is_number(), number);
    }
    Demand(meta.at("stackwalk") == 0 || meta.at("stackwalk") == 1, "stackwalk");
    Demand(meta.at("product").is_string(), "product");
    Demand(meta.at("symbolicated") == true, "symbolicated");
    Demand(meta.at("markerSchema").is_array(), "markerSchema");
    bool has_grey = false;
    for (const Json& category : meta.at("categories")) {
      has_grey = has_grey || category.at("color") == "grey";
      Demand(category.at("subcategories").at(0) == "Other", "subcategory 0");
    }
    Demand(has_grey, "the default category");
    for (const Json& section : meta.at("extra")) {
      for (const Json& entry : section.at("entries")) {
        Demand(entry.at("label").is_string() && entry.at("format") == "string" &&
                   entry.at("value").is_string(),
               "extra");
      }
    }
  }
  void Strings() {
    strings_ = profile_.at("shared").at("stringArray").size();
    for (const Json& text : profile_.at("shared").at("stringArray")) {
      Demand(text.is_string(), "stringArray");
    }
  }
  void Libraries() {
    libs_ = profile_.at("libs").size();
    for (const Json& lib : profile_.at("libs")) {
      for (const char* key : {"arch", "name", "path", "debugName", "debugPath", "breakpadId"}) {
        Demand(lib.at(key).is_string(), key);
      }
      Demand(lib.at("breakpadId").get<std::string>().size() == 33, "breakpadId");
      Demand(lib.at("codeId").is_null() || lib.at("codeId").is_string(), "codeId");
    }
  }
  /// Whether all columns of a table have its length.
  void Columns(const Json& table, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      Demand(table.at(name).is_array() &&
                 table.at(name).size() == table.at("length").get<std::size_t>(),
             std::string("length of ") + name);
    }
  }
  /// Whether a column holds indices below `size`, or null or -1 where `none` is that.
  void Indices(const Json& table, const char* name, std::size_t size, const Json& none = "never") {
    for (const Json& index : table.at(name)) {
      if (index == none) continue;
      Demand(index.is_number_unsigned() && index.get<std::size_t>() < size,
             std::string("index in ") + name);
    }
  }
  void Thread(const Json& thread) {
    for (const char* text : {"processType", "name", "processName", "pid"}) {
      Demand(thread.at(text).is_string(), text);
    }
    Demand(thread.at("isMainThread").is_boolean() && thread.at("tid").is_number(), "thread");
    Demand(thread.at("pausedRanges").is_array() && thread.at("registerTime").is_number() &&
               thread.at("processStartupTime").is_number(),
           "thread times");
    const Json& markers = thread.at("markers");
    Columns(markers, {"data", "name", "startTime", "endTime", "phase", "category"});
    Indices(markers, "name", strings_);
    for (const Json& data : markers.at("data")) {
      bool has_schema = false;
      for (const Json& schema : profile_.at("meta").at("markerSchema")) {
        has_schema = has_schema || schema.at("name") == data.at("type");
      }
      Demand(has_schema, "a marker's schema");
    }
    const Json& samples = thread.at("samples");
    Columns(samples, {"stack", "time", "weight"});
    if (samples.contains("threadCPUDelta")) Columns(samples, {"threadCPUDelta"});
    Indices(samples, "stack", stacks_, nullptr);
    Demand(samples.at("weightType") == "samples" || samples.at("weightType") == "tracing-ms",
           "weightType");
    double before = 0;
    for (const Json& time : samples.at("time")) {
      Demand(time.get<double>() >= before, "times are not in order");
      before = time.get<double>();
    }
  }
  void Shared() {
    const Json& shared = profile_.at("shared");
    const Json& stacks = shared.at("stackTable");
    const Json& frames = shared.at("frameTable");
    const Json& functions = shared.at("funcTable");
    const Json& resources = shared.at("resourceTable");
    const Json& symbols = shared.at("nativeSymbols");
    const Json& sources = shared.at("sources");
    Columns(stacks, {"frame", "prefixOffset"});
    Columns(frames, {"address", "lib", "inlineDepth", "category", "subcategory", "func",
                     "nativeSymbol", "innerWindowID", "line", "column", "originalLocation"});
    Columns(functions, {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber",
                        "columnNumber", "originalLocation"});
    Columns(resources, {"name", "host", "type"});
    Columns(symbols, {"libIndex", "address", "name", "functionSize"});
    Columns(sources, {"id", "filename", "startLine", "startColumn", "sourceMapURL", "content"});
    Columns(shared.at("sourceLocationTable"), {"source", "line", "column"});
    stacks_ = stacks.at("length").get<std::size_t>();
    Indices(stacks, "frame", frames.at("length").get<std::size_t>());
    for (std::size_t i = 0; i < stacks_; ++i) {
      Demand(stacks.at("prefixOffset")[i].get<std::size_t>() <= i, "prefixOffset");
    }
    Indices(frames, "func", functions.at("length").get<std::size_t>());
    Indices(frames, "lib", libs_, -1);
    Indices(frames, "category", profile_.at("meta").at("categories").size());
    Indices(frames, "nativeSymbol", symbols.at("length").get<std::size_t>(), nullptr);
    Indices(functions, "name", strings_);
    Indices(functions, "source", sources.at("length").get<std::size_t>(), nullptr);
    Indices(functions, "resource", resources.at("length").get<std::size_t>(), -1);
    Indices(resources, "name", strings_);
    Indices(symbols, "libIndex", libs_);
    Indices(symbols, "name", strings_);
    Indices(sources, "filename", strings_);
  }

  const Json& profile_;
  std::size_t strings_ = 0, libs_ = 0, stacks_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace csink::testing
