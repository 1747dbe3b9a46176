/* PAPI_get_substrate_info.
 * Mended: the string ends where its line does. */
/* prints: This substrate supports 5 Preset Events and [1-9][0-9]* Native events\. */
#include "example.h"

/* Each field of the page's listing, read once. */
static void every_field(const PAPI_substrate_info_t* s) {
  const PAPI_component_info_t* component = PAPI_get_component_info(0);
  CHECK(s->name[0] && s->version[0] && s->kernel_version[0]);
  CHECK(strcmp(s->name, component->name) == 0);
  CHECK(strcmp(s->support_version, component->support_version) == 0);
  CHECK(s->num_cntrs == PAPI_num_hwctrs() && s->num_mpx_cntrs >= s->num_cntrs);
  CHECK(s->default_domain == PAPI_DOM_USER && (s->available_domains & PAPI_DOM_USER) != 0);
  CHECK(s->default_granularity == PAPI_GRN_THR && (s->available_granularities & PAPI_GRN_THR) != 0);
  CHECK(s->multiplex_timer_sig == 0 && s->multiplex_timer_num == 0);
  CHECK(s->multiplex_timer_us == 10000);
  CHECK(s->hardware_intr == (s->hardware_intr_sig != 0));
  CHECK(s->opcode_match_width == 0 && s->reserved_ints[3] == 0);
  CHECK(s->precise_intr == component->precise_intr);
  CHECK(s->posix1b_timers == component->posix1b_timers);
  CHECK(s->kernel_profile == component->kernel_profile);
  CHECK(s->kernel_multiplex == 1 && s->data_address_range == 0 && s->instr_address_range == 0);
  CHECK(s->fast_counter_read == component->fast_counter_read);
  CHECK(s->fast_real_timer == component->fast_real_timer);
  CHECK(s->fast_virtual_timer == component->fast_virtual_timer);
  CHECK(s->attach == component->attach && s->attach_must_ptrace == component->attach_must_ptrace);
  CHECK(s->edge_detect >= s->invert || s->edge_detect == 0);
  CHECK(s->profile_ear == s->hardware_intr && s->grouped_cntrs == 0 && s->reserved_bits == 0);
}

int main(void) {
  const PAPI_substrate_info_t* sbinfo = NULL;

  CHECK(PAPI_get_substrate_info() == NULL);
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) exit(1);

  if ((sbinfo = PAPI_get_substrate_info()) == NULL) exit(1);

  printf("This substrate supports %d Preset Events and %d Native events.\n",
         sbinfo->num_preset_events, sbinfo->num_native_events);
  every_field(sbinfo);
  return 0;
}
