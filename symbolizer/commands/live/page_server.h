#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/live/request_check.h"

/// File: the HTTP server of a live page. libevent does the protocol.

namespace csink::tool {

/// A listening socket at 127.0.0.1. `port` 0: a free port, which `port` receives.
/// Errors: that of socket(2), bind(2) or listen(2); EADDRINUSE: the port is in use.
Result<UniqueFd> ListenOnLoopback(std::uint16_t& port);

/// What is sent for a request that was accepted.
struct PageAnswer {
  /// The body; null: there is nothing new.
  std::shared_ptr<const std::string> body;
  const char* type = "text/html; charset=utf-8";
  /// The newest version of the data, and whether the program still runs: headers of the answer.
  std::uint64_t version = 0;
  bool has_ended = false;
};

/// Answers requests at one address until it is told to stop. Only GET is answered, and only
/// requests that WhatIsAsked accepts; all others get 404, other methods 501,
/// requests with two Host headers 400.
/// A connection may send 16 KiB of headers and no body. It is closed when nothing came for 20 s, or
/// a request's headers took 20 s in all.
/// The number of connections is limited by that of the process's descriptors: beyond it, none is
/// accepted until the next tick.
/// Owns:    the socket, and the handlers of SIGINT, SIGTERM and SIGHUP; SIGPIPE is ignored.
/// Threads: one.
class PageServer {
 public:
  /// Returns the answer. `version` is what the page has already; 0 if the request does not say it.
  using Answer = std::function<PageAnswer(Asked asked, std::uint64_t version)>;

  /// Requests are accepted from now on, and answered in Run.
  PageServer(UniqueFd listener, std::uint16_t port, std::string token, Answer answer);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  /// Whether libevent could start.
  explicit operator bool() const;
  /// Serves until `tick`, which is called four times a second, returns false or one of the signals
  /// arrives.
  void Run(const std::function<bool()>& tick);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace csink::tool
