/* Runs a program and writes down what it took: "CPU-microseconds peak-KiB" into a file.
 *
 *   bench_peak RESULT INPUT PROGRAM [ARGUMENT...]
 *
 * The peak that wait4 tells of a child begins with that of the process which it was made by: the
 * harness itself is larger than some of what it measures, this program is not. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long microseconds(struct timeval time) {
  return time.tv_sec * 1000000LL + time.tv_usec;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const pid_t child = fork();
  if (child == 0) {
    const int input = open(argv[2], O_RDONLY);
    if (input < 0 || dup2(input, 0) != 0) _exit(126);
    close(input);
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status = 0;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child) return 125;
  FILE* result = fopen(argv[1], "w");
  if (result == NULL) return 125;
  fprintf(result, "%lld %ld\n", microseconds(used.ru_utime) + microseconds(used.ru_stime),
          used.ru_maxrss);
  if (fclose(result) != 0) return 125;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
