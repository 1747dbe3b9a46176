#include "symbolizer/commands/push/answer.h"

#include <time.h>

#include <algorithm>
#include <protozero/pbf_reader.hpp>

#include "core/util/parse.h"
#include "symbolizer/report/wording/shorten.h"

/// File: decodes the two small messages by protozero, which throws on bytes that are no message;
/// the exceptions end in this file.

namespace csink::push {
namespace {

/// Field numbers of opentelemetry/proto/collector/profiles/v1development/profiles_service.proto.
constexpr protozero::pbf_tag_type kPartialSuccess = 1;
constexpr protozero::pbf_tag_type kRejectedProfiles = 1;
constexpr protozero::pbf_tag_type kErrorMessage = 2;
/// Of google/rpc/status.proto.
constexpr protozero::pbf_tag_type kStatusMessage = 2;

constexpr std::string_view kProtobuf = "application/x-protobuf";

/// A text of the receiver in one line of at most 200 columns.
std::string Quoted(const std::string& text) {
  // Before the width is measured, so that a long text costs nothing.
  const std::string line = report::OneLine(text.substr(0, 1000));
  const std::size_t from = line.find_first_not_of(' ');
  if (from == std::string::npos) return "";
  return report::KeepHead(line.substr(from, line.find_last_not_of(' ') + 1 - from), 200);
}

/// Whether the content type is protobuf, or unknown.
bool MayBeProtobuf(const Answer& answer) {
  return answer.content_type.empty() || answer.content_type.starts_with(kProtobuf);
}

/// Decodes the inner message. Fields of another type than the expected one are skipped, as protobuf
/// wants.
PartialSuccess ReadPartialSuccess(protozero::pbf_reader message) {
  PartialSuccess partial;
  while (message.next()) {
    if (message.tag_and_type() ==
        protozero::tag_and_type(kRejectedProfiles, protozero::pbf_wire_type::varint)) {
      partial.rejected = message.get_int64();
    } else if (message.tag_and_type() ==
               protozero::tag_and_type(kErrorMessage, protozero::pbf_wire_type::length_delimited)) {
      partial.message = message.get_string();
    } else {
      message.skip();
    }
  }
  return partial;
}

/// Judges a body of a successful answer. A page of a web server with status 200 is no answer of a
/// collector.
Judgement JudgeOtlpSuccess(const Answer& answer) {
  // An empty body is a valid message without fields, whatever its content type says.
  const auto partial =
      MayBeProtobuf(answer) || answer.body.empty() ? DecodeResponse(answer.body) : std::nullopt;
  if (!partial) {
    return {Verdict::kRefused,
            "HTTP " + std::to_string(answer.status) + " with a body that is no answer of OTLP" +
                (answer.content_type.empty() ? "" : " (" + Quoted(answer.content_type) + ")") +
                "; is this a collector?"};
  }
  const std::string message = Quoted(partial->message);
  // By the specification a message without rejected profiles is a warning.
  if (partial->rejected == 0) {
    return {Verdict::kTaken, message.empty() ? "" : "the receiver warns: " + message};
  }
  return {Verdict::kPartly, "the receiver rejected " + std::to_string(partial->rejected) +
                                (partial->rejected == 1 ? " profile" : " profiles") +
                                (message.empty() ? "" : ": " + message)};
}

/// For a receiver of whose answer only the status counts.
Judgement JudgeStatusAlone(const Answer& /*answer*/) { return {Verdict::kTaken, ""}; }

/// Judges the body of a successful answer.
Judgement JudgeSuccess(const Answer& answer, Receiver receiver) {
  switch (receiver) {
#define CSINK_RECEIVER(receiver, name, format, path, settings, judge, request) \
  case Receiver::receiver:                                                     \
    return judge(answer);
#include "symbolizer/commands/push/receivers.inc"
#undef CSINK_RECEIVER
  }
  return {Verdict::kRefused, ""};
}

/// "HTTP 400: bad request". The receiver's words are in a google.rpc.Status or plain text.
std::string WordsOfError(const Answer& answer) {
  // Other types, such as HTML, are pages for people, whose text says little in one line.
  std::string words;
  if (answer.content_type.starts_with(kProtobuf)) {
    words = DecodeStatus(answer.body).value_or("");
  } else if (answer.content_type.starts_with("text/plain") ||
             answer.content_type.starts_with("application/json")) {
    words = answer.body;
  }
  words = Quoted(words);
  return "HTTP " + std::to_string(answer.status) + (words.empty() ? "" : ": " + words);
}

}  // namespace

std::optional<PartialSuccess> DecodeResponse(std::string_view body) {
  try {
    PartialSuccess partial;
    protozero::pbf_reader message(body.data(), body.size());
    while (message.next()) {
      if (message.tag_and_type() ==
          protozero::tag_and_type(kPartialSuccess, protozero::pbf_wire_type::length_delimited)) {
        partial = ReadPartialSuccess(message.get_message());
      } else {
        message.skip();
      }
    }
    return partial;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> DecodeStatus(std::string_view body) {
  try {
    std::optional<std::string> text;
    protozero::pbf_reader message(body.data(), body.size());
    while (message.next()) {
      if (message.tag_and_type() ==
          protozero::tag_and_type(kStatusMessage, protozero::pbf_wire_type::length_delimited)) {
        // Of several fields the last one counts, as protobuf wants.
        text = message.get_string();
      } else {
        message.skip();
      }
    }
    return text;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<std::uint64_t> RetryAfterMs(const std::string& value, std::int64_t now_s) {
  constexpr std::uint64_t kMostSeconds = 86'400;
  // RFC 9110 has two forms: a number of seconds, or a date.
  if (const auto seconds = ParseUnsigned(value)) return std::min(*seconds, kMostSeconds) * 1000;
  // A number that 64 bits do not hold.
  if (!value.empty() && value.find_first_not_of("0123456789") == std::string::npos) {
    return kMostSeconds * 1000;
  }
  tm date = {};
  // The form that RFC 9110 prescribes for new dates. csink sets no locale, so the names of days and
  // months are English.
  const char* end = strptime(value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const std::int64_t then = timegm(&date);
  // A date in the past: at once.
  if (then <= now_s) return 0;
  return std::min(static_cast<std::uint64_t>(then - now_s), kMostSeconds) * 1000;
}

Judgement Judge(const Answer& answer, Receiver receiver) {
  if (!answer.failure.empty()) {
    return {answer.may_pass ? Verdict::kRetry : Verdict::kRefused, Quoted(answer.failure)};
  }
  if (answer.status >= 200 && answer.status < 300) {
    return JudgeSuccess(answer, receiver);
  }
  // The statuses that the specification of OTLP over HTTP lets a client repeat.
  const bool may_pass =
      answer.status == 429 || answer.status == 502 || answer.status == 503 || answer.status == 504;
  return {may_pass ? Verdict::kRetry : Verdict::kRefused, WordsOfError(answer)};
}

}  // namespace csink::push
