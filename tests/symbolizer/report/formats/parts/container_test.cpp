#include "symbolizer/report/formats/parts/container.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace csink::report {
namespace {

const std::string kId = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string kOther(64, 'b');

TEST(ContainerIdIn, FindsTheIdOfAControlGroup) {
  EXPECT_EQ(ContainerIdIn("0::/system.slice/docker-" + kId + ".scope\n"), kId);
  EXPECT_EQ(ContainerIdIn("12:cpu:/docker/" + kId + "\n11:memory:/docker/" + kId + "\n"), kId);
  EXPECT_EQ(
      ContainerIdIn("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + kId + ".scope"),
      kId);
}

TEST(ContainerIdIn, FindsTheInnerOfTwo) {
  EXPECT_EQ(ContainerIdIn("0::/docker/" + kOther + "/docker/" + kId + "\n"), kId);
}

TEST(ContainerIdIn, FindsTheIdOfAMount) {
  EXPECT_EQ(ContainerIdIn("662 650 8:1 /var/lib/docker/containers/" + kId +
                          "/hostname /etc/hostname rw,relatime - ext4 /dev/sda1 rw\n"),
            kId);
}

TEST(ContainerIdIn, FindsNothingElse) {
  EXPECT_EQ(ContainerIdIn(""), "");
  EXPECT_EQ(ContainerIdIn("0::/\n"), "");
  EXPECT_EQ(ContainerIdIn("0::/user.slice/user-1000.slice/session-3.scope\n"), "");
  EXPECT_EQ(ContainerIdIn("0::/docker/" + kId + "0\n"), "") << "65 digits";
  EXPECT_EQ(ContainerIdIn("0::/docker/" + kId.substr(1) + "g\n"), "") << "no digit";
}

TEST(ContainerOf, AsksNothingAboutOtherMachinesAndOtherProcesses) {
  ProcessRow row;
  row.pid = static_cast<std::uint32_t>(getpid());
  row.host = "a.machine.that.is.not.this.one";
  EXPECT_EQ(ContainerOf(row), "");
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  row.host = host;
  row.start_ticks = 1;  // before the first process of this user
  EXPECT_EQ(ContainerOf(row), "");
}

}  // namespace
}  // namespace csink::report
