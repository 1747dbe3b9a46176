#include "symbolizer/commands/push/settings.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/util/parse.h"

/// File: reads the variables. A value that may be ignored gives a warning, as the specification
/// wants; what would send the profile to the wrong place or without its authorization is refused.

namespace csink::push {
namespace {

constexpr std::string_view kProfilesPath = "/v1development/profiles";
// The specification's default for OTLP over HTTP.
constexpr char kDefaultEndpoint[] = "http://localhost:4318";

/// A variable with its name, for messages.
struct Named {
  std::string name;
  std::string value;  ///< "": not set
};

/// The form for profiles, else the form for all signals.
Named Find(const Variable& variable, const std::string& name) {
  for (const char* prefix : {"OTEL_EXPORTER_OTLP_PROFILES_", "OTEL_EXPORTER_OTLP_"}) {
    Named found = {prefix + name, ""};
    if (const char* value = variable(found.name.c_str())) {
      found.value = TrimmedBlanks(value);
    }
    // Empty: not set, so the general form is asked.
    if (!found.value.empty()) return found;
  }
  return {};
}

/// Position of the path in a URL that WhatIsWrongWithUrl accepts.
std::size_t PathOf(std::string_view url) {
  return std::min(url.find_first_of("/?#", url.find("://") + 3), url.size());
}

/// The URL up to its query or fragment.
std::string_view WithoutQuery(std::string_view url) {
  return url.substr(0, url.find_first_of("?#"));
}

/// Compares without regard to case, as RFC 3986 wants. `scheme` is in small letters.
bool StartsWithScheme(std::string_view url, std::string_view scheme) {
  const auto is_same = [](char a, char b) {
    return a == std::tolower(static_cast<unsigned char>(b));
  };
  return url.size() >= scheme.size() &&
         std::equal(scheme.begin(), scheme.end(), url.begin(), is_same);
}

/// A token of HTTP (RFC 9110, 5.6.2).
bool IsToken(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c > 0 && std::isalnum(static_cast<unsigned char>(c))) ||
           kMarks.find(c) != std::string_view::npos;
  });
}

/// Value of a hexadecimal digit; 16: it is none.
unsigned DigitOf(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t at =
      kDigits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  return at == std::string_view::npos ? 16 : static_cast<unsigned>(at);
}

/// Replaces %XX. nullopt: a '%' without two digits.
std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    // "%" and "%4" at the end.
    if (text.size() - i < 3) return std::nullopt;
    const unsigned high = DigitOf(text[i + 1]);
    const unsigned low = DigitOf(text[i + 2]);
    if (high > 15 || low > 15) return std::nullopt;
    decoded += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return decoded;
}

/// Here the timeout is that of all attempts together. 0 asks for none, which a push cannot have.
void ReadTimeout(const Variable& variable, Settings& settings) {
  const Named timeout = Find(variable, "TIMEOUT");
  if (timeout.value.empty()) return;
  const auto ms = ParseUnsigned(timeout.value);
  if (!ms) {
    settings.warnings.push_back(timeout.name + "=" + timeout.value +
                                " is ignored: expected milliseconds");
    return;
  }
  settings.timeout_ms = *ms == 0 ? kMostTimeoutMs : std::min(*ms, kMostTimeoutMs);
}

/// An unknown method is ignored with a warning: the profile arrives with either.
void ReadCompression(const Variable& variable, Settings& settings) {
  const Named compression = Find(variable, "COMPRESSION");
  if (compression.value.empty() || compression.value == "gzip") return;
  if (compression.value == "none") {
    settings.compress = false;
    return;
  }
  settings.warnings.push_back(compression.name + "=" + compression.value +
                              " is ignored: expected gzip or none");
}

/// The URL from the user or the variables. False: `wrong` says why there is none.
bool ReadOtlpUrl(const std::string& url, const Variable& variable, Settings& settings,
                 std::string& wrong) {
  // A message about a variable begins with the name of the variable.
  const auto check = [&wrong](const std::string& name, const std::string& value) {
    const std::string why = WhatIsWrongWithUrl(value);
    if (!why.empty()) wrong = (name.empty() ? "" : name + ": ") + why;
    return why.empty();
  };
  if (!url.empty()) {
    if (!check("", url)) return false;
    settings.url = ProfilesUrl(url);
    return true;
  }
  // The endpoint for profiles is used as it is, that for all signals is a base.
  const Named endpoint = Find(variable, "ENDPOINT");
  if (endpoint.value.empty()) {
    settings.url = ProfilesUrl(kDefaultEndpoint);
    return true;
  }
  if (!check(endpoint.name, endpoint.value)) return false;
  // Find has tried the form for profiles first, so the name tells which form was set.
  const bool is_base = endpoint.name == "OTEL_EXPORTER_OTLP_ENDPOINT";
  settings.url = is_base ? ProfilesUrl(endpoint.value) : endpoint.value;
  return true;
}

/// False: another protocol is asked for. To ignore that would send to a port of gRPC.
bool ReadProtocol(const Variable& variable, std::string& wrong) {
  const Named protocol = Find(variable, "PROTOCOL");
  if (protocol.value.empty() || protocol.value == "http/protobuf") return true;
  wrong =
      protocol.name + "=" + protocol.value +
      ": csink sends http/protobuf alone; set OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL=http/protobuf "
      "and the endpoint for it (port 4318)";
  return false;
}

/// Malformed headers are refused: without its authorization the request would be refused, too.
bool ReadHeaders(const Variable& variable, Settings& settings, std::string& wrong) {
  const Named headers = Find(variable, "HEADERS");
  auto decoded = DecodeHeaders(headers.value, wrong);
  if (!decoded) {
    // The value is not shown: it may contain a password.
    wrong = headers.name + ": " + wrong;
    return false;
  }
  settings.headers = std::move(*decoded);
  return true;
}

bool ReadOtlp(const std::string& url, const Variable& variable, Settings& settings,
              std::string& wrong) {
  if (!ReadProtocol(variable, wrong) || !ReadOtlpUrl(url, variable, settings, wrong) ||
      !ReadHeaders(variable, settings, wrong)) {
    return false;
  }
  ReadCompression(variable, settings);
  return true;
}

/// The query with the facts follows when the profile is known.
bool ReadPyroscope(const std::string& url, const Variable& /*variable*/, Settings& settings,
                   std::string& wrong) {
  wrong = url.empty() ? "Pyroscope needs a URL: csink push --to pyroscope URL FILE"
                      : WhatIsWrongWithUrl(url);
  settings.url = url;
  return wrong.empty();
}

/// The receiver that a URL means.
Receiver ReceiverOf(std::string_view url) {
  constexpr std::string_view kPaths[] = {
#define CSINK_RECEIVER(receiver, name, format, path, ...) path,
#include "symbolizer/commands/push/receivers.inc"
#undef CSINK_RECEIVER
  };
  std::size_t otherwise = 0;
  for (std::size_t i = 0; i < std::size(kPaths); ++i) {
    if (kPaths[i].empty()) {
      otherwise = i;
    } else if (WithoutQuery(url).ends_with(kPaths[i])) {
      return static_cast<Receiver>(i);
    }
  }
  return static_cast<Receiver>(otherwise);
}

/// Reads what the receiver has of its own. False: `wrong` says why profiles cannot be sent.
bool ReadForReceiver(const std::string& url, const Variable& variable, Settings& settings,
                     std::string& wrong) {
  switch (settings.receiver) {
#define CSINK_RECEIVER(receiver, name, format, path, read, ...) \
  case Receiver::receiver:                                      \
    return read(url, variable, settings, wrong);
#include "symbolizer/commands/push/receivers.inc"
#undef CSINK_RECEIVER
  }
  return false;
}

}  // namespace

std::string WhatIsWrongWithUrl(std::string_view url) {
  const std::string shown = WithoutSecrets(url);
  if (!StartsWithScheme(url, "http://") && !StartsWithScheme(url, "https://")) {
    return shown + " is no URL that begins with http:// or https://";
  }
  // Such characters would break the line of the request in which the URL is sent.
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  if (std::any_of(url.begin(), url.end(), is_bad)) {
    return shown + " contains a blank or a control character";
  }
  const std::size_t host = url.find("://") + 3;
  const std::string_view authority = url.substr(host, PathOf(url) - host);
  // User and password stand before the last '@'.
  const std::string_view name = authority.substr(authority.rfind('@') + 1);
  if (name.empty() || name[0] == ':') return shown + " names no host";
  return "";
}

std::string ProfilesUrl(std::string_view base) {
  std::string url(WithoutQuery(base));
  while (url.ends_with('/')) url.pop_back();
  if (!url.ends_with(kProfilesPath)) url += kProfilesPath;
  return url;
}

std::optional<std::vector<Header>> DecodeHeaders(std::string_view text, std::string& wrong) {
  std::vector<Header> headers;
  while (!text.empty()) {
    const std::string_view part = TrimmedBlanks(NextToken(text, ','));
    // A comma at the end, or two of them.
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      wrong = "a header has no '=' (NAME=VALUE,NAME=VALUE)";
      return std::nullopt;
    }
    const std::string_view name = TrimmedBlanks(part.substr(0, equals));
    if (!IsToken(name)) {
      wrong = "a header's name is empty or contains a character that HTTP does not allow";
      return std::nullopt;
    }
    auto value = PercentDecoded(TrimmedBlanks(part.substr(equals + 1)));
    if (!value) {
      wrong = "the value of " + std::string(name) + " has a '%' without two hexadecimal digits";
      return std::nullopt;
    }
    // A line break would begin a header of the value's choice.
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
    if (std::any_of(value->begin(), value->end(), is_control)) {
      wrong = "the value of " + std::string(name) + " contains a control character";
      return std::nullopt;
    }
    headers.emplace_back(name, std::move(*value));
  }
  return headers;
}

std::optional<Settings> ReadSettings(const std::string& url, std::optional<Receiver> receiver,
                                     const Variable& variable, std::string& wrong) {
  Settings settings;
  settings.receiver = receiver.value_or(ReceiverOf(url));
  if (!ReadForReceiver(url, variable, settings, wrong)) return std::nullopt;
  // Timeout and certificates hold for all receivers, unlike the headers.
  ReadTimeout(variable, settings);
  settings.certificate = Find(variable, "CERTIFICATE").value;
  settings.client_certificate = Find(variable, "CLIENT_CERTIFICATE").value;
  settings.client_key = Find(variable, "CLIENT_KEY").value;
  return settings;
}

}  // namespace csink::push
