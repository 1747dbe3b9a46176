#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// File: reads the part of XML 1.0 that the SVG writer uses. The end-to-end test reads the same
/// files with a complete parser.

namespace csink::testing {

/// One element, in the order of their beginnings.
struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;       ///< Of the element itself
  std::size_t depth = 0;  ///< 0: the document's element
};

/// Replaces the five entities of XML. nullopt: a '&' or '<' that is no markup.
inline std::optional<std::string> XmlUnescaped(std::string_view text) {
  static const std::map<std::string_view, char> kEntities = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string plain;
  while (!text.empty()) {
    if (text[0] == '<') return std::nullopt;
    if (text[0] != '&') {
      plain += text[0];
      text.remove_prefix(1);
      continue;
    }
    const auto end = text.find(';');
    const auto entity = kEntities.find(text.substr(0, end == text.npos ? end : end + 1));
    if (entity == kEntities.end()) return std::nullopt;
    plain += entity->second;
    text.remove_prefix(end + 1);
  }
  return plain;
}

/// The elements of a document; nullopt if it is not well-formed.
inline std::optional<std::vector<XmlElement>> ReadXml(std::string_view document) {
  std::vector<XmlElement> elements;
  std::vector<std::size_t> open;
  const std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
  if (document.substr(0, declaration.size()) != declaration) return std::nullopt;
  document.remove_prefix(declaration.size());
  while (!document.empty()) {
    const auto tag = document.find('<');
    const auto text = XmlUnescaped(document.substr(0, tag));
    if (!text) return std::nullopt;
    if (!open.empty()) {
      elements[open.back()].text += *text;
    } else if (text->find_first_not_of("\n ") != text->npos) {
      return std::nullopt;
    }
    if (tag == document.npos) break;
    document.remove_prefix(tag + 1);
    const auto end = document.find('>');
    if (end == document.npos) return std::nullopt;
    std::string_view inside = document.substr(0, end);
    document.remove_prefix(end + 1);
    if (inside.substr(0, 1) == "/") {
      if (open.empty() || elements[open.back()].name != inside.substr(1)) return std::nullopt;
      open.pop_back();
      continue;
    }
    const bool is_empty = !inside.empty() && inside.back() == '/';
    if (is_empty) inside.remove_suffix(1);
    XmlElement element;
    element.depth = open.size();
    const auto name_end = inside.find(' ');
    element.name = inside.substr(0, name_end);
    inside.remove_prefix(name_end == inside.npos ? inside.size() : name_end);
    while (!inside.empty()) {  // ` name="value"`
      const auto equals = inside.find("=\"");
      if (inside[0] != ' ' || equals == inside.npos) return std::nullopt;
      const auto quote = inside.find('"', equals + 2);
      if (quote == inside.npos) return std::nullopt;
      const auto value = XmlUnescaped(inside.substr(equals + 2, quote - equals - 2));
      if (!value) return std::nullopt;
      element.attributes[std::string(inside.substr(1, equals - 1))] = *value;
      inside.remove_prefix(quote + 1);
    }
    if (!is_empty) open.push_back(elements.size());
    elements.push_back(element);
  }
  if (!open.empty() || elements.empty()) return std::nullopt;
  return elements;
}

}  // namespace csink::testing
