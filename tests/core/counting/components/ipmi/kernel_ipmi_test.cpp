#include "core/counting/components/ipmi/kernel_ipmi.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/ipmi.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <deque>

#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using testing::RecordedTree;

// What the kernel does, for functions without an argument of their own.
struct FakeKernelSide {
  int open_errno = 0;
  std::string only = "/dev/ipmi0";
  int send_errno = 0, receive_errno = 0;
  std::vector<unsigned char> sent;  // netfn, command, lun, data
  struct Message {
    int type;
    long number_ahead;  // of the request's
    std::vector<unsigned char> data;
  };
  std::deque<Message> queue;
  long number = 0;
} kernel;

int Open(const char* path, int) {
  if (kernel.open_errno == 0 && kernel.only == path) return open("/dev/null", O_RDWR | O_CLOEXEC);
  errno = kernel.open_errno ? kernel.open_errno : ENOENT;
  return -1;
}

int Send(const ipmi_req& request) {
  if (kernel.send_errno) return errno = kernel.send_errno, -1;
  ipmi_system_interface_addr to = {};
  EXPECT_EQ(request.addr_len, sizeof to);
  memcpy(&to, request.addr, sizeof to);
  EXPECT_EQ(to.addr_type, IPMI_SYSTEM_INTERFACE_ADDR_TYPE);
  EXPECT_EQ(to.channel, IPMI_BMC_CHANNEL);
  kernel.sent = {request.msg.netfn, request.msg.cmd, to.lun};
  kernel.sent.insert(kernel.sent.end(), request.msg.data, request.msg.data + request.msg.data_len);
  kernel.number = request.msgid;
  return 0;
}

int Receive(ipmi_recv& message) {
  if (kernel.receive_errno) return errno = kernel.receive_errno, -1;
  if (kernel.queue.empty()) return errno = EAGAIN, -1;
  const auto next = kernel.queue.front();
  kernel.queue.pop_front();
  message.recv_type = next.type;
  message.msgid = kernel.number + next.number_ahead;
  const bool cut = next.data.size() > message.msg.data_len;
  const std::size_t size = cut ? message.msg.data_len : next.data.size();
  memcpy(message.msg.data, next.data.data(), size);
  message.msg.data_len = static_cast<unsigned short>(size);
  return cut ? (errno = EMSGSIZE, -1) : 0;
}

int Control(int, unsigned long request, void* argument) {
  if (request == IPMICTL_SEND_COMMAND) return Send(*static_cast<ipmi_req*>(argument));
  if (request == IPMICTL_RECEIVE_MSG_TRUNC) return Receive(*static_cast<ipmi_recv*>(argument));
  return errno = ENOTTY, -1;
}

int Poll(pollfd*, nfds_t, int timeout_ms) {
  EXPECT_GT(timeout_ms, 0);
  EXPECT_LE(timeout_ms, 1001);
  if (!kernel.queue.empty() || kernel.receive_errno) return 1;
  usleep(static_cast<useconds_t>(timeout_ms) * 1000);
  return 0;
}

struct KernelIpmiDevice : ::testing::Test {
  RecordedTree tree;
  std::unique_ptr<IpmiDevice> device;
  std::string reason;
  unsigned char answer[32] = {};

  void SetUp() override {
    kernel = {};
    device = MakeKernelIpmi(tree.tree(), {Open, Control, Poll});
  }
  Result<std::size_t> Ask() {
    const unsigned char data[] = {0xDC, 1};
    return device->Ask({0x2C, 0x02, data, 1}, answer);
  }
};

TEST_F(KernelIpmiDevice, SendsARequestAndTakesItsAnswer) {
  ASSERT_TRUE(device->Open(reason));
  kernel.queue = {{IPMI_RESPONSE_RECV_TYPE, 0, {0, 7, 8}}};
  const auto size = Ask();
  ASSERT_TRUE(size);
  EXPECT_EQ(*size, 3u);
  EXPECT_EQ(answer[2], 8);
  EXPECT_EQ(kernel.sent, (std::vector<unsigned char>{0x2C, 0x02, 1, 0xDC, 1}));
}

TEST_F(KernelIpmiDevice, PassesOverLateAnswersAndEvents) {
  ASSERT_TRUE(device->Open(reason));
  kernel.queue = {{IPMI_RESPONSE_RECV_TYPE, -1, {9}},
                  {IPMI_ASYNC_EVENT_RECV_TYPE, 0, {9}},
                  {IPMI_RESPONSE_RECV_TYPE, 0, {0, 5}}};
  const auto size = Ask();
  ASSERT_TRUE(size);
  EXPECT_EQ(answer[1], 5);
}

TEST_F(KernelIpmiDevice, CutsWhatDoesNotFit) {
  ASSERT_TRUE(device->Open(reason));
  kernel.queue = {{IPMI_RESPONSE_RECV_TYPE, 0, std::vector<unsigned char>(1000)}};
  const auto size = Ask();
  ASSERT_TRUE(size);
  EXPECT_EQ(*size, sizeof answer);
}

TEST_F(KernelIpmiDevice, GivesASilentBmcUpAfterASecond) {
  ASSERT_TRUE(device->Open(reason));
  const auto size = Ask();
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().sys_errno, ETIMEDOUT);
}

TEST_F(KernelIpmiDevice, TellsTheKernelsErrors) {
  ASSERT_TRUE(device->Open(reason));
  kernel.send_errno = EMSGSIZE;
  EXPECT_EQ(Ask().error().sys_errno, EMSGSIZE);
  kernel.send_errno = 0;
  kernel.receive_errno = ENODEV;
  EXPECT_EQ(Ask().error().sys_errno, ENODEV);
}

TEST_F(KernelIpmiDevice, LooksForEachNameOfTheDevice) {
  kernel.only = "/dev/ipmidev/0";
  EXPECT_TRUE(device->Open(reason));
}

TEST_F(KernelIpmiDevice, SaysWhyThereIsNone) {
  kernel.only = "";
  EXPECT_FALSE(device->Open(reason));
  EXPECT_NE(reason.find("modprobe ipmi_si"), std::string::npos) << reason;
  tree.Add("/sys/class/ipmi/ipmi0/dev", "240:0\n");
  EXPECT_FALSE(device->Open(reason));
  EXPECT_NE(reason.find("container"), std::string::npos) << reason;
  kernel.open_errno = EACCES;
  const auto refused = device->Open(reason);
  EXPECT_EQ(refused.error().code, Errc::kPermission);
  EXPECT_NE(reason.find("no permission for /dev/ipmi0"), std::string::npos) << reason;
  EXPECT_NE(reason.find("udev rule"), std::string::npos) << reason;
}

}  // namespace
}  // namespace csink
