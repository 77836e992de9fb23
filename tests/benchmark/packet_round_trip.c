/* Round trips of packets over a Unix socket.
 *
 *   packet_round_trip echo SOCKET               answers one client's packets with themselves
 *   packet_round_trip ask SOCKET COUNT WORDS    sends a request of huddle-energyd's COUNT times; prints the median and the 99th
 *                                               percentile of its round trips in microseconds
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static char packet[1 << 18];

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int echo(int listening) {
  const int client = accept(listening, NULL, NULL);
  for (ssize_t size; (size = recv(client, packet, sizeof packet, 0)) > 0;)
    if (send(client, packet, (size_t)size, 0) < 0) return 1;
  return 0;
}

static int ask(int server, int count, const char *words) {
  char request[256];
  const int size = snprintf(request, sizeof request, "huddle-energyd 1\n%s\n", words);
  double *times = calloc((size_t)count, sizeof *times);
  for (int i = 0; i < count; ++i) {
    const double begin = microseconds();
    if (send(server, request, (size_t)size, 0) < 0 || recv(server, packet, sizeof packet, 0) <= 0) return 1;
    times[i] = microseconds() - begin;
  }
  qsort(times, (size_t)count, sizeof *times, ascending);
  printf("%.1f %.1f\n", times[count / 2], times[count * 99 / 100]);
  return 0;
}

int main(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int end = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (argc < 3) return 2;
  strncpy(address.sun_path, argv[2], sizeof address.sun_path - 1);
  if (strcmp(argv[1], "echo") == 0)
    return bind(end, (struct sockaddr *)&address, sizeof address) || listen(end, 1) ? 1 : echo(end);
  if (argc != 5 || connect(end, (struct sockaddr *)&address, sizeof address) != 0) return 1;
  return ask(end, atoi(argv[3]), argv[4]);
}
