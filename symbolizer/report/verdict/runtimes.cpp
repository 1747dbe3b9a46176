#include "symbolizer/report/verdict/runtimes.h"

#include <algorithm>
#include <iterator>

namespace csink::report {
namespace {

/// Runtimes named in one sentence.
constexpr std::size_t kMostRuntimes = 2;

/// A runtime whose code has names only with a switch.
struct Runtime {
  /// Beginnings of base names, separated by blanks. Behind one there may be a version or an ending:
  /// "php" stands for php8.2, "libnode" for libnode.so.108.
  std::string_view names;
  /// If the command line has this text, the switch is set.
  std::string_view setting;
  /// What to do, a whole clause.
  std::string_view advice;
};

/// From the manuals of the runtimes: node(1), java(1), erl(1), mono(1), ruby(1), qemu(1), `wasmtime
/// run --help`; .NET's docs/project/linux-performance-tracing.md; PHP's Zend/Optimizer (ZEND_JIT_
/// DEBUG_PERF is bit 4); Julia's manual, "External profiling"; LuaJIT's lj_trace.c.
constexpr Runtime kJits[] = {
    {"node nodejs libnode", "--perf-basic-prof",
     "node --perf-basic-prof writes the names of JavaScript functions"},
    {"deno", "--perf-basic-prof",
     "deno run --v8-flags=--perf-basic-prof writes the names of JavaScript functions"},
    {"chrome chromium electron", "--perf-basic-prof",
     "--js-flags=--perf-basic-prof --no-sandbox writes the names of JavaScript functions"},
    {"java libjvm", "DumpPerfMapAtExit",
     "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit writes the names of Java methods "
     "(JDK 17; perf-map-agent for older ones)"},
    {"beam.smp beam", "JPperf",
     "erl +JPperf true writes the names of Erlang functions (OTP 24 or newer)"},
    {"dotnet libcoreclr", "PerfMapEnabled",
     "DOTNET_PerfMapEnabled=1 makes .NET write the names of its methods"},
    {"mono mono-sgen libmono libmonosgen", "--jitmap",
     "mono --jitmap writes the names of its methods"},
    {"php php-fpm php-cgi libphp", "opcache.jit_debug",
     "php -d opcache.jit_debug=16 writes the names of PHP functions"},
    {"ruby libruby", "--yjit-perf",
     "ruby --yjit --yjit-perf writes the names of Ruby methods (Ruby 3.3 or newer)"},
    {"luajit libluajit", "LUAJIT_USE_PERFTOOLS",
     "a LuaJIT that was built with -DLUAJIT_USE_PERFTOOLS writes the names of its traces"},
    {"julia libjulia", "ENABLE_JITPROFILING",
     "ENABLE_JITPROFILING=1 makes julia write the names of its functions"},
    {"wasmtime libwasmtime", "--profile",
     "wasmtime --profile=perfmap writes the names of WebAssembly functions"},
    {"qemu", "-perfmap", "qemu -perfmap writes the names of translated code (QEMU 8.0 or newer)"},
};

constexpr Runtime kInterpreters[] = {
    {"python3 libpython3", "-X perf",
     "python3 -X perf with --stacks unwind shows Python functions as callers (Python 3.12 or "
     "newer)"},
};

/// Whether a base name is the word, perhaps followed by a version, "-" or an ending. "java" does
/// not stand for "javac", and "node" does not stand for "nodemon".
bool IsName(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return false;
  if (name.size() == word.size()) return true;
  const char next = name[word.size()];
  return next == '.' || next == '-' || (next >= '0' && next <= '9');
}

/// Whether the base name of a file is one of the runtime's.
bool Matches(const Runtime& runtime, std::string_view name) {
  std::string_view words = runtime.names;
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    if (IsName(name, words.substr(0, blank))) return true;
    words.remove_prefix(std::min(words.size(), blank + 1));
  }
  return false;
}

/// The runtime that a file belongs to; nullptr: none.
template <std::size_t N>
const Runtime* RuntimeOf(const Runtime (&runtimes)[N], std::string_view name) {
  const auto* found = std::find_if(std::begin(runtimes), std::end(runtimes),
                                   [&](const Runtime& entry) { return Matches(entry, name); });
  return found == std::end(runtimes) ? nullptr : found;
}

}  // namespace

std::string JitAdvice(const std::vector<RuntimeFile>& files) {
  std::vector<const Runtime*> known;
  std::string text;
  for (const RuntimeFile& file : files) {
    const Runtime* runtime = RuntimeOf(kJits, file.name);
    if (!runtime || std::find(known.begin(), known.end(), runtime) != known.end()) continue;
    known.push_back(runtime);
    if (known.size() > kMostRuntimes) break;
    // The switch is set: the code without names has another reason.
    if (file.command.find(runtime->setting) != std::string::npos) continue;
    text += text.empty() ? "" : "; ";
    text += runtime->advice;
  }
  return text;
}

std::string InterpreterAdvice(const RuntimeFile& file) {
  const Runtime* runtime = RuntimeOf(kInterpreters, file.name);
  if (!runtime || file.command.find(runtime->setting) != std::string::npos) return "";
  return std::string(runtime->advice);
}

}  // namespace csink::report
