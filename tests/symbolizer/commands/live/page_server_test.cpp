#include "symbolizer/commands/live/page_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace csink::tool {
namespace {

constexpr char kToken[] = "00112233445566778899aabbccddeeff";

UniqueFd Connected(std::uint16_t port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

/// A server in this thread, and a client in another one.
class Server : public ::testing::Test {
 protected:
  Server() {
    auto listener = ListenOnLoopback(port_);
    EXPECT_TRUE(listener);
    server_ = std::make_unique<PageServer>(std::move(*listener), port_, kToken,
                                           [this](Asked asked, std::uint64_t version) {
                                             asked_.push_back(asked);
                                             PageAnswer answer;
                                             answer.version = 3;
                                             answer.has_ended = version == 2;
                                             if (version < 3) answer.body = body_;
                                             return answer;
                                           });
    EXPECT_TRUE(*server_);
  }

  /// What the server answers to these bytes, until it closes the connection.
  std::string Exchange(const std::string& request) {
    std::string answer;
    std::atomic<bool> is_done = false;
    std::thread client([&] {
      const UniqueFd fd = Connected(port_);
      EXPECT_EQ(send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(request.size()));
      char piece[4096];
      for (ssize_t n; (n = recv(fd.get(), piece, sizeof piece, 0)) > 0;) {
        answer.append(piece, static_cast<std::size_t>(n));
      }
      is_done = true;
    });
    server_->Run([&] { return !is_done.load(); });
    client.join();
    return answer;
  }

  std::string Get(const std::string& path, const std::string& method = "GET",
                  const std::string& more = "") {
    return Exchange(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
                    "\r\nConnection: close\r\n" + more + "\r\n");
  }
  static std::string StatusOf(const std::string& answer) {
    return answer.substr(0, answer.find("\r\n"));
  }

  std::uint16_t port_ = 0;
  std::vector<Asked> asked_;
  std::shared_ptr<const std::string> body_ = std::make_shared<const std::string>("the page");
  std::unique_ptr<PageServer> server_;
};

TEST(ListenOnLoopback, FindsAFreePortAndSaysWhichIsInUse) {
  std::uint16_t port = 0;
  const auto first = ListenOnLoopback(port);
  ASSERT_TRUE(first);
  EXPECT_NE(port, 0);
  const auto second = ListenOnLoopback(port);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().sys_errno, EADDRINUSE);
}

TEST_F(Server, AnswersWithItsHeaders) {
  const std::string answer = Get(std::string("/") + kToken + "/");
  EXPECT_EQ(StatusOf(answer), "HTTP/1.1 200 OK");
  for (const char* header :
       {"Content-Type: text/html; charset=utf-8\r\n", "Cache-Control: no-store\r\n",
        "Referrer-Policy: no-referrer\r\n", "X-Content-Type-Options: nosniff\r\n",
        "Cross-Origin-Resource-Policy: same-origin\r\n", "X-Csink-Version: 3\r\n",
        "X-Csink-State: live\r\n", "Content-Length: 8\r\n", "\r\n\r\nthe page"}) {
    EXPECT_NE(answer.find(header), answer.npos) << header << answer;
  }
}

TEST_F(Server, PassesTheVersionOn) {
  const std::string path = std::string("/") + kToken + "/data?after=";
  EXPECT_NE(Get(path + "2").find("X-Csink-State: ended\r\n"), std::string::npos);
  EXPECT_EQ(StatusOf(Get(path + "3")), "HTTP/1.1 204 No Content");
}

TEST_F(Server, RefusesAllElse) {
  const std::string path = std::string("/") + kToken + "/";
  EXPECT_EQ(StatusOf(Get("/")), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(StatusOf(Get(path + "x")), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(StatusOf(Exchange("GET " + path +
                              " HTTP/1.1\r\nHost: evil.example\r\n"
                              "Connection: close\r\n\r\n")),
            "HTTP/1.1 404 Not Found");
  EXPECT_EQ(StatusOf(Exchange("GET " + path + " HTTP/1.0\r\n\r\n")), "HTTP/1.0 404 Not Found");
  for (const char* method : {"HEAD", "POST", "PUT", "DELETE", "OPTIONS"}) {
    EXPECT_EQ(Get(path, method, "Content-Length: 0\r\n").find(" 200 "), std::string::npos)
        << method;
  }
  EXPECT_EQ(Get(path, "POST", "Content-Length: 1000000\r\n").find(" 200 "), std::string::npos);
  EXPECT_EQ(Get(path, "GET", "X-Long: " + std::string(40'000, 'x') + "\r\n").find(" 200 "),
            std::string::npos);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(Server, SendsALongBodyWhole) {
  body_ = std::make_shared<const std::string>(5'000'000, 'x');
  const std::string answer = Get(std::string("/") + kToken + "/");
  EXPECT_TRUE(answer.substr(answer.find("\r\n\r\n") + 4) == *body_) << answer.size();
  EXPECT_EQ(body_.use_count(), 1) << "the buffer has let it go";
}

TEST_F(Server, EndsWithASignal) {
  int ticks = 0;
  server_->Run([&] {
    if (++ticks == 2) raise(SIGINT);
    return ticks < 100;
  });
  EXPECT_LT(ticks, 100);
}

}  // namespace
}  // namespace csink::tool
