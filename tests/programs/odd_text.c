// A program whose code is not where its file says.   odd_text MODE MS [FILE]
//   moved    its function's pages are replaced by memory with the same code (huge-page style)
//   deleted  it removes its own file first
//   memfd    FILE, a plugin, is loaded from memory
//   unlinked a copy of FILE, a plugin, is loaded and removed; the program ends by _exit
//   jitdump  FILE is written as a JIT's dump and mapped executable, then code that it names runs
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

// In pages of its own, so that they can be replaced.
__attribute__((noinline, section(".text.movable"), aligned(4096))) void Movable(unsigned long ms) {
  BurnMs(ms);
}
__attribute__((noinline, section(".text.movable.end"), aligned(4096))) void Behind(void) {
  __asm__ volatile("");
}

static int Move(void) {
  unsigned char* const text = (unsigned char*)(void*)&Movable;
  unsigned char copy[4096];
  memcpy(copy, text, sizeof copy);
  if (mmap(text, sizeof copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
      text) {
    return 0;
  }
  memcpy(text, copy, sizeof copy);
  __builtin___clear_cache((char*)text, (char*)text + sizeof copy);
  return mprotect(text, sizeof copy, PROT_READ | PROT_EXEC) == 0;
}

// Copies `file` to `fd`. Returns the plugin that is loaded from `path`.
static void* CopyAndLoad(const char* file, int fd, const char* path) {
  FILE* plugin = fopen(file, "rbe");
  char piece[4096];
  for (size_t got; plugin && (got = fread(piece, 1, sizeof piece, plugin)) > 0;) {
    if (write(fd, piece, got) != (ssize_t)got) return NULL;
  }
  if (plugin) fclose(plugin);
  return dlopen(path, RTLD_NOW);
}

static int RunPlugin(void* handle, unsigned long ms) {
  void (*hot)(unsigned long) = handle ? (void (*)(unsigned long))dlsym(handle, "PluginHot") : NULL;
  if (!hot) return 1;
  hot(ms * 1000);
  return 0;
}

static int LoadFromMemory(const char* file, unsigned long ms) {
  const int fd = memfd_create("plugin", MFD_CLOEXEC);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return RunPlugin(CopyAndLoad(file, fd, path), ms);
}

static int LoadAndUnlink(const char* file, unsigned long ms) {
  char path[] = "/tmp/odd_textXXXXXX";
  const int fd = mkstemp(path);
  void* handle = CopyAndLoad(file, fd, path);
  unlink(path);
  close(fd);
  return RunPlugin(handle, ms);
}

#if defined(__x86_64__)
// loop: dec %rdi; jnz loop; ret
static const unsigned char kLoop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#else
// loop: subs x0, x0, #1; b.ne loop; ret
static const unsigned char kLoop[] = {0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
                                      0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#endif

struct Head {
  uint32_t magic, version, total_size, elf_mach, pad, pid;
  uint64_t timestamp, flags;
};
struct Prefix {
  uint32_t id, total_size;
  uint64_t timestamp;
};
struct Load {
  struct Prefix prefix;
  uint32_t pid, tid;
  uint64_t vma, code_addr, code_size, code_index;
};

static int RunDumped(const char* file, unsigned long ms) {
  void* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, kLoop, sizeof kLoop);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  __builtin___clear_cache((char*)code, (char*)code + 4096);
  static const char kName[] = "Work of the dump";
  const struct Head head = {0x4a695444, 1, sizeof head, 0, 0, (uint32_t)getpid(), 0, 0};
  const uint64_t at = (uint64_t)(uintptr_t)code;
  const struct Load load = {{0, sizeof load + sizeof kName + sizeof kLoop, 0},
                            (uint32_t)getpid(), (uint32_t)getpid(), at, at, sizeof kLoop, 0};
  const int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (write(fd, &head, sizeof head) < 0 || write(fd, &load, sizeof load) < 0 ||
      write(fd, kName, sizeof kName) < 0 || write(fd, kLoop, sizeof kLoop) < 0) {
    return 1;
  }
  // This is how a profiler learns of the file.
  if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) return 1;
  const uint64_t end = ThreadCpuNs() + ms * 1000000;
  while (ThreadCpuNs() < end) ((void (*)(unsigned long))code)(300000);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned long ms = strtoul(argv[2], NULL, 10);
  if (!strcmp(argv[1], "memfd") && argc > 3) return LoadFromMemory(argv[3], ms);
  if (!strcmp(argv[1], "unlinked") && argc > 3) _exit(LoadAndUnlink(argv[3], ms));
  if (!strcmp(argv[1], "jitdump") && argc > 3) {
    char path[4096];
    snprintf(path, sizeof path, "%s/jit-%d.dump", argv[3], (int)getpid());
    return RunDumped(path, ms);
  }
  if (!strcmp(argv[1], "moved") && !Move()) return 1;
  if (!strcmp(argv[1], "deleted") && unlink(argv[0]) != 0) return 1;
  Movable(ms);
  Behind();
  return 0;
}
