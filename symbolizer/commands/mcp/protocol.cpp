#include "symbolizer/commands/mcp/protocol.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/version/number.h"

namespace csink::tool::mcp {
namespace {

// JSON-RPC 2.0, section 5.1.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;

/// The revisions, the newest first. Those parts that this server uses are the same in all.
constexpr std::array<std::string_view, 4> kRevisions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                        "2024-11-05"};

constexpr char kInstructions[] =
    "Profiles of programs on Linux, by csink. Begin with `findings` of a profile; `show` explains "
    "a "
    "name by the id that stands before it. A profile is a spool, a folder of spools, a merged "
    "file, "
    "or the number of a process that runs under csink.";

std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ErrorReply(const Json& id, int code, const std::string& message) {
  return Text({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

std::string ResultReply(const Json& id, Json result) {
  return Text({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

/// The member as an object; an empty one if it is missing or of another type.
Json ObjectIn(const Json& from, const char* name) {
  const auto it = from.find(name);
  return it != from.end() && it->is_object() ? *it : Json::object();
}

std::string StringIn(const Json& from, const char* name) {
  const auto it = from.find(name);
  return it != from.end() && it->is_string() ? it->get<std::string>() : "";
}

Json Initialized(const Json& params) {
  const std::string wanted = StringIn(params, "protocolVersion");
  const bool is_known = std::find(kRevisions.begin(), kRevisions.end(), wanted) != kRevisions.end();
  return {{"protocolVersion", is_known ? wanted : std::string(kRevisions[0])},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "csink"}, {"version", CSINK_VERSION}}},
          {"instructions", kInstructions}};
}

Json Listed(const std::vector<Tool>& tools) {
  Json list = Json::array();
  for (const Tool& tool : tools) {
    list.push_back({{"name", tool.name},
                    {"description", tool.description},
                    {"inputSchema", tool.input},
                    {"annotations", {{"readOnlyHint", tool.only_reads}}}});
  }
  return {{"tools", std::move(list)}};
}

bool HasType(const Json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
}

/// What is wrong with the arguments of a call; empty: nothing.
std::string Wrong(const Json& schema, const Json& arguments) {
  const Json& properties = schema.at("properties");
  for (const auto& [name, value] : arguments.items()) {
    const auto property = properties.find(name);
    if (property == properties.end()) return "there is no argument " + name;
    const std::string type = property->at("type");
    if (!HasType(value, type)) {
      return name + " must be " + (type == "array" ? "an array of strings" : "a " + type);
    }
  }
  for (const Json& name : schema.at("required")) {
    if (!arguments.contains(name.get<std::string>())) {
      return "the argument " + name.get<std::string>() + " is missing";
    }
  }
  return "";
}

std::string Called(const Json& id, const Json& params, const std::vector<Tool>& tools) {
  const std::string name = StringIn(params, "name");
  const auto tool =
      std::find_if(tools.begin(), tools.end(), [&](const Tool& one) { return one.name == name; });
  if (tool == tools.end()) return ErrorReply(id, kInvalidParams, "unknown tool: " + name);
  const Json arguments = ObjectIn(params, "arguments");
  // A model reads the text of a result, not JSON-RPC's errors, and can correct itself.
  const std::string wrong = Wrong(tool->input, arguments);
  const Answer answer = wrong.empty() ? tool->call(arguments) : Answer{wrong, true};
  return ResultReply(
      id, {{"content", {{{"type", "text"}, {"text", answer.text}}}}, {"isError", answer.is_error}});
}

}  // namespace

std::optional<std::string> Reply(const std::string& message, const std::vector<Tool>& tools) {
  if (message.size() > kMostMessageBytes) {
    return ErrorReply(nullptr, kInvalidRequest, "the message is longer than 1 MiB");
  }
  const Json json = Json::parse(message, nullptr, false);
  if (json.is_discarded()) return ErrorReply(nullptr, kParseError, "not JSON");
  if (!json.is_object()) return ErrorReply(nullptr, kInvalidRequest, "not an object");
  const auto id = json.find("id");
  const auto method = json.find("method");
  if (method == json.end()) {
    // A reply to a request, which this server never sends, or nothing that JSON-RPC knows.
    if (json.contains("result") || json.contains("error")) return std::nullopt;
    return ErrorReply(nullptr, kInvalidRequest, "no method");
  }
  if (id == json.end()) return std::nullopt;  // A notification
  if (!method->is_string() || !(id->is_string() || id->is_number_integer())) {
    return ErrorReply(nullptr, kInvalidRequest, "the method or the id has the wrong type");
  }
  const Json params = ObjectIn(json, "params");
  if (*method == "initialize") return ResultReply(*id, Initialized(params));
  if (*method == "ping") return ResultReply(*id, Json::object());
  if (*method == "tools/list") return ResultReply(*id, Listed(tools));
  if (*method == "tools/call") return Called(*id, params, tools);
  return ErrorReply(*id, kMethodNotFound, "unknown method: " + method->get<std::string>());
}

}  // namespace csink::tool::mcp
