#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace csink::testing {

/// The kernel's end of a perf ring: writes records into the two-part mapping that
/// MapRing gave out, wraps them round its end and drops what does not fit.
/// Borrows: the mapping.
class FakeRing {
 public:
  FakeRing(void* base, std::size_t control_bytes, std::size_t data_bytes)
      : page_(static_cast<perf_event_mmap_page*>(base)),
        data_(static_cast<unsigned char*>(base) + control_bytes),
        data_bytes_(data_bytes) {}

  std::size_t data_bytes() const { return data_bytes_; }
  std::uint64_t head() const { return page_->data_head; }
  std::uint64_t tail() const { return page_->data_tail; }
  std::uint64_t dropped() const { return dropped_; }

  /// As if `position` bytes had been written and read before.
  void StartAt(std::uint64_t position) { page_->data_head = page_->data_tail = position; }
  void SetTimes(std::uint64_t enabled_ns, std::uint64_t running_ns) {
    page_->time_enabled = enabled_ns;
    page_->time_running = running_ns;
  }

  bool Sample(std::uint64_t ip) { return Words(PERF_RECORD_SAMPLE, 0, {ip}); }
  bool Sample(std::uint64_t ip, std::uint64_t period) {
    return Words(PERF_RECORD_SAMPLE, 0, {ip, period});
  }
  bool Lost(std::uint64_t count) { return Words(PERF_RECORD_LOST, 0, {/*id=*/7, count}); }
  bool Throttle(std::uint64_t time_ns = 1) {
    return Words(PERF_RECORD_THROTTLE, 0, {time_ns, /*id=*/2, /*stream=*/3});
  }
  bool Unthrottle(std::uint64_t time_ns) {
    return Words(PERF_RECORD_UNTHROTTLE, 0, {time_ns, /*id=*/2, /*stream=*/3});
  }
  /// On counter `index` - 1, which programs may not read; 0: on none.
  void SetIndex(std::uint32_t index) { page_->index = index; }
  /// What the event has counted, as of an update while its thread did not run.
  void SetCount(std::uint64_t count) { page_->offset = static_cast<std::int64_t>(count); }
  // Of an event whose records hold their times (sample_id_all).
  bool TimedSample(std::uint64_t ip, std::uint64_t time_ns) {
    return Words(PERF_RECORD_SAMPLE, 0, {ip, time_ns});
  }
  bool TimedLost(std::uint64_t count, std::uint64_t time_ns) {
    return Words(PERF_RECORD_LOST, 0, {/*id=*/7, count, time_ns});
  }
  bool ContextSwitch(std::uint16_t misc, std::uint64_t time_ns) {
    return Words(PERF_RECORD_SWITCH, misc, {time_ns});
  }
  bool Fork() { return Words(PERF_RECORD_FORK, 0, {1, 2, 3}); }

  struct Map {
    std::uint64_t start;
    std::uint64_t bytes;
    std::uint64_t file_offset;
    std::string_view path;
    std::uint32_t protection = 5;  // read, execute
    std::uint32_t major = 0xfe;
    std::uint32_t minor = 1;
    std::uint64_t inode = 4711;
  };
  bool Mmap(const Map& map) {
    std::vector<unsigned char> body = MapHead(map);
    AddPath(body, map.path);
    return Record(PERF_RECORD_MMAP, 0, body);
  }
  bool Mmap2(const Map& map) {
    std::vector<unsigned char> body = MapHead(map);
    Add(body, map.major);
    Add(body, map.minor);
    Add(body, map.inode);
    Add(body, std::uint64_t{0});  // inode generation
    return FinishMmap2(body, map, 0);
  }
  bool Mmap2(const Map& map, std::string_view build_id) {
    std::vector<unsigned char> body = MapHead(map);
    Add(body, static_cast<std::uint8_t>(build_id.size()));
    body.resize(body.size() + 3);
    unsigned char id[20] = {};
    std::memcpy(id, build_id.data(), build_id.size() < 20 ? build_id.size() : 20);
    body.insert(body.end(), id, id + 20);
    return FinishMmap2(body, map, PERF_RECORD_MISC_MMAP_BUILD_ID);
  }

  /// Any record; `claimed_bytes`: what its header says, 0: the truth.
  bool Record(std::uint32_t type, std::uint16_t misc, const std::vector<unsigned char>& body,
              std::uint16_t claimed_bytes = 0) {
    const std::size_t bytes = sizeof(perf_event_header) + body.size();
    if (page_->data_head - page_->data_tail + bytes > data_bytes_) {
      ++dropped_;
      return false;
    }
    perf_event_header header = {};
    header.type = type;
    header.misc = misc;
    header.size = claimed_bytes != 0 ? claimed_bytes : static_cast<std::uint16_t>(bytes);
    std::uint64_t at = page_->data_head;
    Write(at, &header, sizeof header);
    Write(at, body.data(), body.size());
    __atomic_store_n(&page_->data_head, at, __ATOMIC_RELEASE);
    return true;
  }

 private:
  template <class T>
  static void Add(std::vector<unsigned char>& body, T value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    for (std::size_t i = 0; i < sizeof value; ++i) body.push_back(bytes[i]);
  }
  static std::vector<unsigned char> MapHead(const Map& map) {
    std::vector<unsigned char> body;
    Add(body, std::uint32_t{100});  // pid
    Add(body, std::uint32_t{101});  // tid
    Add(body, map.start);
    Add(body, map.bytes);
    Add(body, map.file_offset);
    return body;
  }
  static void AddPath(std::vector<unsigned char>& body, std::string_view path) {
    body.insert(body.end(), path.begin(), path.end());
    body.push_back(0);
    while (body.size() % 8 != 0) body.push_back(0);
  }
  bool FinishMmap2(std::vector<unsigned char>& body, const Map& map, std::uint16_t misc) {
    Add(body, map.protection);
    Add(body, std::uint32_t{2});  // flags: MAP_PRIVATE
    AddPath(body, map.path);
    return Record(PERF_RECORD_MMAP2, misc, body);
  }
  bool Words(std::uint32_t type, std::uint16_t misc, std::initializer_list<std::uint64_t> words) {
    std::vector<unsigned char> body;
    for (const std::uint64_t word : words) Add(body, word);
    return Record(type, misc, body);
  }
  void Write(std::uint64_t& at, const void* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      data_[at++ % data_bytes_] = static_cast<const unsigned char*>(from)[i];
    }
  }

  perf_event_mmap_page* page_;
  unsigned char* data_;
  std::size_t data_bytes_;
  std::uint64_t dropped_ = 0;
};

}  // namespace csink::testing
