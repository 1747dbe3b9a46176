// A process for the ledger's test that changes its user, its limits or its surroundings between two burns of MS.
//   ledger_places MODE MS
#include <grp.h>
#include <sys/resource.h>

#include "ledger.h"

enum { kNobody = 65534, kOther = 65533 };

static void Need(int failed) {
  if (!failed) return;
  perror("ledger_places");
  _exit(77);
}
static void BecomeNobody(void) {
  Need(setgroups(0, NULL));
  Need(setresgid(kNobody, kNobody, kNobody));
  Need(setresuid(kNobody, kNobody, kNobody));
}
static void Limit(int resource, rlim_t value) {
  const struct rlimit limit = {value, value};
  Need(setrlimit(resource, &limit));
}

static void SetUid(void) {
  Work(quota_ms);
  BecomeNobody();
  Work(quota_ms);
}
static void SetUidExec(void) {
  Work(quota_ms);
  BecomeNobody();
  ExecSelf(Self(), "leaf", QuotaText());
}
static void ChildSetUid(void) {
  for (int i = 0; i < 2; ++i) {
    if (fork() == 0) {
      BecomeNobody();
      Leaf();
    }
  }
  Work(quota_ms);
  WaitForAll();
}
static void TwoUsers(void) {
  Work(quota_ms);
  Need(setresuid(kOther, kOther, 0));
  Work(quota_ms);
  Need(setresuid(0, 0, 0));
  Need(setresuid(kNobody, kNobody, kNobody));
  Work(quota_ms);
}
static void UserForks(void) {
  BecomeNobody();
  for (int i = 0; i < 2; ++i) {
    if (fork() == 0) Leaf();
  }
  WaitForAll();
}

static void FileSize(void) {
  Work(quota_ms);
  Limit(RLIMIT_FSIZE, 0);
  Work(quota_ms);
}
static void FileSizeExec(void) {
  Limit(RLIMIT_FSIZE, 0);
  ExecSelf(Self(), "leaf", QuotaText());
}
static void CpuLimit(void) {
  const struct rlimit limit = {1, RLIM_INFINITY};  // SIGXCPU
  Need(setrlimit(RLIMIT_CPU, &limit));
  for (;;) Work(quota_ms);
}
static void FewFilesExec(void) {
  Limit(RLIMIT_NOFILE, 4);
  ExecSelf(Self(), "leaf", QuotaText());
}
static void AddressSpaceExec(void) {
  Limit(RLIMIT_AS, 64 << 20);
  ExecSelf(Self(), "leaf", QuotaText());
}
static void CloseAll(void) {
  Work(quota_ms);
  syscall(SYS_close_range, 3, ~0u, 0);
  Work(quota_ms);
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"setuid", SetUid},
                                       {"setuid_exec", SetUidExec},
                                       {"child_setuid", ChildSetUid},
                                       {"two_users", TwoUsers},
                                       {"user_forks", UserForks},
                                       {"file_size", FileSize},
                                       {"file_size_exec", FileSizeExec},
                                       {"cpu_limit", CpuLimit},
                                       {"few_files_exec", FewFilesExec},
                                       {"address_space_exec", AddressSpaceExec},
                                       {"close_all", CloseAll},
                                       {"leaf", Leaf}};
  return RunModes(argc, argv, kModes, sizeof kModes / sizeof *kModes);
}
