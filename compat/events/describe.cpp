#include "compat/events/describe.h"

#include <cstdio>

/// File: the description of an event as JSON and as text. The JSON is written by hand: the library
/// is loaded into other programs and contains no JSON library.

namespace csink {
namespace {

/// A JSON string with its quotes.
void AddString(std::string& json, std::string_view text) {
  json += '"';
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (json += '\\') += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x",
                    byte);  // libpfm4's texts are Latin-1, so a byte is the code point
      json += escaped;
    } else {
      json += c;
    }
  }
  json += '"';
}

/// A comma unless the key is the first of its object.
void AddKey(std::string& json, std::string_view key) {
  if (json.back() != '{') json += ", ";
  AddString(json, key);
  json += ": ";
}

/// A key with a string, and a key with true or false.
void AddText(std::string& json, std::string_view key, std::string_view text) {
  AddKey(json, key);
  AddString(json, text);
}

void AddFlag(std::string& json, std::string_view key, bool value) {
  AddKey(json, key);
  json += value ? "true" : "false";
}

/// The kind of an attribute in words. All kinds but two are macros.
const char* KindText(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kUnitMask:
      return "unit mask";
    case AttributeKind::kModifier:
      return "modifier";
    default:
      return "macro";
  }
}

/// A code of a unit mask, as manuals of processors write codes.
std::string HexOf(std::uint64_t code) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(code));
  return text;
}

/// A group as an object. null: it has no default.
void AddGroup(std::string& json, const AttributeGroup& group, std::size_t number) {
  json += number == 0 ? "{" : ", {";
  AddKey(json, "group");
  json += std::to_string(number);
  if (!group.name.empty()) AddText(json, "name", group.name);
  AddKey(json, "default");
  if (group.default_name.empty()) {
    json += "null";
  } else {
    AddString(json, group.default_name);
  }
  AddFlag(json, "required", group.required);
  json += '}';
}

/// An attribute as an object in a line of its own.
void AddAttribute(std::string& json, const EventAttribute& attribute, bool first) {
  json += first ? "\n  {" : ",\n  {";
  AddText(json, "name", attribute.name);
  AddText(json, "kind", KindText(attribute.kind));
  AddKey(json, "group");
  // Modifiers belong to no group.
  json += attribute.group < 0 ? "null" : std::to_string(attribute.group);
  AddFlag(json, "default", attribute.is_default);
  AddFlag(json, "hard_wired", attribute.hard_wired);
  // Only unit masks have a code: modifiers have values, macros are texts.
  if (attribute.kind == AttributeKind::kUnitMask) AddText(json, "code", HexOf(attribute.code));
  AddText(json, "modifiers", attribute.modifiers);
  if (!attribute.same_as.empty()) AddText(json, "same_as", attribute.same_as);
  AddText(json, "text", attribute.text);
  json += '}';
}

/// One line of text, such as "  DMND_RFO            default, fixes c=4, same as A:B - what it is".
std::string AttributeLine(const EventAttribute& attribute) {
  std::string line = "  " + attribute.name;
  // Aligned at column 30; a longer name has one blank behind it.
  line.append(line.size() < 30 ? 30 - line.size() : 1, ' ');
  if (attribute.is_default) line += "default, ";
  if (attribute.kind == AttributeKind::kUnitMask) line += HexOf(attribute.code) + ", ";
  if (attribute.hard_wired && attribute.kind != AttributeKind::kMacro) {
    line += "fixes " + attribute.modifiers + ", ";
  } else if (attribute.kind == AttributeKind::kModifier && !attribute.modifiers.empty()) {
    line += attribute.modifiers + ", ";
  }
  if (!attribute.same_as.empty()) line += "same as " + attribute.same_as + ", ";
  return line + attribute.text + "\n";
}

/// A group without a default must have a member in the event string, unless it is not required.
std::string GroupLine(const AttributeGroup& group, std::size_t number) {
  std::string line =
      group.name.empty() ? "group " + std::to_string(number) : "macro group " + group.name;
  if (!group.default_name.empty()) {
    line += ", default " + group.default_name;
  } else if (group.required) {
    line += ", one must be given";
  }
  if (!group.required) line += ", may be left out";
  return line + ":\n";
}

}  // namespace

std::string DescribeAsJson(const EventAttributes& event) {
  std::string json = "{";
  AddText(json, "format", "csink-event");
  AddKey(json, "version");
  json += '1';
  AddText(json, "event", event.event);
  AddText(json, "pmu", event.pmu);
  AddText(json, "text", event.text);
  json += ",\n \"groups\": [";
  for (std::size_t i = 0; i < event.groups.size(); ++i) AddGroup(json, event.groups[i], i);
  json += "],\n \"attributes\": [";
  for (std::size_t i = 0; i < event.attributes.size(); ++i) {
    AddAttribute(json, event.attributes[i], i == 0);
  }
  return json + "]}\n";
}

std::string ErrorAsJson(std::string_view sentence) {
  std::string json = "{";
  AddText(json, "format", "csink-event");
  AddKey(json, "version");
  json += '1';
  AddText(json, "error", sentence);
  return json + "}\n";
}

std::string DescribeAsText(const EventAttributes& event) {
  std::string text = event.event + ": " + event.text + "\n";
  for (std::size_t group = 0; group < event.groups.size(); ++group) {
    text += GroupLine(event.groups[group], group);
    for (const EventAttribute& attribute : event.attributes) {
      if (attribute.group == static_cast<int>(group)) text += AttributeLine(attribute);
    }
  }
  // Modifiers come last: they can be added whatever the groups have.
  bool first = true;
  for (const EventAttribute& attribute : event.attributes) {
    if (attribute.group >= 0) continue;
    // The title stands only above at least one modifier.
    if (first) text += "modifiers:\n";
    first = false;
    text += AttributeLine(attribute);
  }
  return text;
}

}  // namespace csink
