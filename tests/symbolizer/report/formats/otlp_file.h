#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/util/hex.h"

/// File: reads OTLP profiles with protozero's reader, by the field numbers of
/// opentelemetry-proto (August 2026). A damaged message is an exception of protozero.

namespace csink::testing {

struct OtlpFile {
  using Texts = std::map<std::string, std::string>;
  /// Values as text: numbers decimal, bool "true" and "false", the elements of an array one a line.
  /// An attribute of the dictionary has its unit behind a blank.
  struct Function {
    std::string name, system_name, file;
  };
  struct Line {
    std::uint32_t function = 0;
    std::int64_t line = 0;
  };
  struct Mapping {
    std::uint64_t start = 0, limit = 0, offset = 0;
    std::string file;
    Texts attributes;
    bool is_zero = true;
  };
  struct Location {
    std::uint32_t mapping = 0;
    std::uint64_t address = 0;
    std::vector<Line> lines;
    Texts attributes;
  };
  struct Sample {
    std::uint32_t stack = 0;
    std::vector<std::uint32_t> attribute_ids;
    Texts attributes;
    std::int64_t value = 0;
  };
  struct Profile {
    std::pair<std::string, std::string> type, period_type;
    std::vector<Sample> samples;
    std::uint64_t time_ns = 0, duration_ns = 0;
    std::int64_t period = 0;
    std::string id;
    Texts attributes;

    std::int64_t Sum() const {
      std::int64_t sum = 0;
      for (const Sample& sample : samples) sum += sample.value;
      return sum;
    }
  };
  struct Resource {
    Texts attributes;
    std::string scope, version;
    std::vector<Profile> profiles;
  };
  std::vector<Resource> resources;
  std::vector<std::string> strings;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Mapping> mappings;
  std::vector<Location> locations;
  std::vector<Function> functions;
  std::vector<std::vector<std::uint32_t>> stacks;
  std::size_t links = 0;

  explicit OtlpFile(const std::string& bytes) {
    // The dictionary may stand behind the resources that refer to it.
    std::size_t dictionaries = 0;
    protozero::pbf_reader first(bytes);
    while (first.next()) {
      if (first.tag() == 2) {
        ++dictionaries;
        ReadDictionary(first.get_message());
      } else {
        EXPECT_EQ(first.tag(), 1u);
        first.skip();
      }
    }
    // Some readers take the last of several.
    EXPECT_EQ(dictionaries, 1u);
    protozero::pbf_reader second(bytes);
    while (second.next(1)) ReadResource(second.get_message());
  }

  /// All profiles, in order.
  std::vector<const Profile*> Profiles() const {
    std::vector<const Profile*> all;
    for (const Resource& resource : resources) {
      for (const Profile& profile : resource.profiles) all.push_back(&profile);
    }
    return all;
  }
  /// Names of the functions of a sample, innermost first.
  std::vector<std::string> Names(const Sample& sample) const {
    std::vector<std::string> names;
    for (const std::uint32_t location : stacks.at(sample.stack)) {
      for (const Line& line : locations.at(location).lines) {
        names.push_back(functions.at(line.function).name);
      }
    }
    return names;
  }

 private:
  using Reader = protozero::pbf_reader;

  static std::string AnyValue(Reader in) {
    std::string text;
    while (in.next()) {
      switch (in.tag()) {
        case 1:
          text = in.get_string();
          break;
        case 2:
          text = in.get_bool() ? "true" : "false";
          break;
        case 3:
          text = std::to_string(in.get_int64());
          break;
        case 4:
          text = std::to_string(in.get_double());
          break;
        case 5: {
          Reader array = in.get_message();
          while (array.next(1)) text += AnyValue(array.get_message()) + "\n";
          break;
        }
        default:
          ADD_FAILURE() << "value of kind " << in.tag();
          in.skip();
      }
    }
    return text;
  }
  void ReadDictionary(Reader in) {
    Reader strings_first = in;
    while (strings_first.next(5)) strings.push_back(strings_first.get_string());
    Reader attributes_first = in;
    while (attributes_first.next(6)) ReadAttribute(attributes_first.get_message());
    while (in.next()) {
      switch (in.tag()) {
        case 1:
          ReadMapping(in.get_message());
          break;
        case 2:
          ReadLocation(in.get_message());
          break;
        case 3:
          ReadFunction(in.get_message());
          break;
        case 4:
          ++links;
          EXPECT_EQ(in.get_view().size(), 0u);
          break;
        case 7: {
          Reader stack = in.get_message();
          stacks.emplace_back();
          while (stack.next(1)) {
            for (const auto location : stack.get_packed_int32()) {
              stacks.back().push_back(static_cast<std::uint32_t>(location));
            }
          }
          break;
        }
        case 5:
        case 6:
          in.skip();
          break;
        default:
          ADD_FAILURE() << "table " << in.tag();
          in.skip();
      }
    }
  }
  void ReadAttribute(Reader in) {
    std::string key, value, unit;
    while (in.next()) {
      switch (in.tag()) {
        case 1:
          key = Text(in.get_int32());
          break;
        case 2:
          value = AnyValue(in.get_message());
          break;
        case 3:
          unit = Text(in.get_int32());
          break;
        default:
          ADD_FAILURE() << "attribute's field " << in.tag();
          in.skip();
      }
    }
    attributes.emplace_back(key, unit.empty() ? value : value + " " + unit);
  }
  void ReadMapping(Reader in) {
    Mapping mapping;
    while (in.next()) {
      mapping.is_zero = false;
      switch (in.tag()) {
        case 1:
          mapping.start = in.get_uint64();
          break;
        case 2:
          mapping.limit = in.get_uint64();
          break;
        case 3:
          mapping.offset = in.get_uint64();
          break;
        case 4:
          mapping.file = Text(in.get_int32());
          break;
        case 5:
          mapping.attributes = AttributesOf(in).first;
          break;
        default:
          ADD_FAILURE() << "mapping's field " << in.tag();
          in.skip();
      }
    }
    mappings.push_back(std::move(mapping));
  }
  void ReadLocation(Reader in) {
    Location location;
    while (in.next()) {
      switch (in.tag()) {
        case 1:
          location.mapping = static_cast<std::uint32_t>(in.get_int32());
          break;
        case 2:
          location.address = in.get_uint64();
          break;
        case 3: {
          Reader line = in.get_message();
          location.lines.emplace_back();
          while (line.next()) {
            if (line.tag() == 1) {
              location.lines.back().function = static_cast<std::uint32_t>(line.get_int32());
            } else {
              EXPECT_EQ(line.tag(), 2u);
              location.lines.back().line = line.get_int64();
            }
          }
          break;
        }
        case 4:
          location.attributes = AttributesOf(in).first;
          break;
        default:
          ADD_FAILURE() << "location's field " << in.tag();
          in.skip();
      }
    }
    locations.push_back(std::move(location));
  }
  void ReadFunction(Reader in) {
    Function function;
    while (in.next()) {
      switch (in.tag()) {
        case 1:
          function.name = Text(in.get_int32());
          break;
        case 2:
          function.system_name = Text(in.get_int32());
          break;
        case 3:
          function.file = Text(in.get_int32());
          break;
        default:
          ADD_FAILURE() << "function's field " << in.tag();
          in.skip();
      }
    }
    functions.push_back(std::move(function));
  }
  void ReadResource(Reader in) {
    Resource resource;
    while (in.next()) {
      if (in.tag() == 1) {
        Reader attributes_of = in.get_message();
        while (attributes_of.next(1)) {
          std::string key, value;
          Reader attribute = attributes_of.get_message();
          while (attribute.next()) {
            if (attribute.tag() == 1) {
              key = attribute.get_string();
            } else {
              EXPECT_EQ(attribute.tag(), 2u);
              value = AnyValue(attribute.get_message());
            }
          }
          EXPECT_TRUE(resource.attributes.emplace(key, value).second) << key << " twice";
        }
      } else if (in.tag() == 2) {
        ReadScope(in.get_message(), resource);
      } else {
        ADD_FAILURE() << "resource's field " << in.tag();
        in.skip();
      }
    }
    resources.push_back(std::move(resource));
  }
  void ReadScope(Reader in, Resource& resource) {
    while (in.next()) {
      if (in.tag() == 1) {
        Reader scope = in.get_message();
        while (scope.next()) {
          // First: the right side of an assignment is evaluated before the left one, and the
          // reader has no tag then.
          std::string& text = scope.tag() == 1 ? resource.scope : resource.version;
          text = scope.get_string();
        }
      } else {
        EXPECT_EQ(in.tag(), 2u);
        ReadProfile(in.get_message(), resource);
      }
    }
  }
  void ReadProfile(Reader in, Resource& resource) {
    Profile profile;
    while (in.next()) {
      switch (in.tag()) {
        case 1:
          profile.type = ValueType(in.get_message());
          break;
        case 2:
          ReadSample(in.get_message(), profile);
          break;
        case 3:
          profile.time_ns = in.get_fixed64();
          break;
        case 4:
          profile.duration_ns = in.get_uint64();
          break;
        case 5:
          profile.period_type = ValueType(in.get_message());
          break;
        case 6:
          profile.period = in.get_int64();
          break;
        case 7:
          profile.id = in.get_bytes();
          break;
        case 11:
          profile.attributes = AttributesOf(in).first;
          break;
        default:
          ADD_FAILURE() << "profile's field " << in.tag();
          in.skip();
      }
    }
    resource.profiles.push_back(std::move(profile));
  }
  void ReadSample(Reader in, Profile& profile) {
    Sample sample;
    while (in.next()) {
      switch (in.tag()) {
        case 1:
          sample.stack = static_cast<std::uint32_t>(in.get_int32());
          break;
        case 2:
          std::tie(sample.attributes, sample.attribute_ids) = AttributesOf(in);
          break;
        case 4: {
          const auto values = in.get_packed_int64();
          ASSERT_EQ(values.size(), 1u);
          sample.value = *values.begin();
          break;
        }
        default:
          ADD_FAILURE() << "sample's field " << in.tag();
          in.skip();
      }
    }
    profile.samples.push_back(std::move(sample));
  }
  std::pair<std::string, std::string> ValueType(Reader in) const {
    std::pair<std::string, std::string> type;
    while (in.next()) {
      std::string& text = in.tag() == 1 ? type.first : type.second;
      text = Text(in.get_int32());
    }
    return type;
  }
  /// Attributes by key, and their numbers.
  std::pair<Texts, std::vector<std::uint32_t>> AttributesOf(Reader& in) const {
    std::pair<Texts, std::vector<std::uint32_t>> all;
    for (const auto id : in.get_packed_int32()) {
      const auto& [key, value] = attributes.at(static_cast<std::size_t>(id));
      EXPECT_TRUE(all.first.emplace(key, value).second) << key << " twice";
      all.second.push_back(static_cast<std::uint32_t>(id));
    }
    return all;
  }
  std::string Text(std::int32_t id) const { return strings.at(static_cast<std::size_t>(id)); }
};

}  // namespace csink::testing
