#include "symbolizer/report/text/causes_json.h"

#include <nlohmann/json.hpp>

#include "symbolizer/report/text/causes_text.h"

namespace csink::report {

nlohmann::ordered_json CausesJson(const ChangeCauses& causes) {
  using Json = nlohmann::ordered_json;
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json parts = Json::array();
  for (const TimePart& part : causes.parts) {
    parts.push_back({{"part", part.name},
                     {"was_seconds", part.was},
                     {"seconds", part.now},
                     {"p_value", part.p_value},
                     {"grew", part.has_changed}});
  }
  Json list = Json::array();
  for (const ChangeCause& cause : causes.causes) {
    list.push_back({{"kind", KeyOf(cause.kind)},
                    {"grade", WordFor(cause.grade)},
                    {"share", optional(cause.share)},
                    {"function", cause.function},
                    {"module", cause.module},
                    {"fact", cause.fact},
                    {"next", cause.next},
                    {"sentence", CauseSentence(cause)}});
  }
  return {{"refusal", causes.refusal},
          {"slower", causes.is_slower},
          {"added_seconds", causes.added_seconds},
          {"parts", std::move(parts)},
          {"drift", optional(causes.drift)},
          {"causes", std::move(list)},
          {"missing", causes.missing}};
}

}  // namespace csink::report
