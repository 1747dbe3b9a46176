#include "core/counting/catalogue/pfm_encoding.h"

#include "core/events/event_alias.h"
#include "core/events/event_text.h"
#include "core/util/parse.h"

namespace csink {

PfmAnswer AskPfm(const PfmLibrary& pfm, std::string_view event) {
  PfmAnswer answer;
  PfmEncoding encoding;
  pfm.Encode(std::string(event).c_str(), PFM_PLM0 | PFM_PLM3, encoding);
  answer.code = encoding.code;
  answer.attr = encoding.attr;
  answer.attr.size = sizeof(answer.attr);
  if (answer.code == PFM_SUCCESS) {
    answer.event = encoding.event;
    answer.cpu = encoding.cpu;
    answer.canonical = encoding.canonical.view();
  }
  return answer;
}

std::vector<EventToken> TokensOf(std::string_view attributes) {
  std::vector<EventToken> tokens;
  Tokens pieces(attributes, ':', !attributes.empty());
  for (std::string_view piece; pieces.Next(piece);) {
    Tokens parts(piece, '.');
    for (std::string_view part; parts.Next(part);) {
      EventToken token;
      token.value = part;
      token.key = NextToken(token.value, '=');
      token.has_value = token.key.size() < part.size();
      tokens.push_back(token);
    }
  }
  return tokens;
}

std::vector<EventToken> CanonicalTokens(std::string_view canonical) {
  const std::size_t pmu = canonical.find("::");
  if (pmu != std::string_view::npos) canonical.remove_prefix(pmu + 2);
  NextToken(canonical, ':');
  return TokensOf(canonical);
}

std::string_view ValueOf(const std::vector<EventToken>& tokens, std::string_view key) noexcept {
  for (const EventToken& token : tokens) {
    if (token.has_value && EqualsIgnoringCase(token.key, key)) return token.value;
  }
  return {};
}

}  // namespace csink
