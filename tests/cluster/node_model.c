/* A node whose meters follow what runs on it: two packages of four PUs, whose clocks are the files of fake_cpufreq.
 *
 *   node_model run MODEL CPUFREQ     plays the hardware until it is killed: keeps MODEL/sys/class/powercap (a counter of each
 *                                    package that begins again every 200 J), MODEL/sys/class/hwmon (power of the whole board,
 *                                    no energy) and CPUFREQ/policyN/scaling_cur_freq (up to 50 ms behind) up to date, and
 *                                    MODEL/proc/stat, and MODEL/truth: its time, and the joules of each package and of the
 *                                    board since it began
 *   node_model work MODEL CPUFREQ S  a program: S seconds of computation at the highest clock, on the PU that it is bound to,
 *                                    take S x highest / present clock of CPU time, and the energy that goes with them.
 *                                    Prints the PU and the joules
 *
 * A package draws 8 W, and a PU that computes at a share x of the highest clock 1 + 4 x^3 W more.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kPackages = 2, kPusOfPackage = 4, kPus = kPackages * kPusOfPackage };
static const double kIdleWatts = 8, kHighestKhz = 2400000, kRangeJoules = 200, kBoardWatts = 15;
static const char *model, *cpufreq;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The PUs' computing since the model began, in joules and behind them in seconds; the programs add
 * to it. */
static volatile double *computed_joules(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/computed", model);
  const int file = open(path, O_RDWR | O_CREAT, 0666);
  if (file < 0 || ftruncate(file, 2 * kPus * sizeof(double)) != 0) exit((perror(path), 1));
  fchmod(file, 0666);
  void *memory = mmap(NULL, 2 * kPus * sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) exit((perror(path), 1));
  close(file);
  return memory;
}

/* Renamed into place: nobody reads half a number. */
static void put(const char *path, const char *text) {
  char fresh[4096];
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE *file = fopen(fresh, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0 || rename(fresh, path) != 0) exit((perror(path), 1));
}

static void put_number(const char *folder, const char *name, double number) {
  char path[4096], text[64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(text, sizeof text, "%.0f\n", number);
  put(path, text);
}

static double khz_of(int pu, const char *name) {
  char path[4096];
  double khz = kHighestKhz;
  snprintf(path, sizeof path, "%s/policy%d/%s", cpufreq, pu, name);
  FILE *file = fopen(path, "r");
  if (file == NULL) return khz;
  if (fscanf(file, "%lf", &khz) != 1 || khz <= 0) khz = kHighestKhz;
  fclose(file);
  return khz;
}

static void show_meters(double elapsed, volatile double *computed, double *last, double *last_time) {
  char folder[4096], text[256];
  double of_package[kPackages], board = kBoardWatts * elapsed;
  for (int package = 0; package < kPackages; ++package) {
    of_package[package] = kIdleWatts * elapsed;
    for (int i = 0; i < kPusOfPackage; ++i) of_package[package] += computed[package * kPusOfPackage + i];
    board += of_package[package];
    /* It begins high, to begin anew soon. */
    double count = 150 + of_package[package];
    count -= kRangeJoules * (double)(long)(count / kRangeJoules);
    snprintf(folder, sizeof folder, "%s/sys/class/powercap/intel-rapl:%d", model, package);
    put_number(folder, "energy_uj", count * 1e6);
  }
  snprintf(folder, sizeof folder, "%s/sys/class/hwmon/hwmon0", model);
  /* As sensors do, a mean: of the last 0.2 s or so. */
  static double power = 0;
  power += ((board - *last) / (elapsed - *last_time) - power) * (elapsed - *last_time) / (0.2 + elapsed - *last_time);
  put_number(folder, "power1_input", power * 1e6);
  *last = board;
  *last_time = elapsed;
  snprintf(folder, sizeof folder, "%s/truth", model);
  snprintf(text, sizeof text, "%.6f %.6f %.6f %.6f\n", elapsed, of_package[0], of_package[1], board);
  put(folder, text);
}

/* In ticks, as the kernel has it. */
static void show_busy_time(double elapsed, volatile double *seconds_busy) {
  char path[4096], text[4096] = "";
  for (int pu = 0; pu < kPus; ++pu) {
    const double busy = seconds_busy[pu] < elapsed ? seconds_busy[pu] : elapsed;
    const size_t end = strlen(text);
    snprintf(text + end, sizeof text - end, "cpu%d %.0f 0 0 %.0f 0 0 0 0 0 0\n", pu, 100 * busy, 100 * (elapsed - busy));
  }
  snprintf(path, sizeof path, "%s/proc/stat", model);
  put(path, text);
}

static void show_clocks(void) {
  for (int pu = 0; pu < kPus; ++pu) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/policy%d", cpufreq, pu);
    put_number(folder, "scaling_cur_freq", khz_of(pu, "scaling_max_freq"));
  }
}

static int run(void) {
  volatile double *computed = computed_joules();
  const double begin = seconds(CLOCK_BOOTTIME);
  double board = 0, board_time = 0;
  /* The clocks may be on a disk, for which the meters must not wait. */
  if (fork() == 0)
    for (;; usleep(50000)) show_clocks();
  for (;;) {
    usleep(10000);
    const double elapsed = seconds(CLOCK_BOOTTIME) - begin;
    show_meters(elapsed, computed, &board, &board_time);
    show_busy_time(elapsed, computed + kPus);
  }
}

static int work(double left) {
  cpu_set_t set;
  int pu = 0;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    while (pu + 1 < kPus && !CPU_ISSET(pu, &set)) ++pu;
  volatile double *computed = computed_joules();
  double joules = 0, before = seconds(CLOCK_PROCESS_CPUTIME_ID);
  while (left > 0) {
    const double share = khz_of(pu, "scaling_max_freq") / kHighestKhz;
    double now = before;
    while (now - before < 2e-3 && (now - before) * share < left) now = seconds(CLOCK_PROCESS_CPUTIME_ID);
    left -= (now - before) * share;
    const double more = (now - before) * (1 + 4 * share * share * share);
    computed[pu] += more;
    computed[kPus + pu] += now - before;
    joules += more;
    before = now;
  }
  printf("%d %.6f\n", pu, joules);
  return 0;
}

int main(int argc, char **argv) {
  if (argc >= 4) {
    model = argv[2];
    cpufreq = argv[3];
    if (argc == 4 && strcmp(argv[1], "run") == 0) return run();
    if (argc == 5 && strcmp(argv[1], "work") == 0) return work(atof(argv[4]));
  }
  fputs("usage: node_model run MODEL CPUFREQ | work MODEL CPUFREQ SECONDS\n", stderr);
  return 2;
}
