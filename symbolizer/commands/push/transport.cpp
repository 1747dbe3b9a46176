#include "symbolizer/commands/push/transport.h"

#include <algorithm>

#include "core/version/number.h"

#ifdef CSINK_HAS_CURL
#include <curl/curl.h>
#include <dlfcn.h>

#include <cctype>
#include <type_traits>
#endif

/// File: libcurl is loaded by the first request and not linked: it needs thirty other libraries,
/// which each start of csink would have to find.

namespace csink::push {

std::string WithoutSecrets(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", host), url.size());
  // The last '@': a password that was not encoded may contain one.
  const std::size_t at = url.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < host) return std::string(url);
  return std::string(url.substr(0, host)) + std::string(url.substr(at + 1));
}

#ifdef CSINK_HAS_CURL
namespace {

/// The functions of libcurl.so.4 (curl/curl.h).
struct Curl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  // The macros of curl/curl.h and curl/typecheck-gcc.h would replace these names.
  decltype(&(curl_easy_setopt)) set = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&(curl_easy_getinfo)) get = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_strerror) words = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_list = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_add_handle) multi_add = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_info_read) multi_read = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
};

/// Loads the library. It is not closed: OpenSSL registers functions for the end of the process.
bool Load(Curl& curl) {
  // Lazily: csink calls few of the functions of thirty libraries.
  void* library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return false;
  // Stores one function. False: this libcurl lacks it.
  const auto take = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  return take(curl.global_init, "curl_global_init") && take(curl.easy_init, "curl_easy_init") &&
         take(curl.set, "curl_easy_setopt") && take(curl.perform, "curl_easy_perform") &&
         take(curl.get, "curl_easy_getinfo") && take(curl.cleanup, "curl_easy_cleanup") &&
         take(curl.words, "curl_easy_strerror") && take(curl.append, "curl_slist_append") &&
         take(curl.free_list, "curl_slist_free_all") && take(curl.multi_init, "curl_multi_init") &&
         take(curl.multi_add, "curl_multi_add_handle") &&
         take(curl.multi_perform, "curl_multi_perform") &&
         take(curl.multi_poll, "curl_multi_poll") &&
         take(curl.multi_read, "curl_multi_info_read") &&
         take(curl.multi_remove, "curl_multi_remove_handle") &&
         take(curl.multi_cleanup, "curl_multi_cleanup") &&
         curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/// What the callbacks of one request write to.
struct Received {
  Answer answer;
  bool is_too_long = false;
};

/// CURLOPT_WRITEFUNCTION. A result other than `count` ends the request with CURLE_WRITE_ERROR.
std::size_t OnBody(char* bytes, std::size_t /*size*/, std::size_t count, void* arg) {
  auto& received = *static_cast<Received*>(arg);
  // The receiver is not trusted: an answer without end must not fill the memory.
  if (count > kMostAnswerBytes - received.answer.body.size()) {
    received.is_too_long = true;
    return 0;
  }
  received.answer.body.append(bytes, count);
  return count;
}

/// CURLOPT_HEADERFUNCTION: one line of the answer's head.
std::size_t OnHeader(char* bytes, std::size_t /*size*/, std::size_t count, void* arg) {
  constexpr std::string_view kName = "retry-after:";
  std::string_view line(bytes, count);
  const auto is_same = [](char a, char b) {
    return a == std::tolower(static_cast<unsigned char>(b));
  };
  // Names of headers are compared without regard to case.
  if (line.size() < kName.size() ||
      !std::equal(kName.begin(), kName.end(), line.begin(), is_same)) {
    return count;
  }
  line.remove_prefix(kName.size());
  const std::size_t from = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(from);
  line = line.substr(0, line.find_last_not_of(" \t\r\n") + 1);
  // A number or a date is shorter than this.
  static_cast<Received*>(arg)->answer.retry_after = line.substr(0, 100);
  return count;
}

/// Whether the same request may succeed later: the receiver or the way to it did not work. Files of
/// certificates, refused certificates and malformed URLs stay wrong.
bool MayPass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

/// Words for a failure. libcurl's own detail (`detail`) is better than its words for the code, but
/// may be empty.
std::string WordsOf(const Curl& curl, CURLcode code, const Received& received, const char* detail) {
  if (received.is_too_long) {
    return "the answer is longer than " + std::to_string(kMostAnswerBytes >> 10) +
           " KiB, which no receiver of profiles sends";
  }
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return "no answer in time";
    case CURLE_GOT_NOTHING:
      return "the receiver closed the connection without an answer";
    case CURLE_PEER_FAILED_VERIFICATION:
      return std::string("the receiver's certificate is refused (") +
             (*detail ? detail : curl.words(code)) + ")";
    case CURLE_SSL_CACERT_BADFILE:
      return std::string("the file of trusted certificates cannot be used (") +
             (*detail ? detail : curl.words(code)) + ")";
    case CURLE_SSL_CERTPROBLEM:
      return std::string("the client certificate or its key cannot be used (") +
             (*detail ? detail : curl.words(code)) + ")";
    default:
      return *detail ? detail : curl.words(code);
  }
}

/// Each request has a handle of its own, so no connection is kept between requests.
class CurlTransport : public Transport {
 public:
  CurlTransport(const Curl& curl, Meanwhile meanwhile)
      : curl_(curl), meanwhile_(std::move(meanwhile)) {}

  Answer Post(const Request& request, std::uint64_t timeout_ms) override {
    CURL* easy = curl_.easy_init();
    if (easy == nullptr) {
      Answer answer;
      answer.failure = "libcurl has no memory";
      return answer;
    }
    curl_slist* headers = Headers(request);
    Received received;
    char detail[CURL_ERROR_SIZE] = "";
    SetUp(easy, request, headers, timeout_ms);
    // libcurl writes to these three until cleanup, so they must outlive the handle.
    curl_.set(easy, CURLOPT_ERRORBUFFER, detail);
    curl_.set(easy, CURLOPT_WRITEDATA, &received);
    curl_.set(easy, CURLOPT_HEADERDATA, &received);
    const CURLcode code = meanwhile_ ? PerformBeside(easy) : curl_.perform(easy);
    Answer answer = std::move(received.answer);
    curl_.get(easy, CURLINFO_RESPONSE_CODE, &answer.status);
    if (code == CURLE_OK) {
      const char* type = nullptr;
      curl_.get(easy, CURLINFO_CONTENT_TYPE, &type);
      if (type != nullptr) answer.content_type = type;
    } else {
      answer.failure = WordsOf(curl_, code, received, detail);
      answer.may_pass = MayPass(code);
    }
    curl_.free_list(headers);
    curl_.cleanup(easy);
    return answer;
  }

 private:
  /// The lines of the head. The caller frees the list.
  curl_slist* Headers(const Request& request) const {
    curl_slist* list = nullptr;
    const auto add = [&](const std::string& line) {
      // Null only without memory: the list then lacks this header.
      if (curl_slist* longer = curl_.append(list, line.c_str())) list = longer;
    };
    add("Content-Type: " + request.content_type);
    if (!request.content_encoding.empty()) add("Content-Encoding: " + request.content_encoding);
    // Without this line libcurl waits up to a second for "100 Continue" before it sends the body.
    add("Expect:");
    for (const auto& [name, value] : request.headers) {
      // libcurl's spelling of a header without a value.
      add(value.empty() ? name + ";" : name + ": " + value);
    }
    return list;
  }

  /// Sets everything but the places where the answer goes. libcurl copies the strings, except the
  /// body and the list of headers, which must outlive the request.
  void SetUp(CURL* easy, const Request& request, curl_slist* headers,
             std::uint64_t timeout_ms) const {
    constexpr std::uint64_t kMostMs = 3'600'000;
    const long timeout = static_cast<long>(std::clamp<std::uint64_t>(timeout_ms, 1, kMostMs));
    curl_.set(easy, CURLOPT_URL, request.url.c_str());
    curl_.set(easy, CURLOPT_POST, 1L);
    // Without a size libcurl takes the length of a string, and the body may contain zeros.
    curl_.set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_.set(easy, CURLOPT_POSTFIELDS, request.body.c_str());
    curl_.set(easy, CURLOPT_HTTPHEADER, headers);
    curl_.set(easy, CURLOPT_USERAGENT, "csink/" CSINK_VERSION);
    curl_.set(easy, CURLOPT_TIMEOUT_MS, timeout);
    // Otherwise libcurl gives up connecting after 300 s, also where the timeout is longer.
    curl_.set(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout);
    // No SIGALRM and no handler of libcurl's.
    curl_.set(easy, CURLOPT_NOSIGNAL, 1L);
    // Redirections would get the headers, which may contain secrets (Transport::Post).
    curl_.set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_.set(easy, CURLOPT_WRITEFUNCTION, OnBody);
    curl_.set(easy, CURLOPT_HEADERFUNCTION, OnHeader);
    const auto set_file = [&](CURLoption option, const std::string& file) {
      if (!file.empty()) curl_.set(easy, option, file.c_str());
    };
    set_file(CURLOPT_CAINFO, request.certificate);
    set_file(CURLOPT_SSLCERT, request.client_certificate);
    set_file(CURLOPT_SSLKEY, request.client_key);
  }

  /// curl_easy_perform with calls of meanwhile_.
  CURLcode PerformBeside(CURL* easy) const {
    CURLM* multi = curl_.multi_init();
    if (multi == nullptr) return CURLE_OUT_OF_MEMORY;
    CURLMcode state = curl_.multi_add(multi, easy);
    for (int running = 1; state == CURLM_OK;) {
      state = curl_.multi_perform(multi, &running);
      if (state != CURLM_OK || running == 0) break;
      state = curl_.multi_poll(multi, nullptr, 0, kMeanwhileMs, nullptr);
      meanwhile_();
    }
    CURLcode code = CURLE_SEND_ERROR;
    int left = 0;
    while (const CURLMsg* message = curl_.multi_read(multi, &left)) {
      if (message->msg == CURLMSG_DONE) code = message->data.result;
    }
    curl_.multi_remove(multi, easy);
    curl_.multi_cleanup(multi);
    return code;
  }

  Curl curl_;
  Meanwhile meanwhile_;
};

}  // namespace

std::unique_ptr<Transport> OpenTransport(std::string& why, Meanwhile meanwhile) {
  Curl curl;
  if (Load(curl)) return std::make_unique<CurlTransport>(curl, std::move(meanwhile));
  why = "libcurl.so.4 cannot be loaded, which sends profiles: install libcurl4";
  return nullptr;
}

#else

std::unique_ptr<Transport> OpenTransport(std::string& why, Meanwhile /*meanwhile*/) {
  why =
      "this csink was built without libcurl, which sends profiles: install libcurl4-openssl-dev "
      "and "
      "build csink again";
  return nullptr;
}

#endif

}  // namespace csink::push
