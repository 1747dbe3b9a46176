#pragma once

#include <string>

#include "tests/symbolizer/report/sample_reports.h"

/// File: a server whose waiting was recorded, for the tests of tables, text, JSON and page.
///
/// main reads a pipe, joins the loader and waits for `table_lock`. The loader holds this lock in
/// rebuild(), and sleeps. Three workers wait for jobs nearly all of the time. Two clients wait for
/// locks on the heap, which were first taken in open_session().

namespace csink::testing {

inline FakeResolver WaitingNames() {
  FakeResolver names;
  const std::string app = "/opt/bin/server";
  const std::string libc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  const auto function = [&](std::uint64_t begin, const char* name) {
    names.Add(app, begin,
              {.end = begin + 0x100, .name = name, .file = "/src/server.c", .first_line = 10});
  };
  function(0x1000, "main");
  function(0x1100, "read_input");
  function(0x1200, "lookup");
  function(0x1300, "rebuild");
  function(0x1400, "load");
  function(0x1500, "worker");
  function(0x1600, "pop_job");
  function(0x1700, "client");
  function(0x1800, "open_session");
  function(0x1900, "void std::this_thread::sleep_for<long>(long)");
  names.Add(libc, 0x1000, {.end = 0x1100, .name = "read"});
  names.Add(libc, 0x1100, {.end = 0x1200, .name = "__pthread_clockjoin_ex"});
  names.Add(libc, 0x1200, {.end = 0x1300, .name = "___pthread_mutex_lock"});
  names.Add(libc, 0x1300, {.end = 0x1400, .name = "___pthread_cond_wait"});
  names.Add(libc, 0x1400, {.end = 0x1500, .name = "clock_nanosleep"});
  names.Add(libc, 0x1500, {.end = 0x1600, .name = "__futex_abstimed_wait_common"});
  names.AddData(app, 0x8040, "table_lock");
  return names;
}

inline SpoolBuilder WaitingSpool() {
  constexpr std::uint64_t kApp = 0x400000;
  constexpr std::uint64_t kLibc = 0x700000;
  SpoolBuilder b;
  b.SetCommand("server", "server --port 80");
  b.header().waits.state = 1;
  b.header().waits.moments = 600;
  b.header().waits.looks = 1000;
  b.header().waits.cut = 20;
  b.header().waits.cpu_ns = 4'000'000;
  b.header().waits.blocked_ns = 10'000'000'000;
  const auto app = b.AddRegion(
      {.path = "/opt/bin/server", .start = kApp, .end = kApp + 0x8000, .build_id = "\x07"});
  const auto libc = b.AddRegion({.path = "/usr/lib/x86_64-linux-gnu/libc.so.6",
                                 .start = kLibc,
                                 .end = kLibc + 0x8000,
                                 .build_id = "\x08"});
  b.AddHits(app, 1, kApp + 0x1010, 1000);
  const auto loader = b.AddThread(4712, "loader", kApp + 0x1400, app);
  std::uint32_t workers[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    workers[i] = b.AddThread(4720 + i, "worker", kApp + 0x1500, app);
  }
  std::uint32_t clients[2];
  for (std::uint32_t i = 0; i < 2; ++i) {
    clients[i] = b.AddThread(4730 + i, "client", kApp + 0x1700, app);
  }
  const auto chain = [&](std::uint32_t parent, std::uint64_t offset) {
    return b.AddChain(parent, app, kApp + offset);
  };
  const auto in_main = chain(0, 0x1010);
  const auto in_read_input = chain(in_main, 0x1120);
  const auto in_lookup = chain(in_main, 0x1230);
  const auto in_load = chain(0, 0x1410);
  const auto in_sleep = chain(in_load, 0x1910);
  const auto in_worker = chain(0, 0x1510);
  const auto in_pop_job = b.AddChain(chain(in_worker, 0x1620), libc, kLibc + 0x1320);
  const auto in_client = chain(0, 0x1710);
  const auto in_open_session = chain(in_client, 0x1830);

  const auto lock = [&](std::uint64_t address, bool in_data, spool::WaitKind kind,
                        std::uint32_t first_chain, std::uint32_t waiters) {
    spool::LockRecord record{};
    record.address = address;
    record.region = in_data ? app : spool::kNone;
    record.offset = in_data ? address - kApp : 0;
    record.kind = kind;
    record.first_pc = kLibc + 0x1210;
    record.first_region = libc;
    record.first_chain = first_chain;
    record.most_waiters = waiters;
    record.moments = 50;
    record.known_holders = 90;
    return b.AddLock(record);
  };
  using spool::WaitKind;
  const auto table_lock = lock(kApp + 0x8040, true, WaitKind::kMutex, in_lookup, 1);
  const auto join = lock(0x7ffff7001910, false, WaitKind::kJoin, in_main, 1);
  const auto jobs = lock(kApp + 0x8100, true, WaitKind::kFutex, in_pop_job, 3);
  const auto session1 = lock(0x555500001000, false, WaitKind::kMutex, in_open_session, 2);
  const auto session2 = lock(0x555500002000, false, WaitKind::kMutex, in_open_session, 2);

  const auto wait = [&](std::uint32_t thread, std::uint64_t libc_offset, std::uint32_t callers,
                        WaitKind kind, std::int32_t call, std::uint32_t of, std::uint64_t looks,
                        bool is_exact = false) {
    spool::WaitSiteRecord record{};
    record.pc = kLibc + libc_offset;
    record.region = libc;
    record.chain = callers;
    record.thread = thread;
    record.lock = of;
    record.kind = kind;
    if (kind == WaitKind::kRead) record.descriptor = spool::DescriptorKind::kPipe;
    record.system_call = call;
    record.looks = looks;
    record.blocked_ns = looks * 10'000'000;
    record.blocked_squared = is_exact ? 0 : static_cast<double>(looks) * 1e14;
    record.longest_ns = 30'000'000;
    b.AddWaitSite(record);
  };
  wait(1, 0x1010, in_read_input, WaitKind::kRead, 0, 0, 100);
  wait(1, 0x1110, in_main, WaitKind::kJoin, 202, join, 60);
  wait(1, 0x1210, in_lookup, WaitKind::kMutex, 202, table_lock, 40);
  wait(loader, 0x1410, in_sleep, WaitKind::kSleep, 230, 0, 100);
  for (const std::uint32_t worker : workers) {
    wait(worker, 0x1510, in_pop_job, WaitKind::kFutex, 202, jobs, 190, true);
    wait(worker, 0x1010, in_read_input, WaitKind::kRead, 0, 0, 2);
  }
  wait(clients[0], 0x1210, in_open_session, WaitKind::kMutex, 202, session1, 50);
  wait(clients[1], 0x1210, in_open_session, WaitKind::kMutex, 202, session2, 30);
  wait(clients[1], 0x1010, in_client, WaitKind::kRead, 0, 0, 20);

  const auto hold = [&](std::uint32_t of, std::uint32_t thread, std::uint32_t tid,
                        std::uint64_t offset, std::uint32_t state, std::uint64_t looks) {
    spool::HolderRecord record{};
    record.lock = of;
    record.thread = thread;
    record.tid = tid;
    record.pc = kApp + offset;
    record.region = app;
    record.chain = in_load;
    record.state = state;
    record.looks = looks;
    record.blocked_ns = looks * 10'000'000;
    b.AddHolder(record);
  };
  hold(table_lock, loader, 4712, 0x1340, 1, 30);
  hold(table_lock, loader, 4712, 0x1420, 2, 6);
  hold(join, loader, 4712, 0x1420, 2, 60);
  hold(session1, clients[1], 4731, 0x1850, 1, 45);
  return b;
}

}  // namespace csink::testing
