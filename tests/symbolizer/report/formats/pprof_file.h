#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// File: reads pprof files, by the documents of the formats alone.

namespace csink::testing {

inline std::string Gunzip(const std::string& bytes) {
  z_stream z = {};
  EXPECT_EQ(inflateInit2(&z, 15 + 16), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  int result = Z_OK;
  std::vector<char> piece(1 << 16);
  while (result == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(piece.data());
    z.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&z, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - z.avail_out);
  }
  EXPECT_EQ(result, Z_STREAM_END);
  EXPECT_EQ(z.avail_in, 0u);
  inflateEnd(&z);
  return text;
}

/// One message: numbers and byte strings by field.
struct WireMessage {
  std::multimap<unsigned, std::uint64_t> numbers;
  std::multimap<unsigned, std::string_view> bytes;

  explicit WireMessage(std::string_view in) { Read(in); }
  void Read(std::string_view in) {
    while (!in.empty()) {
      const std::uint64_t key = Varint(in);
      const auto field = static_cast<unsigned>(key >> 3);
      if ((key & 7) == 0) {
        numbers.emplace(field, Varint(in));
      } else if ((key & 7) == 2) {
        const std::uint64_t size = Varint(in);
        ASSERT_LE(size, in.size());
        bytes.emplace(field, in.substr(0, size));
        in.remove_prefix(size);
      } else {
        FAIL() << "wire type " << (key & 7);
      }
    }
  }
  static std::uint64_t Varint(std::string_view& in) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (in.empty()) break;
      const auto byte = static_cast<unsigned char>(in[0]);
      in.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ADD_FAILURE() << "no varint";
    in = {};
    return value;
  }
  std::uint64_t Number(unsigned field) const {
    const auto it = numbers.find(field);
    return it == numbers.end() ? 0 : it->second;
  }
  static std::vector<std::uint64_t> Packed(std::string_view in) {
    std::vector<std::uint64_t> values;
    while (!in.empty()) values.push_back(Varint(in));
    return values;
  }
};

struct PprofFile {
  struct Function {
    std::string name, system_name, file;
  };
  struct Line {
    const Function* function = nullptr;
    std::uint64_t line = 0;
  };
  struct Mapping {
    std::uint64_t start, limit, offset, flags;
    std::string file, build_id;
  };
  struct Location {
    std::uint64_t mapping = 0, address = 0;
    std::vector<Line> lines;
  };
  struct Sample {
    std::vector<const Location*> stack;
    std::vector<std::uint64_t> values;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::uint64_t> numbers;
  };
  std::vector<std::pair<std::string, std::string>> types;
  std::vector<Sample> samples;
  std::map<std::uint64_t, Mapping> mappings;
  std::map<std::uint64_t, Location> locations;
  std::map<std::uint64_t, Function> functions;
  std::vector<std::string> strings, comments;
  std::string default_type;
  std::pair<std::string, std::string> period_type;
  std::uint64_t period = 0, time_ns = 0, duration_ns = 0;

  explicit PprofFile(const std::string& file) {
    const std::string bytes = Gunzip(file);
    const WireMessage all(bytes);
    const auto each = [&](unsigned field, auto read) {
      const auto [begin, end] = all.bytes.equal_range(field);
      for (auto it = begin; it != end; ++it) read(it->second);
    };
    each(6, [&](std::string_view text) { strings.emplace_back(text); });
    const auto type = [&](std::string_view text) {
      const WireMessage m(text);
      return std::pair(Text(m.Number(1)), Text(m.Number(2)));
    };
    each(1, [&](std::string_view text) { types.push_back(type(text)); });
    each(11, [&](std::string_view text) { period_type = type(text); });
    each(13, [&](std::string_view text) {
      for (const auto id : WireMessage::Packed(text)) comments.push_back(Text(id));
    });
    each(5, [&](std::string_view text) {
      const WireMessage m(text);
      functions[m.Number(1)] = {Text(m.Number(2)), Text(m.Number(3)), Text(m.Number(4))};
    });
    each(3, [&](std::string_view text) {
      const WireMessage m(text);
      mappings[m.Number(1)] = {
          m.Number(2),       m.Number(3),
          m.Number(4),       m.Number(7) | m.Number(8) << 1 | m.Number(9) << 2 | m.Number(10) << 3,
          Text(m.Number(5)), Text(m.Number(6))};
    });
    each(4, [&](std::string_view text) { ReadLocation(WireMessage(text)); });
    each(2, [&](std::string_view text) { ReadSample(WireMessage(text)); });
    default_type = Text(all.Number(14));
    period = all.Number(12);
    time_ns = all.Number(9);
    duration_ns = all.Number(10);
  }

  std::uint64_t Sum(std::size_t column) const {
    std::uint64_t sum = 0;
    for (const Sample& sample : samples) sum += sample.values.at(column);
    return sum;
  }

 private:
  std::string Text(std::uint64_t id) const { return strings.at(id); }
  void ReadLocation(const WireMessage& m) {
    Location& location = locations[m.Number(1)];
    location.mapping = m.Number(2);
    location.address = m.Number(3);
    const auto [begin, end] = m.bytes.equal_range(4);
    for (auto it = begin; it != end; ++it) {
      const WireMessage line(it->second);
      location.lines.push_back({&functions.at(line.Number(1)), line.Number(2)});
    }
  }
  void ReadSample(const WireMessage& m) {
    Sample sample;
    for (const auto id : WireMessage::Packed(m.bytes.find(1)->second)) {
      sample.stack.push_back(&locations.at(id));
    }
    sample.values = WireMessage::Packed(m.bytes.find(2)->second);
    const auto [begin, end] = m.bytes.equal_range(3);
    for (auto it = begin; it != end; ++it) {
      const WireMessage label(it->second);
      const std::string key = Text(label.Number(1));
      if (label.Number(2) != 0) sample.texts[key] = Text(label.Number(2));
      if (label.Number(2) == 0) sample.numbers[key] = label.Number(3);
    }
    samples.push_back(std::move(sample));
  }
};

}  // namespace csink::testing
