#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// File: reads perf.data as tools/perf/Documentation/perf.data-file-format.txt and
/// perf_event_open(2) describe it. Throws at what is not as they say.

namespace csink::testing {

/// One sample of a perf.data file.
struct PerfDataSample {
  std::uint64_t id = 0, ip = 0, time = 0, period = 0;
  std::uint32_t pid = 0, tid = 0;
  std::uint16_t misc = 0;
  std::vector<std::uint64_t> chain;  ///< Without contexts
};

/// One mapping.
struct PerfDataMapping {
  std::uint32_t pid = 0;
  std::uint64_t start = 0, length = 0, offset = 0;
  std::string path;
};

/// A position in bytes.
class PerfDataCursor {
 public:
  explicit PerfDataCursor(std::string_view bytes) : bytes_(bytes) {}
  template <typename T>
  T Take() {
    T value;
    std::memcpy(&value, Take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view Take(std::size_t size) {
    if (size > bytes_.size()) throw std::runtime_error("a piece is cut off");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  /// Text with a 0 behind it.
  std::string Text(std::size_t size) {
    const std::string_view text = Take(size);
    if (text.find('\0') == text.npos) throw std::runtime_error("a text without an end");
    return std::string(text.substr(0, text.find('\0')));
  }
  std::string FeatureText() { return Text(Take<std::uint32_t>()); }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// A whole file.
struct PerfDataFile {
  std::vector<perf_event_attr> attrs;
  std::vector<std::string> event_names;
  std::vector<PerfDataSample> samples;
  std::vector<PerfDataMapping> mappings;
  std::map<std::uint32_t, std::string> comms;    ///< By tid
  std::map<std::string, std::string> build_ids;  ///< By path; bytes
  std::vector<std::string> command;
  std::string host, version;

  explicit PerfDataFile(std::string_view bytes) {
    PerfDataCursor head(bytes);
    Demand(head.Take(8) == "PERFILE2", "magic");
    Demand(head.Take<std::uint64_t>() == 104, "size of the header");
    const auto attr_size = head.Take<std::uint64_t>();
    const std::string_view attr_bytes = Section(bytes, head);
    const auto data_at = head.Take<std::uint64_t>();
    const auto data_size = head.Take<std::uint64_t>();
    Demand(head.Take<std::uint64_t>() == 0 && head.Take<std::uint64_t>() == 0, "event types");
    const auto flags = head.Take<std::uint64_t>();
    Attrs(bytes, attr_bytes, attr_size);
    Records(bytes.substr(data_at, data_size));
    PerfDataCursor table(bytes.substr(data_at + data_size));
    for (unsigned feature = 0; feature < 64; ++feature) {
      if ((flags >> feature & 1) != 0) Feature(feature, Section(bytes, table));
    }
  }
  std::uint64_t Sum(std::size_t event) const {
    std::uint64_t sum = 0;
    for (const PerfDataSample& sample : samples) sum += sample.id == event + 1 ? sample.period : 0;
    return sum;
  }
  /// "path+offset in the file" of an address.
  std::string PlaceOf(std::uint32_t pid, std::uint64_t address) const {
    for (const PerfDataMapping& mapping : mappings) {
      if (mapping.pid != pid || address - mapping.start >= mapping.length) continue;
      return mapping.path + "+" + std::to_string(address - mapping.start + mapping.offset);
    }
    return "?";
  }

 private:
  static void Demand(bool is_so, const char* what) {
    if (!is_so) throw std::runtime_error(what);
  }
  static std::string_view Section(std::string_view bytes, PerfDataCursor& cursor) {
    const auto at = cursor.Take<std::uint64_t>();
    const auto size = cursor.Take<std::uint64_t>();
    Demand(at <= bytes.size() && size <= bytes.size() - at, "a section is outside of the file");
    return bytes.substr(at, size);
  }
  void Attrs(std::string_view bytes, std::string_view attr_bytes, std::uint64_t attr_size) {
    PerfDataCursor cursor(attr_bytes);
    while (cursor.left() > 0) {
      perf_event_attr attr = {};
      std::memcpy(&attr, cursor.Take(attr_size - 16).data(), attr_size - 16);
      Demand(attr.size == attr_size - 16, "size of an event");
      PerfDataCursor ids(Section(bytes, cursor));
      attrs.push_back(attr);
      Demand(ids.left() == 8 && ids.Take<std::uint64_t>() == attrs.size(), "id of an event");
    }
  }
  void Records(std::string_view data) {
    PerfDataCursor cursor(data);
    std::uint64_t last_time = 0;
    while (cursor.left() > 0) {
      const auto header = cursor.Take<perf_event_header>();
      Demand(header.size % 8 == 0 && header.size >= sizeof header, "size of a record");
      PerfDataCursor record(cursor.Take(header.size - sizeof header));
      std::uint64_t time = 0;
      if (header.type == PERF_RECORD_SAMPLE) {
        Sample(header.misc, record);
        time = samples.back().time;
      } else {
        time = Other(header.type, record);
      }
      Demand(time >= last_time, "times are not in order");
      last_time = time;
    }
  }
  void Sample(std::uint16_t misc, PerfDataCursor& record) {
    PerfDataSample sample;
    sample.misc = misc;
    sample.id = record.Take<std::uint64_t>();
    Demand(sample.id >= 1 && sample.id <= attrs.size(), "id of a sample");
    sample.ip = record.Take<std::uint64_t>();
    sample.pid = record.Take<std::uint32_t>();
    sample.tid = record.Take<std::uint32_t>();
    sample.time = record.Take<std::uint64_t>();
    sample.period = record.Take<std::uint64_t>();
    if ((attrs[0].sample_type & PERF_SAMPLE_CALLCHAIN) != 0) {
      for (auto frames = record.Take<std::uint64_t>(); frames > 0; --frames) {
        const auto address = record.Take<std::uint64_t>();
        if (address < PERF_CONTEXT_MAX) sample.chain.push_back(address);
      }
      Demand(!sample.chain.empty() && sample.chain[0] == sample.ip, "begin of a call chain");
    }
    Demand(record.left() == 0, "rest of a sample");
    samples.push_back(sample);
  }
  /// A COMM or MMAP2 record; returns its time.
  std::uint64_t Other(std::uint32_t type, PerfDataCursor& record) {
    constexpr std::size_t kIdBytes = 24;  // pid, tid, time, id
    const auto pid = record.Take<std::uint32_t>();
    const auto tid = record.Take<std::uint32_t>();
    if (type == PERF_RECORD_COMM) {
      comms[tid] = record.Text(record.left() - kIdBytes);
    } else {
      Demand(type == PERF_RECORD_MMAP2, "type of a record");
      PerfDataMapping mapping{pid, record.Take<std::uint64_t>(), record.Take<std::uint64_t>(),
                              record.Take<std::uint64_t>(), ""};
      record.Take(32);  // Device, inode, protection, flags
      mapping.path = record.Text(record.left() - kIdBytes);
      mappings.push_back(mapping);
    }
    Demand(record.Take<std::uint32_t>() == pid && record.Take<std::uint32_t>() == tid, "ids");
    const auto time = record.Take<std::uint64_t>();
    Demand(record.Take<std::uint64_t>() == 1 && record.left() == 0, "rest of a record");
    return time;
  }
  void Feature(unsigned feature, std::string_view bytes) {
    PerfDataCursor cursor(bytes);
    if (feature == 2) {
      while (cursor.left() > 0) {
        const auto header = cursor.Take<perf_event_header>();
        PerfDataCursor record(cursor.Take(header.size - sizeof header));
        Demand(record.Take<std::int32_t>() == -1, "pid of a build-id");
        const std::string id(record.Take(24));
        build_ids[record.Text(record.left())] = id.substr(0, static_cast<unsigned char>(id[20]));
      }
    } else if (feature == 3) {
      host = cursor.FeatureText();
    } else if (feature == 5) {
      version = cursor.FeatureText();
    } else if (feature == 11) {
      for (auto i = cursor.Take<std::uint32_t>(); i > 0; --i) {
        command.push_back(cursor.FeatureText());
      }
    } else if (feature == 12) {
      const auto events = cursor.Take<std::uint32_t>();
      const auto attr_size = cursor.Take<std::uint32_t>();
      for (std::uint32_t i = 0; i < events; ++i) {
        cursor.Take(attr_size);
        Demand(cursor.Take<std::uint32_t>() == 1, "number of ids");
        event_names.push_back(cursor.FeatureText());
        Demand(cursor.Take<std::uint64_t>() == i + 1, "id in the list of events");
      }
    }
    Demand(cursor.left() == 0, "rest of a feature");
  }
};

}  // namespace csink::testing
