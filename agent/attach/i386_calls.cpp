#include "agent/attach/i386_calls.h"

#include <sys/syscall.h>

namespace csink::attach {

#if defined(__x86_64__)
namespace {

struct Call {
  std::int64_t i386;
  std::int64_t native;
};

// Source: arch/x86/entry/syscalls/syscall_32.tbl. The header asm/unistd_32.h defines the same names
// as that of x86-64, so the numbers stand here. futex_waitv (449) and newer calls have one number
// on all processors. socketcall(2) is left out: its arguments are in memory.
constexpr Call kCalls[] = {
    {3, SYS_read},
    {4, SYS_write},
    {5, SYS_open},
    {7, SYS_wait4},
    {8, SYS_creat},
    {29, SYS_pause},
    {36, SYS_sync},
    {55, SYS_fcntl},
    {72, SYS_rt_sigsuspend},
    {82, SYS_select},
    {93, SYS_ftruncate},
    {114, SYS_wait4},
    {118, SYS_fsync},
    {142, SYS_select},
    {143, SYS_flock},
    {144, SYS_msync},
    {145, SYS_readv},
    {146, SYS_writev},
    {148, SYS_fdatasync},
    {162, SYS_nanosleep},
    {168, SYS_poll},
    {177, SYS_rt_sigtimedwait},
    {179, SYS_rt_sigsuspend},
    {180, SYS_pread64},
    {181, SYS_pwrite64},
    {187, SYS_sendfile},
    {194, SYS_ftruncate},
    {220, SYS_getdents64},
    {221, SYS_fcntl},
    {239, SYS_sendfile},
    {240, SYS_futex},
    {256, SYS_epoll_wait},
    {267, SYS_clock_nanosleep},
    {284, SYS_waitid},
    {295, SYS_openat},
    {308, SYS_pselect6},
    {309, SYS_ppoll},
    {314, SYS_sync_file_range},
    {319, SYS_epoll_pwait},
    {324, SYS_fallocate},
    {333, SYS_preadv},
    {334, SYS_pwritev},
    {337, SYS_recvmmsg},
    {345, SYS_sendmmsg},
    {362, SYS_connect},
    {364, SYS_accept4},
    {369, SYS_sendto},
    {370, SYS_sendmsg},
    {371, SYS_recvfrom},
    {372, SYS_recvmsg},
    {378, SYS_preadv2},
    {379, SYS_pwritev2},
    {407, SYS_clock_nanosleep},
    {413, SYS_pselect6},
    {414, SYS_ppoll},
    {417, SYS_recvmmsg},
    {421, SYS_rt_sigtimedwait},
    {422, SYS_futex},
};
// From pidfd_send_signal(2) on, the numbers are the same.
constexpr std::int64_t kFirstCommon = 424;

}  // namespace

std::int64_t NativeNumberOf(std::int64_t number) {
  if (number == -1 || number >= kFirstCommon) return number;
  for (const Call& call : kCalls) {
    if (call.i386 == number) return call.native;
  }
  return kNoNativeCall;
}
#else
std::int64_t NativeNumberOf(std::int64_t) { return kNoNativeCall; }
#endif

}  // namespace csink::attach
