/* Makes hettime's calls in hettime's order: measures a program through libmeasure's interface and prints
 * text, CSV (134 columns) and JSON. Linked against a libms_common.so that answers nothing, so that each
 * result must come from the preloaded library.
 *   hettime_like [-c|-g|-f|-m|-s MS[,N]] [-o TEXT] [-v CSV] [-j JSON] -e PROGRAM [-a "ARGS"] */
#include <ms_common_apapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct rate {
  int resource;
  unsigned ms, checks;
};

static struct rate rates[] = {
    {CPU, 100, 1}, {GPU, 100, 1}, {FPGA, 100, 1}, {MIC, 100, 1}, {SYSTEM, 100, 1}};
static const char *text_file, *csv_file, *json_file;
static char* words[64];
static double real, user, sys;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_options(int argc, char** argv) {
  static const char letters[] = "cgfms";
  int option;
  unsigned count = 1;
  while ((option = getopt(argc, argv, "+e:a:c:g:f:m:s:o:v:j:")) != -1) {
    const char* place = option == '?' ? NULL : strchr(letters, option);
    if (place) {
      struct rate* rate = &rates[place - letters];
      rate->ms = (unsigned)strtoul(optarg, NULL, 10);
      if (strchr(optarg, ',')) rate->checks = (unsigned)strtoul(strchr(optarg, ',') + 1, NULL, 10);
    } else if (option == 'e') {
      words[0] = optarg;
    } else if (option == 'a') {
      for (char* word = strtok(optarg, " "); word && count < 63; word = strtok(NULL, " ")) {
        words[count++] = word;
      }
    } else if (option == 'o') {
      text_file = optarg;
    } else if (option == 'v') {
      csv_file = optarg;
    } else if (option == 'j') {
      json_file = optarg;
    } else {
      exit(2);
    }
  }
  if (!words[0]) exit(2);
}

static void print_text(FILE* out, MS_LIST* m) {
  fprintf(out, "RESULTS:\n========\n%-24s[%5s]: %lf\n%-24s[%5s]: %lu\n", "time_total_exec_child", "s",
          real, "unix_timestamp", "s", (unsigned long)time(NULL));
#define SECTION(name) fprintf(out, "\n" #name ":\n");
#define VALUE(name, unit, format, value) fprintf(out, "%-24s[%5s]: " format "\n", name, unit, value);
#include "hettime_columns.def"
#undef SECTION
#undef VALUE
  fprintf(out, "\nTIME:\n%-24s[%5s]: %lf\n%-24s[%5s]: %lf\n%-24s[%5s]: %lf\n", "real", "s", real,
          "user", "s", user, "sys", "s", sys);
}

static void print_csv(FILE* out, MS_LIST* m) {
  fprintf(out, "time_total_exec_child;unix_timestamp;");
#define SECTION(name) fprintf(out, #name ";");
#define VALUE(name, unit, format, value) fprintf(out, "%s;", name);
#include "hettime_columns.def"
#undef SECTION
#undef VALUE
  fprintf(out, "TIME;real;user;sys;SETTINGS;sampling_rate_cpu;sampling_rate_gpu;sampling_rate_fpga;"
               "sampling_rate_mic;sampling_rate_system;\ns;s;");
#define SECTION(name) fprintf(out, ";");
#define VALUE(name, unit, format, value) fprintf(out, "%s;", unit);
#include "hettime_columns.def"
#undef VALUE
  fprintf(out, ";s;s;s;;ms;ms;ms;ms;ms;\n%lf;%lu;", real, (unsigned long)time(NULL));
#define VALUE(name, unit, format, value) fprintf(out, format ";", value);
#include "hettime_columns.def"
#undef SECTION
#undef VALUE
  fprintf(out, ";%lf;%lf;%lf;;", real, user, sys);
  for (int i = 0; i < 5; ++i) fprintf(out, "%u;", rates[i].ms);
  fprintf(out, "\n");
}

/* Each value is a leaf {"value", "unit"} of its section, by hettime's name of its column. */
static void print_json(FILE* out, MS_LIST* m) {
  const char* between = "";
  fprintf(out, "{\"config\":[{\"program\":\"%s\"}", words[0]);
  for (int i = 0; i < 5; ++i) {
    fprintf(out, ",{\"sampling_rate\":{\"value\":%u,\"unit\":\"ms\"}}", rates[i].ms);
  }
  fprintf(out, "],\"values\":[");
#define SECTION(name) \
  fprintf(out, "%s{\"section\":\"%s\"", between, #name), between = "},";
#define VALUE(name, unit_text, format, value) \
  fprintf(out, ",\"%s\":{\"value\":" format ",\"unit\":\"%s\"}", name, value, unit_text);
#include "hettime_columns.def"
#undef SECTION
#undef VALUE
  fprintf(out, "},{\"section\":\"TIME\",\"real\":{\"value\":%lf,\"unit\":\"s\"}}]}\n", real);
}

static void print_into(const char* path, MS_LIST* m, void (*print)(FILE*, MS_LIST*)) {
  FILE* out = fopen(path, "w");
  if (!out) exit(2);
  print(out, m);
  fclose(out);
}

static int run_program(MS_SYSTEM* ms) {
  int gate[2], status = 0;
  struct rusage used;
  if (pipe(gate) != 0) exit(2);
  const pid_t child = fork();
  if (child == 0) {
    char go;
    close(gate[1]);
    if (read(gate[0], &go, 1) != 1) _exit(1);
    execvp(words[0], words);
    _exit(1);
  }
  fprintf(stderr, ">>> 'hettime' parent PID: %d\n", (int)getpid());
  ms_start_measurement(ms);
  real = now();
  if (write(gate[1], "", 1) != 1) exit(2);
  wait4(child, &status, 0, &used);
  real = now() - real;
  user = (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6;
  sys = (double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec / 1e6;
  ms_stop_measurement(ms);
  ms_join_measurement(ms);
  ms_fini_measurement(ms);
  return status;
}

int main(int argc, char** argv) {
  MS_VERSION version = {0, 8, 0};
  read_options(argc, argv);
  MS_SYSTEM* ms = ms_init(&version, CPU_GOVERNOR_ONDEMAND, 0, 0, GPU_FREQUENCY_CUR,
                          IPMI_SET_TIMEOUT, SKIP_PERIODIC, VARIANT_FULL);
  if (!ms) {
    fprintf(stderr, "hettime_like: ms_init failed\n");
    return 1;
  }
  MS_LIST* m = ms_alloc_measurement(ms);
  for (int i = 0; i < 5; ++i) {
    const struct rate* rate = &rates[i];
    ms_set_timer(m, rate->resource, rate->ms / 1000, (uint64_t)(rate->ms % 1000) * 1000000,
                 rate->checks);
  }
  ms_init_measurement(ms, m, ALL);
  const int status = run_program(ms);
  if (csv_file) print_into(csv_file, m, print_csv);
  if (json_file) print_into(json_file, m, print_json);
  if (text_file) {
    print_into(text_file, m, print_text);
  } else {
    print_text(stdout, m);
  }
  ms_free_measurement(m);
  ms_fini(ms);
  return status == 0 ? 0 : 1;
}
