#include "symbolizer/cache/cached_resolver.h"
#include "symbolizer/cache/folder.h"
#include "symbolizer/commands/debuginfod.h"
#include "symbolizer/commands/output.h"
#include "symbolizer/commands/tool.h"

/// Wires the resolver: debuginfod, the cache on disk, the symbolizer.
int main(int argc, char** argv) {
  using csink::symbolizer::ModuleRequest;
  csink::symbolizer::Options options;
  options.fetch = csink::tool::DebuginfodFetcher(argc, argv);
  bool is_set = false;  // Initialised on demand: a report without modules needs no cache
  const auto resolve = [&](const ModuleRequest& request) {
    if (!is_set) {
      std::string problem;
      const auto cache = csink::symbolizer::cache::SettingsFromEnvironment(&problem);
      if (!problem.empty()) csink::tool::Complain(problem);
      options.cache_folder = cache.folder;
      options.cache_bytes = cache.max_bytes;
      is_set = true;
    }
    return csink::symbolizer::ResolveModuleCached(request, options);
  };
  return csink::tool::RunTool(argc, argv, resolve);
}
