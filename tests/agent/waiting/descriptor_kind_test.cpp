#include "agent/waiting/descriptor_kind.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <csignal>

#include "core/util/thread_id.h"
#include "core/util/unique_fd.h"

namespace csink::agent {
namespace {

using spool::DescriptorKind;

DescriptorKind KindOf(const UniqueFd& fd) {
  EXPECT_TRUE(fd);
  return KindOfDescriptor("/proc/self", AskTid(), fd.get());
}

TEST(DescriptorKind, ReadsTheTextOfALink) {
  EXPECT_EQ(KindOfLink("pipe:[17]"), DescriptorKind::kPipe);
  EXPECT_EQ(KindOfLink("anon_inode:[eventfd]"), DescriptorKind::kEvent);
  EXPECT_EQ(KindOfLink("anon_inode:[eventfd:7]"), DescriptorKind::kEvent);
  EXPECT_EQ(KindOfLink("anon_inode:inotify"), DescriptorKind::kOther);
  EXPECT_EQ(KindOfLink("/dev/pts/3"), DescriptorKind::kTerminal);
  EXPECT_EQ(KindOfLink("socket:[3]"), DescriptorKind::kUnknown);
  EXPECT_EQ(KindOfLink("/srv/pipe:[1]"), DescriptorKind::kUnknown);
  EXPECT_EQ(KindOfLink(""), DescriptorKind::kUnknown);
}

TEST(DescriptorKind, AsksTheKernelWhatADescriptorIs) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reading(ends[0]);
  const UniqueFd writing(ends[1]);
  EXPECT_EQ(KindOf(reading), DescriptorKind::kPipe);
  EXPECT_EQ(KindOf(UniqueFd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC))), DescriptorKind::kFile);
  EXPECT_EQ(KindOf(UniqueFd(open("/", O_RDONLY | O_CLOEXEC))), DescriptorKind::kDirectory);
  EXPECT_EQ(KindOf(UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC))), DescriptorKind::kOther);
  EXPECT_EQ(KindOf(UniqueFd(eventfd(0, EFD_CLOEXEC))), DescriptorKind::kEvent);
  EXPECT_EQ(KindOf(UniqueFd(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC))), DescriptorKind::kTimer);
  EXPECT_EQ(KindOf(UniqueFd(epoll_create1(EPOLL_CLOEXEC))), DescriptorKind::kEpoll);
  sigset_t none;
  sigemptyset(&none);
  EXPECT_EQ(KindOf(UniqueFd(signalfd(-1, &none, SFD_CLOEXEC))), DescriptorKind::kSignal);
}

TEST(DescriptorKind, TellsSocketsApart) {
  EXPECT_EQ(KindOf(UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))),
            DescriptorKind::kUnixSocket);
  const UniqueFd network(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!network) GTEST_SKIP() << "no IPv4";
  EXPECT_EQ(KindOf(network), DescriptorKind::kNetworkSocket);
}

TEST(DescriptorKind, KnowsNothingOfADescriptorThatIsNotThere) {
  EXPECT_EQ(KindOfDescriptor("/proc/self", AskTid(), -1), DescriptorKind::kUnknown);
  EXPECT_EQ(KindOfDescriptor("/proc/self", AskTid(), 123456), DescriptorKind::kUnknown);
  EXPECT_EQ(KindOfDescriptor("/proc/self", 1 << 30, 0), DescriptorKind::kUnknown);
}

}  // namespace
}  // namespace csink::agent
