#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// File: one HTTP POST. `csink push` and its tests differ in the Transport alone.

namespace csink::push {

/// Name and value of an HTTP header. Neither contains control characters.
using Header = std::pair<std::string, std::string>;

/// What is sent, and how the receiver is trusted.
struct Request {
  std::string url;  ///< http or https; may contain a user and a password
  std::string content_type;
  std::string content_encoding;  ///< "gzip"; "": the body is not compressed
  std::vector<Header> headers;   ///< Headers besides these two
  std::string body;
  // Files in PEM form. "": the certificates of the system, and no client certificate.
  std::string certificate;         ///< Certificates of authorities that are trusted instead
  std::string client_certificate;  ///< Shown to the receiver
  std::string client_key;          ///< Of client_certificate
};

/// What came back.
struct Answer {
  /// Why there is no complete answer, in words of one line. Empty: all other members are valid.
  std::string failure;
  /// Only after a failure: whether the same request may succeed later.
  bool may_pass = false;
  long status = 0;           ///< Of HTTP: 200, ...; 0: none came, perhaps before a failure
  std::string content_type;  ///< "" if the receiver did not say
  std::string retry_after;   ///< The header's value; "" if there is none
  std::string body;          ///< At most kMostAnswerBytes
};

/// A longer answer is a failure: the answers of receivers have a few hundred bytes.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 10;

/// Sends requests.
/// Threads: one at a time.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Sends the request and waits for the answer, at most `timeout_ms` altogether. Redirections are
  /// not followed, because the request's headers may contain secrets of the first receiver.
  virtual Answer Post(const Request& request, std::uint64_t timeout_ms) = 0;
};

/// What is done while a receiver is waited for: called about every kMeanwhileMs. May be empty.
using Meanwhile = std::function<void()>;
inline constexpr int kMeanwhileMs = 200;

/// The transport over libcurl, which is loaded here. Returns null if there is none; `why` is then a
/// line that names the missing package.
std::unique_ptr<Transport> OpenTransport(std::string& why, Meanwhile meanwhile = {});

/// The URL without user and password, for messages.
std::string WithoutSecrets(std::string_view url);

}  // namespace csink::push
