#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// File: the Model Context Protocol (revisions 2024-11-05 to 2025-11-25) as a server with tools:
/// JSON-RPC 2.0 messages, a line each. Format: modelcontextprotocol.io/specification.

namespace csink::tool::mcp {

using Json = nlohmann::ordered_json;

/// What a tool says.
struct Answer {
  std::string text;
  bool is_error = false;
};

/// A tool of the server.
struct Tool {
  std::string name;
  std::string description;
  Json input;  ///< JSON Schema of its arguments: an object whose properties are strings,
               ///< numbers, booleans or arrays of strings
  bool only_reads = true;
  std::function<Answer(const Json& arguments)> call;
};

/// The reply to a message, in one line without its end; nullopt where none is due (notifications,
/// and replies to requests that this server does not send). Never throws: a message that is no
/// valid request gets JSON-RPC's error. Arguments are compared with the tool's schema before it is
/// called: required ones are there, none is unknown, types are right.
std::optional<std::string> Reply(const std::string& message, const std::vector<Tool>& tools);

/// The longest message that is read, in bytes. A longer one gets an error.
inline constexpr std::size_t kMostMessageBytes = std::size_t{1} << 20;

}  // namespace csink::tool::mcp
