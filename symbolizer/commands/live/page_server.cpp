#include "symbolizer/commands/live/page_server.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

/// File: the only source that uses libevent. Why not cpp-httplib: Debian has it as a shared library
/// that needs OpenSSL, brotli and a shared libstdc++. csink starts at the end of every profiled
/// program, and each of these libraries would cost that start. libevent's archives need libc alone.

namespace csink::tool {
namespace {

/// Limits of libevent's server: connections that wait to be accepted, bytes of headers, seconds
/// without data, and for the headers of a request in all.
constexpr int kBacklog = 16;
constexpr int kMostHeaders = 16 << 10;
constexpr int kIdleSeconds = 20;
/// Between two looks at the program: a quarter of a second.
constexpr timeval kTick = {0, 250'000};

/// For std::unique_ptr: frees an object of libevent.
template <class T, void (*free)(T*)>
struct Free {
  void operator()(T* object) const { free(object); }
};
using Base = std::unique_ptr<event_base, Free<event_base, event_base_free>>;
using Http = std::unique_ptr<evhttp, Free<evhttp, evhttp_free>>;
using Event = std::unique_ptr<event, Free<event, event_free>>;
using Buffer = std::unique_ptr<evbuffer, Free<evbuffer, evbuffer_free>>;

/// A connection, from its begin until libevent has freed it.
struct Connection {
  bufferevent* bytes;  ///< Counted: libevent frees it when this reference is given back, too
  time_t since;        ///< Begin of the present request, CLOCK_MONOTONIC
};

time_t Seconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

/// Whether libevent has freed it: bufferevent_free(3) takes all callbacks away.
bool IsFreed(bufferevent* bytes) {
  bufferevent_data_cb read = nullptr, write = nullptr;
  bufferevent_event_cb event = nullptr;
  void* argument = nullptr;
  bufferevent_getcb(bytes, &read, &write, &event, &argument);
  return event == nullptr;
}

/// The number of headers called Host. RFC 9112, 3.2: more than one is an error; a proxy in front
/// and this server might each believe another one.
std::size_t HostHeaders(const evkeyvalq* headers) {
  std::size_t count = 0;
  for (const evkeyval* header = headers->tqh_first; header; header = header->next.tqe_next) {
    count += evutil_ascii_strcasecmp(header->key, "Host") == 0;
  }
  return count;
}

/// libevent returns null for a part of a request that is missing.
const char* OrEmpty(const char* text) { return text ? text : ""; }

/// Appends a body without copying it. The buffer holds the body until it was sent.
void AddBody(evbuffer* buffer, std::shared_ptr<const std::string> body) {
  auto* held = new std::shared_ptr<const std::string>(std::move(body));
  const auto release = [](const void*, std::size_t, void* holder) {
    delete static_cast<std::shared_ptr<const std::string>*>(holder);
  };
  if (evbuffer_add_reference(buffer, (*held)->data(), (*held)->size(), release, held) != 0) {
    delete held;
  }
}

}  // namespace

struct PageServer::Parts {
  std::uint16_t port = 0;
  std::string token;
  Answer answer;
  std::function<bool()> tick;
  evconnlistener* listener = nullptr;  ///< Owned by http
  // In this order: what is declared last is freed first, and the base outlives everything.
  Base base;
  Http http;
  Event timer;
  Event signals[3];

  /// Each has a reference, which is given back before `base` is freed.
  std::vector<Connection> connections;

  ~Parts();
  void Reply(evhttp_request* request);
  /// Makes the buffers of a new connection.
  bufferevent* NewConnection();
  /// Closes the connections whose headers take too long. libevent's own limit begins anew with each
  /// byte.
  void CloseSlowConnections();
};

PageServer::Parts::~Parts() {
  for (const Connection& connection : connections) bufferevent_decref(connection.bytes);
}

bufferevent* PageServer::Parts::NewConnection() {
  bufferevent* bytes = bufferevent_socket_new(base.get(), -1, BEV_OPT_CLOSE_ON_FREE);
  if (!bytes) return nullptr;
  bufferevent_incref(bytes);
  connections.push_back({bytes, Seconds()});
  return bytes;
}

void PageServer::Parts::CloseSlowConnections() {
  std::erase_if(connections, [](const Connection& connection) {
    const bool is_freed = IsFreed(connection.bytes);
    if (is_freed) bufferevent_decref(connection.bytes);
    return is_freed;
  });
  for (Connection& connection : connections) {
    // An answer that is being sent: the next request begins behind it.
    if (evbuffer_get_length(bufferevent_get_output(connection.bytes)) > 0) {
      connection.since = Seconds();
    }
    if (Seconds() - connection.since < kIdleSeconds) continue;
    // libevent reads the end of the stream and frees the connection.
    (void)shutdown(bufferevent_getfd(connection.bytes), SHUT_RDWR);
  }
}

void PageServer::Parts::Reply(evhttp_request* request) {
  const evhttp_uri* uri = evhttp_request_get_evhttp_uri(request);
  const evkeyvalq* headers = evhttp_request_get_input_headers(request);
  const bufferevent* own =
      evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
  for (Connection& connection : connections) {
    if (connection.bytes == own) connection.since = Seconds();
  }
  if (HostHeaders(headers) > 1) return evhttp_send_reply(request, 400, "Bad Request", nullptr);
  const Asked asked = WhatIsAsked(OrEmpty(uri ? evhttp_uri_get_path(uri) : nullptr),
                                  OrEmpty(evhttp_find_header(headers, "Host")), token, port);
  // Without text of its own: evhttp_send_error would repeat nothing of the request either, but a
  // refused request should not learn which program listens here.
  if (asked == Asked::kNothing) return evhttp_send_reply(request, 404, "Not Found", nullptr);
  const PageAnswer made = answer(asked, VersionInQuery(OrEmpty(evhttp_uri_get_query(uri))));
  evkeyvalq* out = evhttp_request_get_output_headers(request);
  const auto add = [out](const char* name, const std::string& value) {
    evhttp_add_header(out, name, value.c_str());
  };
  // The page shows a program of the user: no copy is kept, and no other site may load or frame it.
  add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Resource-Policy", "same-origin");
  // The page has its complete policy in itself; this part is only possible in a header.
  add("Content-Security-Policy", "frame-ancestors 'none'");
  add("X-Csink-Version", std::to_string(made.version));
  add("X-Csink-State", made.has_ended ? "ended" : "live");
  if (!made.body) return evhttp_send_reply(request, 204, "No Content", nullptr);
  add("Content-Type", made.type);
  const Buffer buffer(evbuffer_new());
  if (buffer) AddBody(buffer.get(), made.body);
  evhttp_send_reply(request, 200, "OK", buffer.get());
}

Result<UniqueFd> ListenOnLoopback(std::uint16_t& port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return Error{ErrcFromErrno(errno), errno, "cannot make a socket"};
  // A port whose last connections are still being closed may be used again.
  const int on = 1;
  (void)setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd.get(), any, size) != 0 || listen(fd.get(), kBacklog) != 0 ||
      getsockname(fd.get(), any, &size) != 0) {
    return Error{ErrcFromErrno(errno), errno, "cannot listen on 127.0.0.1"};
  }
  port = ntohs(address.sin_port);
  return fd;
}

PageServer::PageServer(UniqueFd listener, std::uint16_t port, std::string token, Answer answer)
    : parts_(std::make_unique<Parts>()) {
  parts_->port = port;
  parts_->token = std::move(token);
  parts_->answer = std::move(answer);
  // A page that is closed while it gets data is an error of write(2), not the end of csink.
  signal(SIGPIPE, SIG_IGN);
  parts_->base.reset(event_base_new());
  if (!parts_->base) return;
  event_base* base = parts_->base.get();
  const auto end = [](evutil_socket_t, short, void* loop) {
    event_base_loopbreak(static_cast<event_base*>(loop));
  };
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    parts_->signals[i].reset(evsignal_new(base, kSignals[i], end, base));
    if (!parts_->signals[i] || event_add(parts_->signals[i].get(), nullptr) != 0) return;
  }
  const auto tick = [](evutil_socket_t, short, void* parts) {
    auto& own = *static_cast<Parts*>(parts);
    // After an error of accept(2) the listener was disabled (see below): this is the pause.
    if (own.listener) evconnlistener_enable(own.listener);
    own.CloseSlowConnections();
    if (own.tick && !own.tick()) event_base_loopbreak(own.base.get());
  };
  parts_->timer.reset(event_new(base, -1, EV_PERSIST, tick, parts_.get()));
  if (!parts_->timer || event_add(parts_->timer.get(), &kTick) != 0) return;
  Http http(evhttp_new(base));
  if (!http) return;
  evhttp_set_allowed_methods(http.get(), EVHTTP_REQ_GET);
  evhttp_set_max_headers_size(http.get(), kMostHeaders);
  // GET has no body. The limits keep a local program from filling the memory.
  evhttp_set_max_body_size(http.get(), 0);
  evhttp_set_timeout(http.get(), kIdleSeconds);
  const auto connect = [](event_base*, void* parts) {
    return static_cast<Parts*>(parts)->NewConnection();
  };
  evhttp_set_bevcb(http.get(), connect, parts_.get());
  const auto reply = [](evhttp_request* request, void* parts) {
    static_cast<Parts*>(parts)->Reply(request);
  };
  evhttp_set_gencb(http.get(), reply, parts_.get());
  evhttp_bound_socket* bound = evhttp_accept_socket_with_handle(http.get(), listener.get());
  if (!bound) return;
  (void)listener.release();  // libevent closes it
  parts_->listener = evhttp_bound_socket_get_listener(bound);
  // Without descriptors, accept(2) fails and the socket stays readable: libevent would try again
  // without a pause.
  evconnlistener_set_error_cb(parts_->listener,
                              [](evconnlistener* own, void*) { evconnlistener_disable(own); });
  parts_->http = std::move(http);
}

PageServer::~PageServer() = default;

PageServer::operator bool() const { return parts_->http != nullptr; }

void PageServer::Run(const std::function<bool()>& tick) {
  parts_->tick = tick;
  event_base_dispatch(parts_->base.get());
  parts_->tick = nullptr;
}

}  // namespace csink::tool
