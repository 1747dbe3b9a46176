#include "symbolizer/resolver.h"
#include "symbolizer/tool/tool.h"

int main(int argc, char** argv) {
  const auto resolve = [](const csink::symbolizer::ModuleRequest& request) {
    return csink::symbolizer::ResolveModule(request, {});
  };
  return csink::tool::RunTool(argc, argv, resolve);
}
