#include "symbolizer/commands/live/request_check.h"

#include <gtest/gtest.h>

#include <set>

namespace csink::tool {
namespace {

constexpr char kToken[] = "00112233445566778899aabbccddeeff";
constexpr char kHost[] = "127.0.0.1:4711";

Asked Ask(const std::string& path, const std::string& host = kHost) {
  return WhatIsAsked(path, host, kToken, 4711);
}

TEST(RandomToken, HasManyBitsAndIsNewEachTime) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const auto token = RandomToken();
    ASSERT_TRUE(token);
    EXPECT_EQ(token->size(), 32u);
    EXPECT_EQ(token->find_first_not_of("0123456789abcdef"), std::string::npos) << *token;
    tokens.insert(*token);
  }
  EXPECT_EQ(tokens.size(), 100u);
}

TEST(WhatIsAsked, KnowsThePathsBehindTheToken) {
  const std::string path = std::string("/") + kToken;
  EXPECT_EQ(Ask(path + "/"), Asked::kPage);
  EXPECT_EQ(Ask(path + "/data"), Asked::kData);
  EXPECT_EQ(Ask(path + "/alive"), Asked::kAlive);
}

TEST(WhatIsAsked, RefusesOtherPaths) {
  const std::string token = kToken;
  for (const std::string& path :
       {std::string(), std::string("/"), std::string("//"), token, "/" + token, "/" + token + "//",
        "/" + token + "/data/", "/" + token + "/../data", "/" + token + "/other",
        "/" + token + "/data\n", "//" + token + "/", "/" + token + "0/",
        "/" + token.substr(0, 31) + "/", "/" + token.substr(0, 31) + "e/", std::string("/data"),
        "/" + std::string(32, '\0') + "/"}) {
    EXPECT_EQ(Ask(path), Asked::kNothing) << path;
  }
  // Each digit counts.
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string wrong = token;
    wrong[i] = 'x';
    EXPECT_EQ(Ask("/" + wrong + "/"), Asked::kNothing) << wrong;
  }
}

TEST(WhatIsAsked, RefusesWithoutAToken) {
  EXPECT_EQ(WhatIsAsked("//", kHost, "", 4711), Asked::kNothing);
  EXPECT_EQ(WhatIsAsked("//data", kHost, "", 4711), Asked::kNothing);
}

TEST(WhatIsAsked, RefusesOtherHosts) {
  const std::string path = std::string("/") + kToken + "/";
  EXPECT_EQ(Ask(path, "localhost:4711"), Asked::kPage);
  for (const char* host : {"", "127.0.0.1", "localhost", "127.0.0.1:4712", "127.0.0.1:47110",
                           "evil.example:4711", "127.0.0.1:4711.evil.example", "evil.example",
                           "[::1]:4711", "0.0.0.0:4711", " 127.0.0.1:4711"}) {
    EXPECT_EQ(Ask(path, host), Asked::kNothing) << host;
  }
}

TEST(VersionInQuery, ReadsTheNumber) {
  EXPECT_EQ(VersionInQuery("after=17"), 17u);
  EXPECT_EQ(VersionInQuery("after=0"), 0u);
  for (const char* query : {"", "after=", "after=x", "after=-1", "17", "x=1&after=17",
                            "after=99999999999999999999999"}) {
    EXPECT_EQ(VersionInQuery(query), 0u) << query;
  }
}

}  // namespace
}  // namespace csink::tool
