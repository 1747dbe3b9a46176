// A library with something in each part, for the tests of module bounds.
int plugin_data = 7;
int plugin_bss[5000];
int plugin_text(void) { return plugin_data + plugin_bss[17]; }
