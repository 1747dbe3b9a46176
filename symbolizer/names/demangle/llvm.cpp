
#include <llvm/Demangle/ItaniumDemangle.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbolizer/names/demangle/languages.h"

namespace llvm::itanium_demangle {

/// The only function that LLVM's header declares without defining it; the definition is in LLVM's
/// library, which is not linked. Skips the number that tells local entities of the same name apart:
/// <discriminator> ::= _ <digit> | __ <number> _ (Itanium C++ ABI), and as an extension a
/// number at the end of the name.
const char* parse_discriminator(const char* first, const char* last) {
  const auto behind_digits = [last](const char* at) {
    return std::find_if(at, last, [](char c) { return c < '0' || c > '9'; });
  };
  if (first == last) return first;
  if (*first != '_') return behind_digits(first) == last ? last : first;
  const char* const second = first + 1;
  if (second == last) return first;
  if (behind_digits(second) != second) return second + 1;
  if (*second != '_') return first;
  const char* const end = behind_digits(second + 1);
  return end != last && *end == '_' ? end + 1 : first;
}

}  // namespace llvm::itanium_demangle

/// File: LLVM's demangler is a header of templates, which is compiled here with an allocator and a
/// stop of our own. It parses a name to a tree of nodes; the length of the text is computed on the
/// tree, each node once, and only then the text is printed.

namespace csink::symbolizer {
namespace {

namespace itanium = llvm::itanium_demangle;
using itanium::Node;
using itanium::NodeArray;

/// Limit for everything that is printed, including text that is printed and discarded again. The
/// result has at most kMaxDemangledBytes; the limit is larger because the bound counts 40 bytes for
/// each node, while most nodes print four.
constexpr double kMaxPrintedBytes = 8 << 20;

/// Allocates the nodes of one name, in blocks of 16 KiB. Nodes have trivial destructors, so that
/// only the blocks are freed. LLVM's parser requires the three public functions of these names.
/// Also remembers how wide argument packs are, since a pack is printed once for each element.
class Arena {
 public:
  void reset() { blocks_.clear(); }

  template <class T, class... Args>
  T* makeNode(Args&&... args) {
    if constexpr (std::is_same_v<T, itanium::ParameterPack> ||
                  std::is_same_v<T, itanium::TemplateArgumentPack>) {
      ((widest_pack_ = std::max(widest_pack_, args.size())), ...);
    }
    return new (Allocate(sizeof(T))) T(std::forward<Args>(args)...);
  }
  void* allocateNodeArray(std::size_t count) { return Allocate(count * sizeof(Node*)); }

  /// The number of elements in the longest argument pack.
  std::size_t widest_pack() const { return widest_pack_; }

 private:
  // Memory for any type; never null.
  void* Allocate(std::size_t size) {
    constexpr std::size_t kBlock = 16 << 10;
    constexpr std::size_t kAlign = alignof(std::max_align_t);
    size = (size + kAlign - 1) & ~(kAlign - 1);
    if (blocks_.empty() || size > left_) {
      left_ = std::max(size, kBlock);
      blocks_.push_back(std::make_unique<char[]>(left_));
      next_ = blocks_.back().get();
    }
    left_ -= size;
    return std::exchange(next_, next_ + size);
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t widest_pack_ = 1;
};

/// LLVM's parser with our allocator.
class Parser : public itanium::AbstractManglingParser<Parser, Arena> {
  using Base = itanium::AbstractManglingParser<Parser, Arena>;

 public:
  using Base::Base;
  std::size_t widest_pack() const { return this->ASTAllocator.widest_pack(); }
};

/// An upper bound for the text of a syntax tree. Nodes are shared: a name of 100 bytes can have a
/// tree of 100 nodes that stands for 2^30 bytes of text. So each node is computed once.
class TextBound {
 public:
  explicit TextBound(std::size_t widest_pack) : widest_pack_(static_cast<double>(widest_pack)) {}

  double Of(const Node* node) {
    if (node == nullptr) return 0;
    // 0 while the node is being computed: printing stops at cycles in the same way.
    const auto [at, is_new] = known_.try_emplace(node, 0);
    if (!is_new) return at->second;
    constexpr double kOwnText = 40;  // "construction vtable for ", "std::basic_iostream"
    double text = kOwnText;
    node->visit([&](const auto* derived) { text += OfParts(*derived); });
    return known_[node] = text;
  }

 private:
  // The text of all parts of a node, which LLVM's nodes show by match().
  template <class T>
  double OfParts(const T& node) {
    if constexpr (std::is_same_v<T, itanium::ForwardTemplateReference>) {
      return Of(node.Ref);
    } else {
      double text = 0;
      node.match([&](const auto&... parts) { ((text += OfPart(parts)), ...); });
      // An expansion prints its pattern once for each element of the pack.
      constexpr bool kIsExpansion = std::is_same_v<T, itanium::ParameterPackExpansion> ||
                                    std::is_same_v<T, itanium::SizeofParamPackExpr> ||
                                    std::is_same_v<T, itanium::FoldExpr>;
      return kIsExpansion ? text * widest_pack_ : text;
    }
  }
  // The text of one part: a node, a list of nodes, or a text. Numbers and flags count as own text.
  template <class T>
  double OfPart(const T& part) {
    if constexpr (std::is_convertible_v<const T&, const Node*>) {
      return Of(part);
    } else if constexpr (std::is_same_v<T, NodeArray>) {
      double text = 0;
      for (const Node* element : part) text += Of(element);
      return text;
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return static_cast<double>(std::string_view(part).size());
    } else {
      return 0;
    }
  }

  double widest_pack_;
  std::unordered_map<const Node*, double> known_;
};

/// The suffix of a part of a function, in the notation of the C++ runtime: " [clone .isra.0] [clone
/// .cold]".
std::string Clones(std::string_view suffix) {
  std::string text;
  while (!suffix.empty()) {
    // A number belongs to the word before it.
    std::size_t end = 1;
    while (end < suffix.size() &&
           (suffix[end] != '.' ||
            (end + 1 < suffix.size() && suffix[end + 1] >= '0' && suffix[end + 1] <= '9'))) {
      ++end;
    }
    text.append(" [clone ").append(suffix.substr(0, end)).append("]");
    suffix.remove_prefix(end);
  }
  return text;
}

}  // namespace

std::optional<std::string> DemangleByLlvm(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return std::nullopt;
  // The grammar has no clone suffixes. They are cut off here and appended to the text.
  const std::size_t end = std::min(mangled.find('.'), mangled.size());
  Parser parser(mangled.data(), mangled.data() + end);
  const Node* tree = parser.parse();
  if (tree == nullptr) return std::nullopt;
  if (TextBound(parser.widest_pack()).Of(tree) > kMaxPrintedBytes) return std::nullopt;
  itanium::OutputBuffer out;
  tree->print(out);
  const std::unique_ptr<char, void (*)(void*)> owned(out.getBuffer(), std::free);
  std::string text(out.getBuffer(), out.getCurrentPosition());
  text += Clones(std::string_view(mangled).substr(end));
  if (text.size() > kMaxDemangledBytes) return std::nullopt;
  return text;
}

}  // namespace csink::symbolizer
