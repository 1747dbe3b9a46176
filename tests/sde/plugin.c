/* A library that is loaded late, brings libsde along, and goes again. */
#include <sde_lib.h>

__attribute__((visibility("default"))) long long plugin_count;
static papi_handle_t library;

__attribute__((visibility("default"))) void plugin_begin(void) {
  library = papi_sde_init("Plugin");
  papi_sde_register_counter(library, "count", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                            &plugin_count);
}
__attribute__((visibility("default"))) void plugin_end(void) {
  papi_sde_unregister_counter(library, "count");
}

/* What papi_native_avail -sde calls to list a library's events (sde_lib.h). */
__attribute__((visibility("default"))) papi_handle_t papi_sde_hook_list_events(
    papi_sde_fptr_struct_t* sde) {
  static long long first;
  static void* created;
  papi_handle_t listed = sde->init("Listed");
  sde->register_counter(listed, "first", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &first);
  sde->describe_counter(listed, "first", "The first event of a library that is only listed");
  sde->create_counter(listed, "created", PAPI_SDE_DELTA, &created);
  sde->add_counter_to_group(listed, "first", "group", PAPI_SDE_SUM);
  return listed;
}
