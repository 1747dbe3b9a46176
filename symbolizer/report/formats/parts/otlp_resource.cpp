#include "symbolizer/report/formats/parts/otlp_resource.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>

#include "core/util/raw_log.h"
#include "core/util/utf8.h"
#include "symbolizer/report/formats/parts/container.h"

namespace csink::report::otlp {
namespace {

constexpr char kServiceName[] = "service.name";

/// The text without blanks and tabs at its ends.
std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// The value of a hexadecimal digit; -1: it is none.
int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The text with each %XX replaced by its byte; nullopt if that is not possible, or not UTF-8.
std::optional<std::string> Decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = DigitOf(text[i + 1]);
    const int low = DigitOf(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  for (std::size_t at = 0; at < decoded.size();) {
    const std::size_t bytes = Utf8Bytes(decoded, at);
    if (bytes == 0) return std::nullopt;
    at += bytes;
  }
  return decoded;
}

/// Sets an attribute; replaces an earlier value.
void Set(Resource& resource, std::string_view key, Value value) {
  const auto it = std::find_if(resource.begin(), resource.end(),
                               [&](const auto& attribute) { return attribute.first == key; });
  if (it != resource.end()) {
    it->second = std::move(value);
  } else {
    resource.emplace_back(key, std::move(value));
  }
}

/// The same, unless the text is empty.
void SetText(Resource& resource, std::string_view key, const std::string& text) {
  if (!text.empty()) Set(resource, key, text);
}

/// The service of a program, unless the environment names one. Without a program, the name that
/// the specification demands for an unknown one.
Resource Begin(const std::string& program) {
  return {{kServiceName, program.empty() ? "unknown_service" : program}};
}

/// Applies the environment.
Resource Finish(Resource resource, const ResourceSettings& settings) {
  for (const auto& [key, value] : settings.attributes) Set(resource, key, value);
  // OTEL_SERVICE_NAME takes precedence over service.name of OTEL_RESOURCE_ATTRIBUTES
  // (OpenTelemetry's resource specification).
  SetText(resource, kServiceName, settings.service_name);
  return resource;
}

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> ParseResourceAttributes(
    std::string_view text) {
  std::vector<std::pair<std::string, std::string>> attributes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view element = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (element.empty()) continue;
    const std::size_t equals = element.find('=');
    // One malformed element makes the whole list unusable, as the specification demands.
    if (equals == element.npos) return std::nullopt;
    auto key = Decoded(Trimmed(element.substr(0, equals)));
    auto value = Decoded(Trimmed(element.substr(equals + 1)));
    if (!key || key->empty() || !value) return std::nullopt;
    attributes.emplace_back(std::move(*key), std::move(*value));
  }
  return attributes;
}

ResourceSettings ReadResourceSettings() {
  ResourceSettings settings;
  // secure_getenv(3): no variables where the program has raised rights.
  if (const char* name = ::secure_getenv("OTEL_SERVICE_NAME")) settings.service_name = name;
  const char* text = ::secure_getenv("OTEL_RESOURCE_ATTRIBUTES");
  auto attributes = ParseResourceAttributes(text ? text : "");
  if (attributes) {
    settings.attributes = std::move(*attributes);
    return settings;
  }
  // A program that sends profiles again and again would repeat the line each time.
  static std::atomic<bool> has_told = false;
  if (!has_told.exchange(true)) {
    RawLog(LogLevel::kWarn,
           "OTEL_RESOURCE_ATTRIBUTES is ignored: it must be key=value,key=value, with %XX for "
           "other bytes");
  }
  return settings;
}

Resource ResourceOf(const ProcessRow& process, const ResourceSettings& settings) {
  Resource resource = Begin(process.program);
  SetText(resource, "host.name", process.host);
  // A row that stands for several processes has the numbers of none.
  if (process.processes > 1) {
    Set(resource, "csink.processes", NumberValue(process.processes));
  } else {
    if (process.pid != 0) Set(resource, "process.pid", NumberValue(process.pid));
    if (process.parent_pid != 0) {
      Set(resource, "process.parent_pid", NumberValue(process.parent_pid));
    }
    // Images of one process (exec) have the same pid.
    if (process.generation != 0) {
      Set(resource, "csink.process.generation", NumberValue(process.generation));
    }
    // Only of a process that still runs on this machine (container.h).
    SetText(resource, "container.id", ContainerOf(process));
  }
  SetText(resource, "process.executable.name", process.program);
  SetText(resource, "process.command_line", process.command);
  if (process.rank >= 0) Set(resource, "csink.rank", process.rank);
  SetText(resource, "csink.job", process.job);
  return Finish(std::move(resource), settings);
}

Resource ResourceOfAll(const Report& report, const ResourceSettings& settings) {
  const auto& processes = report.profile.processes;
  Resource resource = Begin(processes.empty() ? std::string() : processes[0].program);
  SetText(resource, "host.name", report.host);
  SetText(resource, "process.command_line", report.command);
  return Finish(std::move(resource), settings);
}

}  // namespace csink::report::otlp
