// Waits for a program and prints the CPU time of it, of its waited-for descendants and of this process.
//   ledger_wait PROGRAM [ARGUMENT ...]
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long long Ns(struct timeval t) {
  return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_usec * 1000u;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  struct rusage own, children;
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  const unsigned long long user = Ns(own.ru_utime) + Ns(children.ru_utime);
  const unsigned long long system = Ns(own.ru_stime) + Ns(children.ru_stime);
  dprintf(1, "tree %llu\nsystem %llu\n", user + system, system);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
