#include "symbolizer/commands/mcp/protocol.h"

#include <gmock/gmock.h>

namespace csink::tool::mcp {
namespace {

using ::testing::HasSubstr;

std::vector<Tool> Tools() {
  const Json input = Json::parse(R"({"type":"object","properties":{
      "words":{"type":"array","items":{"type":"string"}},"n":{"type":"number"},
      "yes":{"type":"boolean"},"text":{"type":"string"}},"required":["text"]})");
  return {{"echo", "Says it again.", input, true, [](const Json& arguments) {
             const std::string text = arguments.at("text");
             return Answer{text, text == "bad"};
           }}};
}

Json Ask(const std::string& message) {
  const std::optional<std::string> reply = Reply(message, Tools());
  EXPECT_TRUE(reply.has_value()) << message;
  if (!reply) return {};
  EXPECT_EQ(reply->find('\n'), std::string::npos);
  Json json = Json::parse(*reply);
  EXPECT_EQ(json["jsonrpc"], "2.0");
  return json;
}

Json Call(const std::string& arguments) {
  return Ask(
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":)" +
      arguments + "}}");
}

TEST(McpReply, TakesTheRevisionOfTheClientOrOffersTheNewest) {
  const auto revision = [](const std::string& wanted) {
    return Ask(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
               wanted + "\"}}")["result"]["protocolVersion"];
  };
  EXPECT_EQ(revision("2024-11-05"), "2024-11-05");
  EXPECT_EQ(revision("2025-06-18"), "2025-06-18");
  EXPECT_EQ(revision("1999-01-01"), "2025-11-25");
  const Json json = Ask(R"({"jsonrpc":"2.0","id":7,"method":"initialize"})");
  EXPECT_EQ(json["id"], 7);
  EXPECT_EQ(json["result"]["serverInfo"]["name"], "csink");
  EXPECT_TRUE(json["result"]["capabilities"].contains("tools"));
}

TEST(McpReply, ListsTheToolsWithTheirSchemas) {
  const Json tools = Ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")["result"]["tools"];
  ASSERT_EQ(tools.size(), 1u);
  EXPECT_EQ(tools[0]["name"], "echo");
  EXPECT_EQ(tools[0]["inputSchema"]["type"], "object");
  EXPECT_EQ(tools[0]["annotations"]["readOnlyHint"], true);
}

TEST(McpReply, HasTheAnswerOfATool) {
  const Json json = Call(R"({"text":"h\u00e9\n\u202e","n":1.5,"yes":true,"words":["a"]})");
  EXPECT_EQ(json["id"], "a");
  EXPECT_EQ(json["result"]["isError"], false);
  EXPECT_EQ(json["result"]["content"][0]["type"], "text");
  EXPECT_EQ(json["result"]["content"][0]["text"], "h\u00e9\n\u202e");
  EXPECT_EQ(Call(R"({"text":"bad"})")["result"]["isError"], true);
}

TEST(McpReply, SaysWhatIsWrongWithArguments) {
  const auto wrong = [](const std::string& arguments) {
    const Json result = Call(arguments)["result"];
    EXPECT_EQ(result["isError"], true);
    return result["content"][0]["text"].get<std::string>();
  };
  EXPECT_EQ(wrong("{}"), "the argument text is missing");
  EXPECT_EQ(wrong(R"({"text":1})"), "text must be a string");
  EXPECT_EQ(wrong(R"({"text":"a","words":["a",1]})"), "words must be an array of strings");
  EXPECT_EQ(wrong(R"({"text":"a","yes":"no"})"), "yes must be a boolean");
  EXPECT_EQ(wrong(R"({"text":"a","others":"no"})"), "there is no argument others");
}

TEST(McpReply, IsNotDueForNotificationsAndReplies) {
  for (const char* message :
       {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
        R"({"jsonrpc":"2.0","method":"no/such"})", R"({"jsonrpc":"2.0","id":3,"result":{}})",
        R"({"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}})"}) {
    EXPECT_EQ(Reply(message, Tools()), std::nullopt) << message;
  }
}

TEST(McpReply, ToBadMessagesIsAnError) {
  const auto code = [](const std::string& message) { return Ask(message)["error"]["code"]; };
  EXPECT_EQ(code("{"), -32700);
  EXPECT_EQ(code("\xff\xfe"), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code("7"), -32600);
  EXPECT_EQ(code("{}"), -32600);
  EXPECT_EQ(code(R"({"id":1,"method":7})"), -32600);
  EXPECT_EQ(code(R"({"id":{},"method":"ping"})"), -32600);
  EXPECT_EQ(code(R"({"id":1,"method":"no/such"})"), -32601);
  EXPECT_EQ(code(R"({"id":1,"method":"tools/call","params":{"name":"no"}})"), -32602);
  EXPECT_EQ(code(R"({"id":1,"method":"tools/call","params":[]})"), -32602);
  EXPECT_EQ(code(std::string(kMostMessageBytes + 1, ' ')), -32600);
  // A deep message is parsed without recursion.
  EXPECT_EQ(code(std::string(500'000, '[')), -32700);
}

}  // namespace
}  // namespace csink::tool::mcp
