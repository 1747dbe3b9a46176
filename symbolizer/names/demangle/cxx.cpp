#include <libiberty/demangle.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbolizer/names/demangle/languages.h"

/// File: libiberty parses a C++ name to a tree of components and prints the tree. Components are
/// shared: a name of 100 bytes can have a tree of 100 components that stands for 2^30 bytes of
/// text. So the work of printing is estimated from the name (GrowthBound). Where the estimate is
/// too high, as for names with dozens of references, the work is computed on the tree, each
/// component once (TextBound). abi::__cxa_demangle and c++filt refuse all names of more than 1,024
/// bytes.

namespace csink::symbolizer {
namespace {

using Component = demangle_component;

/// Limit for GrowthBound, in bytes: about 0.1 s. The estimate is rough: most names that exceed it
/// have short texts. No name of 131,000 in Debian's libraries comes to half of it.
constexpr double kMaxGrowth = 1 << 26;
/// Limit for TextBound, in bytes: about 0.02 s. Names of boost's asio, hana and spirit of up to
/// 1,500 bytes come to 1.1 million at most.
constexpr double kMaxWork = 1 << 23;
/// libiberty gives up where it prints components that are nested deeper than 1,024.
constexpr int kMaxDepth = 1100;
/// libiberty has an array on the stack with an element of 16 bytes for each pair of a template and
/// of a reference to a template parameter ("T_&").
constexpr int kMaxScopeCopies = 1 << 14;
/// Limit for the passes of TextBound. Real names have two.
constexpr int kMaxConversions = 16;
/// See HasCostlyConversions.
constexpr int kMaxTemplateParameters = 10;

/// Within a conversion operator ("cv") libiberty parses the arguments of a template parameter
/// ("T_I...E") twice, so that n nested ones take 2^n steps. Counts them anywhere in the name, and
/// "cv" as well: real names that have both have three template parameters with arguments at most.
bool HasCostlyConversions(std::string_view name) {
  if (name.find("cv") == std::string_view::npos) return false;
  int found = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != 'T') continue;
    const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
    if (end != std::string_view::npos && name.substr(end).starts_with("_I")) ++found;
  }
  return found > kMaxTemplateParameters;
}

/// The components that a component consists of; null where there is none.
std::pair<const Component*, const Component*> PartsOf(const Component& component) {
  switch (component.type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
#ifdef CSINK_IBERTY_HAS_EXTENDED_TYPES
    case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
#endif
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
      return {};
    case DEMANGLE_COMPONENT_CTOR:
      return {component.u.s_ctor.name, nullptr};
    case DEMANGLE_COMPONENT_DTOR:
      return {component.u.s_dtor.name, nullptr};
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
      return {component.u.s_extended_operator.name, nullptr};
    case DEMANGLE_COMPONENT_FIXED_TYPE:
      return {component.u.s_fixed.length, nullptr};
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
      return {component.u.s_unary_num.sub, nullptr};
    default:
      return {component.u.s_binary.left, component.u.s_binary.right};
  }
}

/// An upper bound for the work of printing a tree: the bytes of its text, and some for each
/// component that is visited.
class TextBound {
 public:
  /// The longest text of a component of its own: "construction vtable for ".
  static constexpr double kWord = 28;

  /// `memory` has all components of the tree.
  explicit TextBound(const void* memory) : components_(static_cast<const Component*>(memory)) {}

  /// Infinity: libiberty would need too much stack, or would give up.
  double Of(const Component* tree) {
    Bound all;
    int passes = 1;
    // What a pass finds may be larger in the next one only where a name has conversion operators
    // whose types contain each other. libiberty prints each component in itself once at most.
    for (int pass = 0; pass < passes && all.text <= kMaxWork; ++pass) {
      known_.clear();
      templates_ = references_ = conversions_ = 0;
      const double pack = longest_pack_;
      const Bound argument = longest_argument_;
      all = Add(tree, 0);
      if (is_too_deep_ || references_ * templates_ > kMaxScopeCopies) return kInfinity;
      if (conversions_ > kMaxConversions) return kInfinity;
      const bool has_new_pack = has_expansion_ && pack != longest_pack_;
      const bool has_new_argument =
          conversions_ != 0 && (argument.text != longest_argument_.text ||
                                argument.parameters != longest_argument_.parameters);
      if (!has_new_pack && !has_new_argument) break;
      passes = 2 + 2 * conversions_;
    }
    return all.text;
  }

 private:
  struct Bound {
    double text = 0;        // Without the text that template parameters stand for
    double parameters = 0;  // The number of template parameters that are printed
    double arguments = 0;   // The length of a list of template arguments
  };

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kMark = 4;  // "::", "<>", ", "

  static Bound Longer(const Bound& a, const Bound& b) {
    return {std::max(a.text, b.text), std::max(a.parameters, b.parameters), 0};
  }

  // All parameters of `bound` replaced by the longest argument of a template.
  static Bound Replaced(const Bound& bound, const Bound& argument) {
    return {bound.text + bound.parameters * argument.text, bound.parameters * argument.parameters,
            0};
  }

  Bound Add(const Component* component, int depth) {
    if (depth > kMaxDepth) is_too_deep_ = true;
    if (component == nullptr || is_too_deep_) return {};
    const auto index = static_cast<std::size_t>(component - components_);
    if (index < known_.size() && known_[index].text != 0) return known_[index];
    const auto [left, right] = PartsOf(*component);
    const Bound first = Add(left, depth + 1);
    const Bound second = Add(right, depth + 1);
    const Bound bound = Joined(*component, first, second);
    if (index >= known_.size()) known_.resize(2 * index + 32);
    return known_[index] = bound;
  }

  // The bound of a component whose parts have the bounds `first` and `second`.
  Bound Joined(const Component& component, const Bound& first, const Bound& second) {
    Bound bound{OwnText(component) + first.text + second.text, first.parameters + second.parameters,
                0};
    switch (component.type) {
      case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
        bound.parameters = 1;
        break;
      case DEMANGLE_COMPONENT_TYPED_NAME: {
        // Parameters in the type of a function stand for the arguments in its name.
        const Bound type = Replaced(second, LongestArgument(NameOfFunction(&component)));
        bound.text = kMark + first.text + type.text;
        bound.parameters = first.parameters + type.parameters;
        break;
      }
      case DEMANGLE_COMPONENT_CONVERSION: {
        // Parameters in the type of a conversion operator may stand for the arguments of any
        // template around the operator, which is not known here.
        ++conversions_;
        const Bound type = Replaced(first, longest_argument_);
        bound.text += type.text;
        bound.parameters += type.parameters;
        break;
      }
      case DEMANGLE_COMPONENT_TEMPLATE:
        ++templates_;
        longest_argument_ = Longer(longest_argument_, LongestArgument(&component));
        break;
      case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
        bound.arguments = 1 + second.arguments;
        longest_pack_ = std::max(longest_pack_, bound.arguments);
        break;
      case DEMANGLE_COMPONENT_REFERENCE:
      case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
        references_ +=
            static_cast<int>(PartsOf(component).first != nullptr &&
                             PartsOf(component).first->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM);
        break;
      case DEMANGLE_COMPONENT_LAMBDA:  // Prints parameters as "auto:1"
        bound.text += kWord * bound.parameters;
        bound.parameters = 0;
        break;
      case DEMANGLE_COMPONENT_PACK_EXPANSION:  // Prints its pattern for each argument
        has_expansion_ = true;
        bound.text *= longest_pack_;
        bound.parameters *= longest_pack_;
        break;
      default:
        break;
    }
    return bound;
  }

  // The template in a function's name, behind what may stand before it; null: there is none.
  static const Component* NameOfFunction(const Component* name) {
    while (name != nullptr && name->type != DEMANGLE_COMPONENT_TEMPLATE &&
           name->type != DEMANGLE_COMPONENT_QUAL_NAME) {
      const auto [left, right] = PartsOf(*name);
      name = name->type == DEMANGLE_COMPONENT_LOCAL_NAME ? right : left;
    }
    return name;
  }

  // The longest argument of a template.
  Bound LongestArgument(const Component* of_template) {
    Bound longest;
    if (of_template == nullptr || of_template->type != DEMANGLE_COMPONENT_TEMPLATE) return longest;
    for (const Component* list = of_template->u.s_binary.right;
         list != nullptr && list->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST;
         list = list->u.s_binary.right) {
      longest = Longer(longest, Add(list->u.s_binary.left, 0));
    }
    return longest;
  }

  static double OwnText(const Component& component) {
    switch (component.type) {
      case DEMANGLE_COMPONENT_NAME:
        return kMark + component.u.s_name.len;
      case DEMANGLE_COMPONENT_SUB_STD:
        return kMark + component.u.s_string.len;
      case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
        // The list of arguments is walked up to this one.
        return kMark + static_cast<double>(component.u.s_number.number);
      case DEMANGLE_COMPONENT_QUAL_NAME:
      case DEMANGLE_COMPONENT_TYPED_NAME:
      case DEMANGLE_COMPONENT_TEMPLATE:
      case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
      case DEMANGLE_COMPONENT_ARGLIST:
      case DEMANGLE_COMPONENT_FUNCTION_TYPE:
        return kMark;
      default:
        return kWord;
    }
  }

  const Component* components_;
  std::vector<Bound> known_;  // By index in components_; text is 0 where it is not known yet
  double longest_pack_ = 1;
  Bound longest_argument_;
  int templates_ = 0;
  int references_ = 0;  // References to template parameters
  int conversions_ = 0;
  bool has_expansion_ = false;
  bool is_too_deep_ = false;
};

/// Longest name that GrowthBound accepts, which is libiberty's own limit for a call that parses and
/// prints.
constexpr std::size_t kMaxEstimatedBytes = 1024;

/// A substitution ("S3_") or template parameter ("T_") in a mangled C++ name (Itanium C++ ABI).
struct BackReference {
  std::size_t at = 0;
  std::size_t index = 0;
  // "T_", whose numbers do not count with those of "S_".
  bool is_template_argument = false;
};

/// The first reference at `from` or behind it; nullopt: there is none.
std::optional<BackReference> FindBackReference(std::string_view name, std::size_t from) {
  for (std::size_t i = from; i < name.size(); ++i) {
    if (name[i] != 'S' && name[i] != 'T') continue;
    // S_ is number 0, S0_ is 1, in base 36. Text inside an identifier may look the same; this only
    // makes the bound larger.
    std::size_t index = 0;
    std::size_t k = i + 1;
    for (; k < name.size(); ++k) {
      const char c = name[k];
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit && (c < 'A' || c > 'Z')) break;
      index = std::min<std::size_t>(
          index * 36 + static_cast<std::size_t>(is_digit ? c - '0' : c - 'A' + 10), name.size());
    }
    if (k == name.size() || name[k] != '_') continue;
    return BackReference{i, k == i + 1 ? 0 : index + 1, name[i] == 'T'};
  }
  return std::nullopt;
}

/// An upper bound for the length of a C++ name's text, in bytes. A reference stands for a component
/// that was complete when this or a later component was first referred to; so its text is not
/// longer than all the text before that position. For all template parameters the text before the
/// first of them is taken. Stops when the bound exceeds kMaxGrowth. `name` has at most
/// kMaxEstimatedBytes bytes.
double GrowthBound(std::string_view name) {
  constexpr double kTextPerByte = 4;  // "j" is "unsigned int"
  // By index of a substitution, which FindBackReference limits. An array without heap: this is
  // computed for every name.
  double sizes[kMaxEstimatedBytes + 2];
  std::size_t known = 0;
  double argument = -1;
  double text = 0;
  std::size_t last = 0;
  for (auto reference = FindBackReference(name, 2); reference;
       reference = FindBackReference(name, reference->at + 1)) {
    text += kTextPerByte * static_cast<double>(reference->at - last);
    last = reference->at;
    if (reference->is_template_argument) {
      if (argument < 0) argument = text;
      text += argument;
    } else {
      while (known <= reference->index) sizes[known++] = text;
      text += sizes[reference->index];
    }
    if (text > kMaxGrowth) return text;
  }
  return text + kTextPerByte * static_cast<double>(name.size() - last);
}

/// Whether the text of the name says that printing is cheap: so for most names, whose tree need not
/// be measured then.
bool IsHarmless(std::string_view name) {
  if (name.size() > kMaxEstimatedBytes) return false;
  double bound = GrowthBound(name);
  if (name.find("cv") != std::string_view::npos) {
    // The parameters of a conversion operator stand for arguments behind them, which GrowthBound
    // does not know. libiberty prints each component in itself once at most.
    const auto parameters = static_cast<double>(std::ranges::count(name, 'T'));
    bound *= (1 + parameters) * (1 + parameters);
  }
  if (name.find("Dp") != std::string_view::npos || name.find("sp") != std::string_view::npos) {
    bound *= static_cast<double>(name.size());  // Patterns are printed for each argument of a pack
  }
  return bound <= kMaxGrowth;
}

/// A text that is printed in pieces, with one byte more than is allowed, so that a text that is too
/// long shows. Not a string: a string that grows is copied several times, and keeps up to twice the
/// memory of its text.
struct PrintedText {
  std::size_t size = 0;
  char bytes[kMaxDemangledBytes + 1];
};

/// Receives a piece (cplus_demangle_print_callback); `to`: a PrintedText.
void Append(const char* piece, std::size_t size, void* to) {
  auto& text = *static_cast<PrintedText*>(to);
  const std::size_t kept = std::min(size, sizeof text.bytes - text.size);
  std::copy_n(piece, kept, text.bytes + text.size);
  text.size += kept;
}

/// Whether the name may have a member of a class or of a template parameter ("sr") that has two
/// grammars. cplus_demangle_v3_components does not initialize the field that says which one is
/// tried (libiberty of 2023), so that its answer to such a name may change from call to call.
bool IsAmbiguous(std::string_view name) {
  name = name.substr(0, name.find('.'));  // ".isra.0"
  for (std::size_t at = name.find("sr"); at != std::string_view::npos;
       at = name.find("sr", at + 1)) {
    const char next = at + 2 < name.size() ? name[at + 2] : 'E';
    const bool is_lower = next >= 'a' && next <= 'z';
    const bool is_digit = next >= '0' && next <= '9';
    if (is_lower || is_digit || next == 'C' || next == 'U' || next == 'L') return true;
  }
  return false;
}

/// Prints a name after its tree was measured. False: the name cannot be read, or
/// printing could take too much time.
bool PrintMeasured(const std::string& mangled, PrintedText& text) {
  if (IsAmbiguous(mangled)) return false;
  void* memory = nullptr;
  Component* const tree =
      ::cplus_demangle_v3_components(mangled.c_str(), DMGL_PARAMS | DMGL_NO_RECURSE_LIMIT, &memory);
  const std::unique_ptr<void, void (*)(void*)> owned(memory, std::free);
  return tree != nullptr && TextBound(memory).Of(tree) <= kMaxWork &&
         ::cplus_demangle_print_callback(DMGL_PARAMS, tree, Append, &text) != 0;
}

}  // namespace

std::optional<std::string> DemangleCxx(const std::string& mangled) {
  if (!mangled.starts_with("_Z") || HasCostlyConversions(mangled)) return std::nullopt;
  PrintedText text;
  const bool is_read = IsHarmless(mangled) ? ::cplus_demangle_v3_callback(
                                                 mangled.c_str(), DMGL_PARAMS, Append, &text) != 0
                                           : PrintMeasured(mangled, text);
  if (!is_read || text.size == 0 || text.size > kMaxDemangledBytes) return std::nullopt;
  return std::string(text.bytes, text.size);
}

}  // namespace csink::symbolizer
