#include "compat/utils/papi_native_avail/attributes.h"

#include <csink_events.h>
#include <dlfcn.h>

#include <map>

namespace csink::utils::native {
namespace {

/// The members of a group of attributes and its default.
struct Group {
  std::string members;
  std::string default_name;
};

/// Adds a name to a list that blanks separate.
void Append(std::string& list, std::string_view name) {
  if (!list.empty()) list += ' ';
  list += name;
}

}  // namespace

AttributeLibrary::AttributeLibrary() {
  // Found through this program's run path, next to libpapi.so.
  void* library = dlopen("libcsink_events.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  text_ = reinterpret_cast<Write>(dlsym(library, "csink_event_attributes_text"));
  json_ = reinterpret_cast<Write>(dlsym(library, "csink_event_attributes_json"));
  fill_ = reinterpret_cast<Fill>(dlsym(library, "csink_event_attributes"));
}

const AttributeLibrary* AttributeLibrary::Get() {
  static const AttributeLibrary library;
  return library.text_ && library.json_ && library.fill_ ? &library : nullptr;
}

std::optional<std::string> AttributeLibrary::Whole(Write write, const char* event) {
  // The length is that of the text without its NUL; 0 or less: there is none.
  const int length = write(event, nullptr, 0);
  if (length <= 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  write(event, text.data(), text.size());
  text.pop_back();
  return text;
}

std::vector<std::string> AttributeLibrary::GroupLines(const char* event) const {
  std::vector<csink_event_attribute> attributes(64);
  // csink_event_attributes stores as many as there is room for and returns the number of all: a
  // second call gets the rest where 64 are too few.
  for (;;) {
    int count = static_cast<int>(attributes.size());
    if (fill_(event, attributes.data(), &count) != CSINK_EVENTS_OK) return {};
    const bool whole = static_cast<std::size_t>(count) <= attributes.size();
    attributes.resize(static_cast<std::size_t>(count));
    if (whole) break;
  }
  std::map<int, Group> groups;
  std::string fixed;
  for (const csink_event_attribute& attribute : attributes) {
    // Modifiers belong to no group.
    if (attribute.group < 0) continue;
    Group& group = groups[attribute.group];
    Append(group.members, attribute.name);
    if (attribute.is_default) group.default_name = attribute.name;
    if (attribute.is_hard_wired) {
      Append(fixed, std::string(attribute.name) + ':' + attribute.modifiers);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [number, group] : groups) {
    std::string line = "Group " + std::to_string(number);
    if (!group.default_name.empty()) line += ", default " + group.default_name;
    lines.push_back(line + ": " + group.members);
  }
  if (!fixed.empty()) lines.push_back("Fixed: " + fixed);
  return lines;
}

}  // namespace csink::utils::native
