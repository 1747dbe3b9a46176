#include "symbolizer/report/annotate/function_choice.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/util/parse.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/tables/names.h"

/// File: sums the profile's places by function, and matches a name that the user typed. The rules
/// for matching are in kWays and are tried from strict to loose over all functions: a loose match
/// never competes with a strict one.

namespace csink::annotate {
namespace {

using report::FunctionKey;

/// Candidates of an ambiguous name that are listed. One more is collected to know whether "..."
/// follows.
constexpr std::size_t kMostCandidates = 10;
/// Largest edit distance of a name that is suggested; at most half of the typed name's length.
constexpr unsigned kMostEdits = 4;

/// The position of the opening bracket for the closing bracket before `end`; npos if they do not
/// match. Searches backwards, because the last group of a name is wanted.
std::size_t OpeningOf(const std::string& name, std::size_t end, char open, char close) {
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (name[i] == close) ++depth;
    if (name[i] == open && --depth == 0) return i;
  }
  return std::string::npos;
}

/// Splits "MODULE:FUNCTION" at the first colon that is not part of "::". Without such a colon the
/// module is empty.
std::pair<std::string, std::string> SplitModule(const std::string& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != ':') continue;
    if (i + 1 < wanted.size() && wanted[i + 1] == ':') {
      ++i;
      continue;
    }
    return {wanted.substr(0, i), wanted.substr(i + 1)};
  }
  return {"", wanted};
}

/// "MODULE:FUNCTION", which the user can type to choose exactly this function.
std::string Label(const SampledFunction& function) { return function.module + ":" + function.name; }

/// Whether `name` ends with `tail` and `tail` begins a component: behind "::", '.' or a return
/// type.
bool EndsAtScope(const std::string& name, const std::string& tail) {
  if (name.size() <= tail.size() || !name.ends_with(tail)) return false;
  const char before = name[name.size() - tail.size() - 1];
  return before == ':' || before == '.' || before == ' ';
}

/// Whether a function fits the name, by one rule. In the order of ChooseFunction's comment.
using Fits = bool (*)(const SampledFunction& function, const std::string& wanted);
constexpr Fits kWays[] = {
    [](const SampledFunction& f, const std::string& w) { return f.name == w || f.raw_name == w; },
    [](const SampledFunction& f, const std::string& w) { return PlainName(f.name) == w; },
    [](const SampledFunction& f, const std::string& w) {
      return EndsAtScope(PlainName(f.name), w) || EndsAtScope(f.name, w);
    },
    [](const SampledFunction& f, const std::string& w) {
      return f.name.find(w) != std::string::npos || f.raw_name.find(w) != std::string::npos;
    },
};

/// The at most three functions whose plain name, or its last component, is nearest to the typed
/// name. Nearer names first, hotter ones first among equals.
std::vector<std::string> NearestTo(const std::vector<SampledFunction>& functions,
                                   const std::string& wanted) {
  std::vector<std::pair<unsigned, std::string>> near;
  const unsigned most = std::min<unsigned>(kMostEdits, static_cast<unsigned>(wanted.size() / 2));
  for (const SampledFunction& function : functions) {
    const std::string plain = PlainName(function.name);
    const std::size_t scope = plain.rfind("::");
    unsigned edits = EditDistance(wanted, plain, most);
    if (scope != std::string::npos) {
      edits = std::min(edits, EditDistance(wanted, plain.substr(scope + 2), most));
    }
    if (edits <= most) near.emplace_back(edits, Label(function));
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [edits, label] : near) {
    if (names.size() == 3) break;
    if (std::find(names.begin(), names.end(), label) == names.end()) names.push_back(label);
  }
  return names;
}

}  // namespace

std::string PlainName(const std::string& name) {
  std::string plain = name;
  // Demanglers write clone suffixes as "[clone .cold]" or "(.cold)".
  for (const char* mark : {" [clone", " (."}) {
    if (const std::size_t at = plain.find(mark); at != std::string::npos) plain.resize(at);
  }
  // Qualifiers stand behind the parameters: they must go before the parameters can. A function has
  // them in the order "const volatile &&".
  for (const char* tail : {" &&", " &", " volatile", " const"}) {
    if (plain.ends_with(tail)) plain.resize(plain.size() - std::char_traits<char>::length(tail));
  }
  // "operator()" without parameters ends with brackets that are part of the name. At position 0 the
  // brackets are not a parameter list, either: "(anonymous namespace)".
  if (plain.ends_with(')') && !plain.ends_with("operator()")) {
    const std::size_t open = OpeningOf(plain, plain.size(), '(', ')');
    if (open != std::string::npos && open > 0) plain.resize(open);
  }
  const bool is_operator = plain.find("operator") != std::string::npos;
  if (plain.ends_with('>') && !is_operator) {
    const std::size_t open = OpeningOf(plain, plain.size(), '<', '>');
    if (open != std::string::npos && open > 0) plain.resize(open);
  }
  // The return type of a template instance ends at a blank outside of all brackets.
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < plain.size() && !is_operator; ++i) {
    if (plain[i] == '<' || plain[i] == '(' || plain[i] == '{') ++depth;
    if (plain[i] == '>' || plain[i] == ')' || plain[i] == '}') --depth;
    if (plain[i] == ' ' && depth == 0) begin = i + 1;
  }
  return plain.substr(begin);
}

std::vector<SampledFunction> SampledFunctions(const report::Report& report) {
  const Profile& profile = report.profile;
  std::vector<SampledFunction> functions;
  std::unordered_map<FunctionKey, std::size_t, report::FunctionKeyHash> index;
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    const auto& location = report.addresses.locations[report.addresses.of_place[i]];
    const Module& module = profile.modules[place.address.module];
    // The same key as in the report's table of functions, so that each of its rows can be
    // annotated.
    const FunctionKey key = report::KeyOf(place.address.module, module, location);
    const auto [it, is_new] = index.emplace(key, functions.size());
    if (is_new) {
      SampledFunction function;
      function.module = report::DisplayName(module);
      function.name = location.function.empty() ? function.module : location.function;
      if (report::IsNameless(module, location)) function.name = report::kAnonymousCode;
      function.raw_name = location.raw_name;
      function.module_index = place.address.module;
      function.vaddr = location.function_vaddr;
      function.source = location.source;
      function.counts.resize(profile.events.size());
      functions.push_back(std::move(function));
    }
    SampledFunction& function = functions[it->second];
    function.places.push_back(i);
    for (std::size_t e = 0; e < place.counts.size(); ++e)
      AddTo(function.counts[e], place.counts[e]);
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const SampledFunction& a, const SampledFunction& b) {
                     for (std::size_t e = 0; e < a.counts.size(); ++e) {
                       if (a.counts[e].weight != b.counts[e].weight) {
                         return a.counts[e].weight > b.counts[e].weight;
                       }
                     }
                     return std::tie(a.name, a.module) < std::tie(b.name, b.module);
                   });
  return functions;
}

Choice ChooseFunction(const std::vector<SampledFunction>& functions, const std::string& wanted) {
  Choice choice;
  std::string module;
  std::string name;
  std::tie(module, name) = SplitModule(wanted);
  const auto in_module = [&](const SampledFunction& function) {
    return module.empty() || function.module == module;
  };
  // The text before the colon is no module that was sampled: the colon belongs to the function's
  // name.
  if (!module.empty() && std::none_of(functions.begin(), functions.end(), in_module)) {
    module.clear();
    name = wanted;
  }
  if (name.empty()) return choice;
  // Functions of one label (module and name) are one choice: static functions of one name.
  for (const Fits fits : kWays) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (!in_module(functions[i]) || !fits(functions[i], name)) continue;
      choice.functions.push_back(i);
      const std::string label = Label(functions[i]);
      if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
      if (labels.size() < kMostCandidates + 1) labels.push_back(label);
    }
    if (labels.empty()) continue;
    if (labels.size() == 1) return choice;
    choice.functions.clear();
    choice.is_ambiguous = true;
    if (labels.size() > kMostCandidates) labels.back() = "...";
    choice.candidates = std::move(labels);
    return choice;
  }
  choice.candidates = NearestTo(functions, name);
  return choice;
}

}  // namespace csink::annotate
