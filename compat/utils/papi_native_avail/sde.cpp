#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compat/utils/message.h"
#include "compat/utils/papi_native_avail/tool.h"

/// File: papi_native_avail -sde FILE. A library with software-defined events exports
/// papi_sde_hook_list_events. The hook gets a table of libsde's functions and registers the events.

extern char** environ;

namespace csink::utils::native {
namespace {

/// The functions that a hook gets, in the order of papi_sde_fptr_struct_t (sde_lib.h of libsde 1).
constexpr const char* kFunctions[] = {
    "papi_sde_init",
    "papi_sde_shutdown",
    "papi_sde_register_counter",
    "papi_sde_register_counter_cb",
    "papi_sde_unregister_counter",
    "papi_sde_describe_counter",
    "papi_sde_add_counter_to_group",
    "papi_sde_create_counter",
    "papi_sde_inc_counter",
    "papi_sde_create_recorder",
    "papi_sde_create_counting_set",
    "papi_sde_counting_set_insert",
    "papi_sde_counting_set_remove",
    "papi_sde_record",
    "papi_sde_reset_recorder",
    "papi_sde_reset_counter",
    "papi_sde_get_counter_handle",
};
/// The structure has only pointers, so an array has its layout.
using Functions = void * [std::size(kFunctions)];
using Hook = void* (*)(Functions* functions);

/// Fills the table with libsde's functions. False: there is no libsde, or it lacks one of them.
bool FillIn(Functions& functions) {
  // RTLD_GLOBAL: the sde component of libpapi looks for libsde's functions among the loaded
  // libraries.
  void* library = dlopen("libsde.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return false;
  for (std::size_t i = 0; i < std::size(kFunctions); ++i) {
    functions[i] = dlsym(library, kFunctions[i]);
    // The table must be complete: hooks do not test the pointers.
    if (functions[i] == nullptr) return false;
  }
  return true;
}

/// The output of `ldd FILE`: a program cannot be opened as a library, so the loader must list the
/// libraries that it needs.
std::string AskLdd(const char* file) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // ldd writes into the pipe; its messages about files that are no programs go nowhere.
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::string name = file;
  char command[] = "ldd";
  char* const argv[] = {command, name.data(), nullptr};
  pid_t child = -1;
  const bool spawned = posix_spawnp(&child, command, &actions, nullptr, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  // Our copy of the writing end: reading would not end while it is open.
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got; spawned && (got = read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  // After reading, so that ldd cannot block on a full pipe. Its exit status does not matter:
  // without output there are no libraries.
  if (spawned) waitpid(child, nullptr, 0);
  return text;
}

/// The paths in lines such as "libx.so.1 => /lib/libx.so.1 (0x...)".
std::vector<std::string> LibrariesOf(const char* file) {
  std::vector<std::string> paths;
  const std::string text = AskLdd(file);
  constexpr std::string_view kArrow = " => ";
  for (std::size_t at = 0; (at = text.find(kArrow, at)) != text.npos;) {
    at += kArrow.size();
    // "=> not found" has no path.
    if (text[at] == '/') paths.push_back(text.substr(at, text.find(" (", at) - at));
  }
  return paths;
}

}  // namespace

bool RegisterSoftwareEvents(const char* file) {
  if (access(file, R_OK) != 0) {
    Say(kTool, std::string("cannot read '") + file + "'");
    return false;
  }
  Functions functions;
  if (!FillIn(functions)) {
    Say(kTool, "software-defined events need libsde.so.1 (Debian: libsde1)");
    return false;
  }
  std::vector<std::string> paths = LibrariesOf(file);
  // dlopen searches the library path for a name without a slash. A program cannot be opened; its
  // libraries are then what is left.
  paths.emplace_back(file[0] == '/' ? std::string(file) : "./" + std::string(file));
  std::set<void*> called;  // dlsym also finds a hook through a library that depends on its own
  for (const std::string& path : paths) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* hook = library ? dlsym(library, "papi_sde_hook_list_events") : nullptr;
    if (hook && called.insert(hook).second) reinterpret_cast<Hook>(hook)(&functions);
  }
  if (called.empty()) {
    Say(kTool, std::string("neither '") + file +
                   "' nor the libraries that it needs have software-defined events");
  }
  return true;
}

}  // namespace csink::utils::native
