#include "symbolizer/report/wording/thread_function.h"

#include <string_view>

namespace csink::report {
namespace {

/// The template argument at the begin of `text`: up to the comma or bracket behind it. Empty if
/// there is no end: names may be cut.
std::string_view FirstArgument(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && (c == ',' || c == '>')) {
      text = text.substr(0, i);
      // Older demanglers write "> >".
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      return text;
    }
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
  }
  return {};
}

/// What stands behind the last `begin` in `text`; empty: it is not there.
std::string_view Behind(std::string_view text, std::string_view begin) {
  const std::size_t at = text.rfind(begin);
  return at == text.npos ? std::string_view() : text.substr(at + begin.size());
}

/// The type of the callable in a name; empty: the name is of no known template.
std::string_view Callable(std::string_view name) {
  const bool is_std = name.starts_with("std::thread::_State_impl<") ||
                      name.starts_with("std::__future_base::_Async_state_impl<");
  // The innermost one: std::async's thread runs a member of a class that has the callable.
  if (is_std) return FirstArgument(Behind(name, "_Invoker<std::tuple<"));
  constexpr std::string_view kBoost = "boost::detail::thread_data<";
  if (name.starts_with(kBoost)) return FirstArgument(name.substr(kBoost.size()));
  const std::string_view proxy = Behind(name, "__thread_proxy");
  if (proxy.empty()) return {};
  // The first element is the thread's own data.
  std::string_view tuple = Behind(proxy, "::tuple<");
  const std::string_view own = FirstArgument(tuple);
  if (own.empty() || tuple.size() < own.size() + 2) return {};
  tuple.remove_prefix(own.size() + 1);
  while (tuple.starts_with(' ')) tuple.remove_prefix(1);
  return FirstArgument(tuple);
}

}  // namespace

std::string ThreadFunction(const std::string& name) {
  std::string_view callable = Callable(name);
  constexpr std::string_view kReference = "std::reference_wrapper<";
  if (callable.starts_with(kReference))
    callable = FirstArgument(callable.substr(kReference.size()));
  const bool is_pointer =
      callable.find("(*") != callable.npos || callable.find("::*)") != callable.npos;
  // Arguments that are bound to a function, whose type does not say which one.
  const bool is_bound = callable.find("bind") != callable.npos;
  if (callable.empty() || is_pointer || is_bound) return name;
  // Lambdas, as libiberty and LLVM write them.
  const bool is_lambda = callable.ends_with('}') || callable.find("$_") != callable.npos ||
                         callable.find("'lambda") != callable.npos;
  return std::string(callable) + (is_lambda ? "" : "::operator()");
}

bool IsHotSpotStart(std::string_view routine) {
  // The name of JDK 9 and later, that of JDK 8, and a libjvm.so without symbols: only
  // os::create_thread calls pthread_create there.
  return routine == "thread_native_entry(Thread*)" || routine == "java_start(Thread*)" ||
         routine.starts_with("[libjvm.so+");
}

std::string NameWithoutNumber(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == name.size()) return name;
  // "GC Thread#0", "ForkJoinPool-1-worker-3"
  const std::size_t end = name.find_last_not_of("0123456789#-_ ");
  return end == std::string::npos ? name : name.substr(0, end + 1);
}

}  // namespace csink::report
