#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "profil/inside/spool/small_writer.h"
#include "profil/reading/merge/merge.h"
#include "profil/reading/reader/small_reader.h"

namespace csink {
namespace {

struct Wanted {
  std::uint32_t pid = 7;
  std::uint64_t start_ns = 100;
  std::uint32_t hits = 2;
  std::uint32_t regions = 1;
};

class SmallRecord : public ::testing::Test {
 protected:
  SmallRecord() {
    folder_ = ::testing::TempDir() + "small_record." + std::to_string(getpid());
    std::filesystem::create_directory(folder_);
    path_ = folder_ + "/" + spool::kSmallFileName;
  }
  ~SmallRecord() override { std::filesystem::remove_all(folder_); }

  bool Write(const Wanted& wanted) {
    writer_.Begin(spool::SmallKind::kProcess);
    spool::SmallProcess p = {};
    p.pid = wanted.pid;
    p.parent_pid = 3;
    p.start_monotonic_ns = wanted.start_ns;
    p.user_ns = 5'000'000;
    p.end = spool::End::kExit;
    p.event_count = 1;
    p.region_count = wanted.regions;
    p.hit_count = wanted.hits;
    std::memcpy(p.thread_name, "worker", 7);
    writer_.Put(&p, sizeof p);
    spool::EventColumn column = {};
    std::memcpy(column.name, "task-clock:u", 13);
    column.kind = EventClass::kClock;
    column.period = 1'000'003;
    writer_.Put(&column, sizeof column);
    const std::string_view file = "/usr/lib/libx.so";
    for (std::uint32_t i = 0; i < wanted.regions; ++i) {
      spool::SmallRegion region = {};
      region.start = 0x1000;
      region.end = 0x2000;
      region.file_offset = 0x400;
      region.path_bytes = static_cast<std::uint32_t>(file.size());
      region.build_id_bytes = 2;
      region.build_id[0] = 0xab;
      writer_.Put(&region, sizeof region);
    }
    for (std::uint32_t i = 0; i < wanted.hits; ++i) {
      const spool::SmallHit hit = {0x1234 + i * 0x10000, 1'000'003, i == 0 ? 0 : spool::kNone, 0};
      writer_.Put(&hit, sizeof hit);
    }
    for (const char* text : {"host", "prog", "/bin/prog", "prog -x", "/", "ring", "job7"}) {
      writer_.Put(text, std::strlen(text) + 1);
    }
    for (std::uint32_t i = 0; i < wanted.regions; ++i) writer_.PutText(file);
    return writer_.Append(path_.c_str());
  }

  std::vector<std::byte> Bytes() const {
    std::ifstream in(path_, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto* at = reinterpret_cast<const std::byte*>(text.data());
    return {at, at + text.size()};
  }

  alignas(8) unsigned char buffer_[spool::kMaxSmallBytes];
  SmallRecordWriter writer_{buffer_, sizeof buffer_};
  std::string folder_;
  std::string path_;
};

TEST_F(SmallRecord, ComesBackAsASpool) {
  ASSERT_TRUE(Write({}));
  const auto small = spool::ReadSmallFile(path_);
  ASSERT_TRUE(small);
  ASSERT_EQ(small->size(), 1u);
  EXPECT_EQ(small->torn(), 0u);
  EXPECT_EQ(small->ImageOf(0), std::make_pair(7u, std::uint64_t{100}));
  const spool::Spool spool = small->Process(0);
  EXPECT_EQ(spool.header.pid, 7u);
  EXPECT_EQ(spool.header.parent_pid, 3u);
  EXPECT_STREQ(spool.header.program, "prog");
  EXPECT_STREQ(spool.header.command, "prog -x");
  EXPECT_STREQ(spool.header.job, "job7");
  EXPECT_EQ(spool.header.events[0].samples, 2u);
  EXPECT_EQ(spool.header.events[0].weight, 2'000'006u);
  ASSERT_EQ(spool.regions.size(), 1u);
  EXPECT_EQ(spool.regions[0].path, "/usr/lib/libx.so");
  EXPECT_EQ(spool.regions[0].build_id.size(), 2u);
  ASSERT_EQ(spool.hits.size(), 2u);
  EXPECT_EQ(spool.hits[0].region, 0u);
  EXPECT_EQ(spool.hits[1].region, spool::kNone);
  EXPECT_EQ(spool.threads[1].name, "worker");
  EXPECT_EQ(spool.threads[1].sampled_ns, 2'000'006u);
}

TEST_F(SmallRecord, IsMergedWithOthers) {
  ASSERT_TRUE(Write({}));
  ASSERT_TRUE(Write({.pid = 8}));
  const auto small = spool::ReadSmallFile(path_);
  ProfileMerger merger;
  for (std::size_t i = 0; i < small->size(); ++i) {
    merger.Add(small->Process(i), ProcessState::kComplete, path_);
  }
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.processes.size(), 2u);
  EXPECT_EQ(profile.events[0].samples, 4u);
  EXPECT_EQ(profile.places[0].counts[0].samples, 2u);
}

TEST_F(SmallRecord, TheLastOfAnImageCounts) {
  ASSERT_TRUE(Write({.hits = 1}));
  ASSERT_TRUE(Write({.hits = 9}));
  ASSERT_TRUE(Write({.start_ns = 101, .hits = 0, .regions = 0}));
  const auto small = spool::ReadSmallFile(path_);
  ASSERT_EQ(small->size(), 2u);
  EXPECT_EQ(small->Process(0).hits.size(), 9u);
  EXPECT_EQ(small->Process(1).hits.size(), 0u);
}

TEST_F(SmallRecord, AreReadFromAnOffset) {
  ASSERT_TRUE(Write({}));
  const std::size_t first = spool::ReadSmallFile(path_)->complete_bytes();
  EXPECT_EQ(first, Bytes().size());
  ASSERT_TRUE(Write({.pid = 8}));
  const std::size_t second = Bytes().size();
  ASSERT_TRUE(Write({.pid = 9}));
  // The last record is being written.
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(Bytes().size() - 8)), 0);
  const auto small = spool::ReadSmallFile(path_, first);
  ASSERT_TRUE(small);
  ASSERT_EQ(small->size(), 1u);
  EXPECT_EQ(small->ImageOf(0).first, 8u);
  EXPECT_EQ(first + small->complete_bytes(), second);
  EXPECT_EQ(spool::ReadSmallFile(path_, 1'000'000)->size(), 0u);
  EXPECT_EQ(spool::ReadSmallFile(path_, 1'000'000)->complete_bytes(), 0u);
}

TEST_F(SmallRecord, NamesWhatWasNotFollowed) {
  for (int i = 0; i < 2; ++i) {
    const spool::SmallRefusal refusal = {7, spool::Refusal::kStatic, 9, 0};
    writer_.Begin(spool::SmallKind::kNotFollowed);
    writer_.Put(&refusal, sizeof refusal);
    writer_.PutText("/sbin/foo");
    ASSERT_TRUE(writer_.Append(path_.c_str()));
  }
  const auto small = spool::ReadSmallFile(path_);
  ASSERT_EQ(small->not_followed().size(), 2u);
  EXPECT_EQ(small->not_followed()[1].path, "/sbin/foo");
  EXPECT_EQ(small->not_followed()[1].why, spool::Refusal::kStatic);
}

TEST_F(SmallRecord, AddsTheTimesOfSamplersFromOutside) {
  for (const std::uint64_t cpu_ns : {std::uint64_t{5}, std::uint64_t{7}}) {
    const spool::SmallOutside outside = {7, 0, cpu_ns};
    writer_.Begin(spool::SmallKind::kOutside);
    writer_.Put(&outside, sizeof outside);
    ASSERT_TRUE(writer_.Append(path_.c_str()));
  }
  EXPECT_EQ(spool::ReadSmallFile(path_)->outside_ns(), 12u);
  const spool::SmallOutside most = {7, 0, ~std::uint64_t{0}};
  writer_.Begin(spool::SmallKind::kOutside);
  writer_.Put(&most, sizeof most);
  ASSERT_TRUE(writer_.Append(path_.c_str()));
  const auto small = spool::ReadSmallFile(path_);
  EXPECT_EQ(small->outside_ns(), ~std::uint64_t{0});
  EXPECT_EQ(small->torn(), 0u);
  EXPECT_EQ(small->size(), 0u);
}

TEST_F(SmallRecord, HandsFactsOnEachOnce) {
  ASSERT_TRUE(Write({}));
  for (const std::uint64_t cpu_ns : {std::uint64_t{5}, std::uint64_t{7}}) {
    const spool::SmallOutside outside = {7, 0, cpu_ns};
    writer_.Begin(spool::SmallKind::kOutside);
    writer_.Put(&outside, sizeof outside);
    ASSERT_TRUE(writer_.Append(path_.c_str()));
  }
  spool::UniqueFacts facts;
  facts.Add(*spool::ReadSmallFile(path_));
  facts.Add(*spool::ReadSmallFile(path_));
  const spool::SmallRecords again(facts.bytes());
  EXPECT_EQ(again.size(), 0u);
  EXPECT_EQ(again.outside_ns(), 12u);
  EXPECT_EQ(again.torn(), 0u);
}

TEST_F(SmallRecord, ATornRecordCostsItselfAlone) {
  ASSERT_TRUE(Write({}));
  const std::size_t first = Bytes().size();
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(first - 100)), 0);
  ASSERT_TRUE(Write({.pid = 8}));
  ASSERT_TRUE(Write({.pid = 9}));
  const auto small = spool::ReadSmallFile(path_);
  ASSERT_EQ(small->size(), 2u);
  EXPECT_EQ(small->ImageOf(0).first, 8u);
  EXPECT_EQ(small->torn(), 1u);
}

TEST_F(SmallRecord, EveryChangedByteIsNoticed) {
  ASSERT_TRUE(Write({}));
  ASSERT_TRUE(Write({.pid = 8}));
  const std::vector<std::byte> whole = Bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> bytes = whole;
    bytes[i] ^= std::byte{0x10};
    const spool::SmallRecords small(std::move(bytes));
    ASSERT_EQ(small.size(), 1u) << i;
    ASSERT_EQ(small.torn(), 1u) << i;
  }
}

TEST_F(SmallRecord, CutsAreSurvived) {
  ASSERT_TRUE(Write({}));
  const std::vector<std::byte> whole = Bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const spool::SmallRecords small({whole.begin(), whole.begin() + static_cast<long>(length)});
    ASSERT_EQ(small.size(), 0u);
  }
}

TEST_F(SmallRecord, ARecordOfAnotherVersionIsCountedAndNotDamage) {
  ASSERT_TRUE(Write({}));
  std::vector<std::byte> bytes = Bytes();
  ASSERT_TRUE(Write({.pid = 8}));
  spool::SmallHead head;
  std::memcpy(&head, bytes.data(), sizeof head);
  head.version = spool::kSmallVersion + 1;
  head.checksum = 0;
  std::memcpy(bytes.data(), &head, sizeof head);
  head.checksum = spool::SmallChecksum(bytes.data(), bytes.size() / 8);
  std::memcpy(bytes.data(), &head, sizeof head);
  const std::vector<std::byte> both = Bytes();
  bytes.insert(bytes.end(), both.begin() + static_cast<std::ptrdiff_t>(bytes.size()), both.end());
  const spool::SmallRecords small(std::move(bytes));
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small.ImageOf(0).first, 8u);
  EXPECT_EQ(small.torn(), 0u);
  EXPECT_EQ(small.other_records(), 1u);
  EXPECT_EQ(small.other_version(), spool::kSmallVersion + 1);
}

TEST_F(SmallRecord, SignedNonsenseIsRefused) {
  // A right checksum over counts that point outside the record.
  writer_.Begin(spool::SmallKind::kProcess);
  spool::SmallProcess p = {};
  p.event_count = 1;
  p.hit_count = 1000;
  writer_.Put(&p, sizeof p);
  ASSERT_TRUE(writer_.Append(path_.c_str()));
  const auto small = spool::ReadSmallFile(path_);
  EXPECT_EQ(small->size(), 0u);
  EXPECT_EQ(small->torn(), 1u);
}

TEST_F(SmallRecord, WhatDoesNotFitIsNotWritten) {
  EXPECT_FALSE(Write({.hits = 2000}));
  EXPECT_FALSE(std::filesystem::exists(path_));
  path_ = folder_ + "/no/such/folder";
  EXPECT_FALSE(Write({}));
}

TEST_F(SmallRecord, NeverFollowsALink) {
  const std::string target = folder_ + "/target";
  std::ofstream(target) << "mine";
  ASSERT_EQ(symlink(target.c_str(), path_.c_str()), 0);
  EXPECT_FALSE(Write({}));
  EXPECT_EQ(std::filesystem::file_size(target), 4u);
}

}  // namespace
}  // namespace csink
