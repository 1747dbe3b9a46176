// Looks at dispositions and masks in every way there is, on stacks of its own; a run with
// the agent must print the same as a run without.   masks MODE [MS]
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/socket.h>
#include <ucontext.h>

#include "modes.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const int kOurs[] = {SIGURG, SIGINT, SIGTERM, SIGUSR1};

static const char* Name(void (*handler)(int)) {
  return handler == SIG_DFL   ? "default"
         : handler == SIG_IGN ? "ignored"
         : handler == SIG_ERR ? "error"
                              : "handler";
}

static volatile sig_atomic_t calls;
static void Count(int unused) {
  (void)unused;
  calls = calls + 1;
}

static int Blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  return sigismember(&now, signal);
}

static void Block(int how, int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(how, &set, NULL);
}

static int MaskOf(int signal) { return (int)(1u << (signal - 1)); }

// --- the oldest interfaces -------------------------------------------------------

static void SystemV(void) {
  Work(quota_ms);
  for (size_t i = 0; i < ARRAY_SIZE(kOurs); ++i) {
    const int s = kOurs[i];
    printf("sigset %d: %s", s, Name(sigset(s, SIG_DFL)));
    printf(" %s", Name(sigset(s, Count)));
    printf(" %s", Name(sigset(s, SIG_HOLD)));
    printf(" blocked %d", Blocked(s));
    printf(" hold %d", sigset(s, SIG_DFL) == SIG_HOLD);
    printf(" blocked %d", Blocked(s));
    printf(" sighold %d %d", sighold(s), Blocked(s));
    Work(quota_ms / 10);
    printf(" sigrelse %d %d", sigrelse(s), Blocked(s));
    printf(" sigignore %d", sigignore(s));
    printf(" %s\n", Name(signal(s, SIG_DFL)));
  }
}

static void Bsd(void) {
  Work(quota_ms);
  printf("sigblock %x", (unsigned)sigblock(MaskOf(SIGURG) | MaskOf(SIGINT)));
  Work(quota_ms);
  printf(" %x", (unsigned)sigblock(0));
  printf(" sigsetmask %x", (unsigned)sigsetmask(MaskOf(SIGTERM)));
  printf(" %x\n", (unsigned)sigsetmask(0));
  for (size_t i = 0; i < ARRAY_SIZE(kOurs); ++i) {
    struct sigaction now;
    memset(&now, 0, sizeof now);
    printf("siginterrupt %d: %d", kOurs[i], siginterrupt(kOurs[i], 1));
    sigaction(kOurs[i], NULL, &now);
    printf(" %s restart %d", Name(now.sa_handler), !!(now.sa_flags & SA_RESTART));
    printf(" %s", Name(signal(kOurs[i], Count)));
    sigaction(kOurs[i], NULL, &now);
    printf(" %s restart %d\n", Name(now.sa_handler), !!(now.sa_flags & SA_RESTART));
  }
}

// --- masks over jumps, in handlers, in threads --------------------------------------

static sigjmp_buf place;

static void Jump(int unused) {
  (void)unused;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  siglongjmp(place, 1);
}

static void Jumps(void) {
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  if (sigsetjmp(place, 1) == 0) {
    sigprocmask(SIG_SETMASK, &all, NULL);
    siglongjmp(place, 1);
  }
  printf("unblocked, jumped out of a block: %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
  sigprocmask(SIG_SETMASK, &all, NULL);
  if (sigsetjmp(place, 1) == 0) {
    Work(quota_ms / 2);
    sigprocmask(SIG_SETMASK, &none, NULL);
    siglongjmp(place, 1);
  }
  printf("blocked, jumped out of none: %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
  Work(quota_ms / 2);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (sigsetjmp(place, 0) == 0) {
    sigprocmask(SIG_SETMASK, &all, NULL);
    siglongjmp(place, 1);
  }
  printf("without a mask: %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGUSR2, Jump);
  if (sigsetjmp(place, 1) == 0) raise(SIGUSR2);
  printf("out of a handler: %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
}

static int in_handler[4];

static void LookInside(int unused) {
  (void)unused;
  sigset_t all;
  in_handler[0] = Blocked(SIGURG);
  in_handler[1] = Blocked(SIGUSR1);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  in_handler[2] = Blocked(SIGURG);
  in_handler[3] = Blocked(SIGUSR1);
}

// What a handler does to the mask ends with it.
static void InHandlers(void) {
  struct sigaction act;
  for (int full = 0; full < 2; ++full) {
    memset(&act, 0, sizeof act);
    act.sa_handler = LookInside;
    if (full) sigfillset(&act.sa_mask);
    sigaction(SIGUSR2, &act, NULL);
    Work(quota_ms / 2);
    raise(SIGUSR2);
    printf("inside %d %d, all blocked %d %d, afterwards %d %d\n", in_handler[0], in_handler[1],
           in_handler[2], in_handler[3], Blocked(SIGURG), Blocked(SIGUSR1));
  }
}

static void* PrintInThread(void* unused) {
  Work(quota_ms / 4);
  printf("in thread %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
  return unused;
}

static void InThreads(void) {
  pthread_t thread;
  pthread_attr_t attr;
  sigset_t all;
  pthread_create(&thread, NULL, PrintInThread, NULL);
  pthread_join(thread, NULL);
  Block(SIG_BLOCK, SIGURG);
  pthread_create(&thread, NULL, PrintInThread, NULL);
  pthread_join(thread, NULL);
  Block(SIG_UNBLOCK, SIGURG);
  sigfillset(&all);
  pthread_attr_init(&attr);
  pthread_attr_setsigmask_np(&attr, &all);
  pthread_create(&thread, &attr, PrintInThread, NULL);
  pthread_join(thread, NULL);
  printf("in main %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
}

static ucontext_t main_context;
static ucontext_t other_context;
static char other_stack[64 * 1024];

static void Other(void) {
  Work(quota_ms / 2);
  printf("in the coroutine %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
  Block(SIG_BLOCK, SIGUSR1);
  swapcontext(&other_context, &main_context);
  printf("there again %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
}

static void Coroutines(void) {
  getcontext(&other_context);
  other_context.uc_stack.ss_sp = other_stack;
  other_context.uc_stack.ss_size = sizeof other_stack;
  other_context.uc_link = &main_context;
  makecontext(&other_context, Other, 0);
  Work(quota_ms / 2);
  swapcontext(&main_context, &other_context);
  printf("in main %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
  swapcontext(&main_context, &other_context);
  printf("in main %d %d\n", Blocked(SIGURG), Blocked(SIGUSR1));
}

// --- stacks for signals -----------------------------------------------------------

static int flags_inside;
static int on_stack;

static void LookAtStack(int unused) {
  (void)unused;
  stack_t now;
  char here;
  sigaltstack(NULL, &now);
  flags_inside = now.ss_flags;
  on_stack = &here >= other_stack && &here < other_stack + sizeof other_stack;
}

static void OnStack(int flags) {
  struct sigaction act;
  stack_t now;
  const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack, .ss_flags = flags};
  memset(&act, 0, sizeof act);
  act.sa_handler = LookAtStack;
  act.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &act, NULL);
  printf("sigaltstack %d\n", sigaltstack(&stack, NULL));
  for (int i = 0; i < 3; ++i) {
    Work(quota_ms / 3);
    raise(SIGUSR1);
    sigaltstack(NULL, &now);
    printf("inside %x on it %d, outside %x %d %d\n", (unsigned)flags_inside, on_stack,
           (unsigned)now.ss_flags, now.ss_sp == other_stack, (int)now.ss_size);
  }
}
static void AlternateStack(void) { OnStack(0); }
static void AutoDisarmedStack(void) { OnStack((int)(1u << 31)); }

// As small as the kernel takes them: no frame with wide registers fits. That is no harm
// as long as no signal comes.
static void SmallestStack(void) {
  const stack_t stack = {.ss_sp = other_stack, .ss_size = 2048};
  printf("sigaltstack %d\n", sigaltstack(&stack, NULL));
  Work(quota_ms);
  printf("survived\n");
}

// Most of the time on the alternate stack, as programs with a handler as main loop are.
static void WorkOnStack(int unused) {
  (void)unused;
  Work(quota_ms);
}
static void WorkOnAlternateStack(void) {
  struct sigaction act;
  const stack_t stack = {.ss_sp = other_stack, .ss_size = 8192};
  memset(&act, 0, sizeof act);
  act.sa_handler = WorkOnStack;
  act.sa_flags = SA_ONSTACK;
  sigfillset(&act.sa_mask);
  sigaction(SIGUSR1, &act, NULL);
  printf("sigaltstack %d\n", sigaltstack(&stack, NULL));
  raise(SIGUSR1);
  sigemptyset(&act.sa_mask);
  sigaction(SIGUSR1, &act, NULL);
  raise(SIGUSR1);
  printf("survived\n");
}

// --- urgent data: what the signal is for ------------------------------------------------

static int Listen(struct sockaddr_in* address) {
  socklen_t size = sizeof *address;
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, (struct sockaddr*)address, sizeof *address) != 0 || listen(fd, 1) != 0 ||
      getsockname(fd, (struct sockaddr*)address, &size) != 0) {
    printf("no socket\n");
  }
  return fd;
}

static void UrgentData(void) {
  struct sockaddr_in address;
  int received = 0;
  const int listening = Listen(&address);
  const int in = socket(AF_INET, SOCK_STREAM, 0);
  connect(in, (struct sockaddr*)&address, sizeof address);
  const int out = accept(listening, NULL, NULL);
  Work(quota_ms / 2);
  printf("was %s\n", Name(signal(SIGURG, Count)));
  fcntl(in, F_SETOWN, getpid());
  for (int i = 0; i < 10; ++i) {
    char byte = (char)i;
    send(out, &byte, 1, MSG_OOB);
    while (calls <= i) usleep(100);
    received += recv(in, &byte, 1, MSG_OOB) == 1 && byte == i;
    Work(quota_ms / 10);
  }
  printf("SIGURG %d, urgent bytes %d\n", (int)calls, received);
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"system_v", SystemV},
                                       {"bsd", Bsd},
                                       {"jumps", Jumps},
                                       {"in_handlers", InHandlers},
                                       {"in_threads", InThreads},
                                       {"coroutines", Coroutines},
                                       {"alternate_stack", AlternateStack},
                                       {"autodisarmed_stack", AutoDisarmedStack},
                                       {"smallest_stack", SmallestStack},
                                       {"work_on_alternate_stack", WorkOnAlternateStack},
                                       {"urgent_data", UrgentData}};
  return RunModes(argc, argv, kModes, ARRAY_SIZE(kModes));
}
