#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "profil/format/format.h"

namespace csink::testing {

/// A folder of the test's own, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "csink-test-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

/// A spool's file as format.h describes it, read without the code under test. Every
/// rule of the format that is broken fails the test.
class SpoolBytes {
 public:
  struct Key {
    std::uint32_t region;
    std::uint32_t thread;
    std::uint64_t pc;
    std::uint64_t tag;
    auto operator<=>(const Key&) const = default;
  };
  using Counts = std::vector<spool::Count>;

  explicit SpoolBytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.size() < spool::kHeaderBytes) {
      ADD_FAILURE() << path << " is no spool: " << bytes_.size() << " bytes";
      bytes_.resize(spool::kHeaderBytes);
      return;
    }
    EXPECT_EQ(std::memcmp(header().magic, spool::kMagic, sizeof spool::kMagic), 0);
    EXPECT_EQ(header().file_bytes, bytes_.size());
    for (std::uint64_t at = spool::kHeaderBytes; at < header().file_bytes;) {
      const auto* segment = At<spool::SegmentHeader>(at);
      if (segment->magic != spool::kSegmentMagic || segment->bytes < sizeof *segment ||
          at + segment->bytes > header().file_bytes || segment->bytes % 8 != 0) {
        ADD_FAILURE() << "broken segment at " << at;
        return;
      }
      EXPECT_LE(segment->used, segment->capacity);
      EXPECT_LE(sizeof *segment + std::uint64_t{segment->capacity} * segment->record_bytes,
                segment->bytes);
      segments_.push_back(at);
      at += segment->bytes;
    }
  }

  const spool::Header& header() const { return *At<spool::Header>(0); }
  std::size_t size() const { return bytes_.size(); }

  std::size_t Segments(spool::SegmentKind kind) const {
    std::size_t count = 0;
    for (const std::uint64_t at : segments_) count += At<spool::SegmentHeader>(at)->kind == kind;
    return count;
  }
  template <class Record>
  std::vector<Record> Records(spool::SegmentKind kind) const {
    std::vector<Record> records;
    for (const std::uint64_t at : segments_) {
      const auto* segment = At<spool::SegmentHeader>(at);
      if (segment->kind != kind) continue;
      EXPECT_EQ(segment->record_bytes, sizeof(Record));
      for (std::uint32_t i = 0; i < segment->used; ++i) {
        records.push_back(*At<Record>(at + sizeof *segment + i * sizeof(Record)));
      }
    }
    return records;
  }
  std::vector<spool::RegionRecord> regions() const {
    return Records<spool::RegionRecord>(spool::SegmentKind::kRegions);
  }
  std::vector<spool::ThreadRecord> threads() const {
    return Records<spool::ThreadRecord>(spool::SegmentKind::kThreads);
  }
  std::vector<spool::RoutineRecord> routines() const {
    return Records<spool::RoutineRecord>(spool::SegmentKind::kRoutines);
  }
  std::string PathOf(const spool::RegionRecord& region) const {
    if (region.path + region.path_bytes > bytes_.size()) return "(behind the end)";
    return {bytes_.data() + region.path, region.path_bytes};
  }

  /// All published buckets; those with one key are added.
  std::map<Key, Counts> Buckets() const {
    std::map<Key, Counts> buckets;
    const std::size_t events = header().event_count;
    for (const std::uint64_t at : segments_) {
      const auto* segment = At<spool::SegmentHeader>(at);
      if (segment->kind != spool::SegmentKind::kBuckets) continue;
      EXPECT_EQ(segment->record_bytes, sizeof(spool::Bucket) + events * sizeof(spool::Count));
      for (std::uint32_t i = 0; i < segment->capacity; ++i) {
        const std::uint64_t where = at + sizeof *segment + std::uint64_t{i} * segment->record_bytes;
        const auto* bucket = At<spool::Bucket>(where);
        if (bucket->owner == 0 || !(bucket->tag & spool::kPublished)) continue;
        const Key key = {static_cast<std::uint32_t>(bucket->owner >> 32) - 1,
                         static_cast<std::uint32_t>(bucket->owner) - 1, bucket->pc, bucket->tag};
        Counts& counts = buckets[key];
        counts.resize(events);
        for (std::size_t e = 0; e < events; ++e) {
          const auto* count = At<spool::Count>(where + sizeof *bucket + e * sizeof(spool::Count));
          counts[e].samples += count->samples;
          counts[e].weight += count->weight;
        }
      }
    }
    return buckets;
  }
  /// Samples and weight of one column over all buckets.
  spool::Count Total(std::size_t event) const {
    spool::Count total = {};
    for (const auto& [key, counts] : Buckets()) {
      total.samples += counts[event].samples;
      total.weight += counts[event].weight;
    }
    return total;
  }

 private:
  template <class T>
  const T* At(std::uint64_t offset) const {
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  std::vector<char> bytes_;
  std::vector<std::uint64_t> segments_;
};

}  // namespace csink::testing
