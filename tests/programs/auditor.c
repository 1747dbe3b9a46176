// An auditor of the loader (LD_AUDIT): counts what it is told and, as latrace does, looks
// at every symbol that is bound. At the end "audit OBJECTS BINDINGS" on stderr.
#include <link.h>
#include <stdio.h>

static unsigned long g_objects, g_bindings;

#define AUDIT_EXPORT __attribute__((visibility("default")))
AUDIT_EXPORT unsigned la_version(unsigned version) { return version; }
AUDIT_EXPORT unsigned la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
  (void)map;
  (void)space;
  (void)cookie;
  ++g_objects;
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
AUDIT_EXPORT uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned index, uintptr_t* from,
                                    uintptr_t* to, unsigned* flags, const char* name) {
  (void)index;
  (void)from;
  (void)to;
  (void)flags;
  (void)name;
  ++g_bindings;
  return symbol->st_value;
}
__attribute__((destructor)) static void Say(void) {
  fprintf(stderr, "audit %d %d\n", g_objects > 3, g_bindings > 0);
}
