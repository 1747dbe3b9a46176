#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/util/output_template.h"

namespace {

using namespace csink;

struct Given {
  std::string_view value;
};

bool ValueOf(const TemplatePart& part, std::string_view& value, void* context) noexcept {
  if (part.letter == 'g') return false;
  value = static_cast<const Given*>(context)->value;
  return true;
}

void Require(bool holds) {
  if (!holds) std::abort();
}

// Components of a path that came of values alone.
void CheckHarmless(std::string_view text) {
  Require(text.find('/') == std::string_view::npos);
  Require(text != "." && text != ".." && !text.empty());
  Require(text.front() != '.');
  for (const char c : text) Require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // Up to the first NUL the template, behind it the value.
  const std::size_t cut = input.find('\0');
  const std::string_view text = input.substr(0, cut);
  Given given{cut == std::string_view::npos ? text : input.substr(cut + 1)};

  TemplatePath alone;
  AddHarmless(given.value, TemplateRound::kLast, alone);
  CheckHarmless(alone.view());
  Require(alone.size() <= kTemplateValueBytes);

  TemplatePath last;
  const bool fits = ExpandTemplate(text, ValueOf, &given, TemplateRound::kLast, last).has_value();
  if (fits) Require(last.size() + 1 < kTemplatePathBytes);
  // In two rounds, as the agent and csink do it, no value is taken for a part.
  TemplatePath first;
  if (ExpandTemplate(text, ValueOf, &given, TemplateRound::kFirst, first)) {
    TemplatePath second;
    Given other{"other"};
    if (ExpandTemplate(first.view(), ValueOf, &other, TemplateRound::kLast, second) && fits) {
      Require(second.view() == last.view());
    }
  }
  (void)TemplateHas(text, 'p');
  Require(UnknownPart(text).size() <= text.size());
  return 0;
}
