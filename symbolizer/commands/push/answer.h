#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbolizer/commands/push/transport.h"

/// File: what a receiver's answer means.

namespace csink::push {

/// Who receives the profile, which decides its form and the form of the answer.
enum class Receiver {
#define CSINK_RECEIVER(receiver, ...) receiver,
#include "symbolizer/commands/push/receivers.inc"
#undef CSINK_RECEIVER
};
/// Indexed by Receiver: the names that --to takes.
inline constexpr const char* kReceiverNames[] = {
#define CSINK_RECEIVER(receiver, name, ...) name,
#include "symbolizer/commands/push/receivers.inc"
#undef CSINK_RECEIVER
};

/// The field partial_success of an ExportProfilesServiceResponse.
struct PartialSuccess {
  std::int64_t rejected = 0;  ///< Profiles that were not taken. Not trusted: may be negative
  std::string message;        ///< Not trusted: any bytes
};

/// Decodes an ExportProfilesServiceResponse. An empty body is a response without partial_success.
/// nullopt: the bytes are no such message. Unknown fields are skipped.
std::optional<PartialSuccess> DecodeResponse(std::string_view body);

/// The message of a google.rpc.Status, which OTLP receivers send with errors. nullopt: the bytes
/// are no such message, or it has no text.
std::optional<std::string> DecodeStatus(std::string_view body);

/// The value of the header Retry-After in ms from now: seconds or a date of HTTP (RFC 9110), at
/// most a day. `now_s`: the time in seconds since 1970. nullopt for anything else.
std::optional<std::uint64_t> RetryAfterMs(const std::string& value, std::int64_t now_s);

/// What to do after an answer.
enum class Verdict {
  kTaken,    ///< All was taken; `text` is empty or a remark of the receiver
  kPartly,   ///< Some profiles were rejected. They must not be sent again
  kRetry,    ///< Not taken; the same request may succeed later
  kRefused,  ///< Not taken; the same request would fail again
};
struct Judgement {
  Verdict verdict = Verdict::kRefused;
  /// One line of at most a few hundred bytes, without control characters. Empty only with kTaken.
  std::string text;
};

/// Judges an answer by the rules of OTLP over HTTP: 2xx is success; 429, 502, 503 and 504 may be
/// retried, as may failures of the connection; everything else is final. A success whose body is no
/// response of OTLP is a refusal: it is not known whether anybody took the profile.
Judgement Judge(const Answer& answer, Receiver receiver);

}  // namespace csink::push
