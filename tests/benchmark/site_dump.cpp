// A made-up site's accounting, as sacct --parsable2 prints it: site_dump JOBS [SEED]. The script
// study_speed times huddle study on it. Programs, users and sizes are drawn; a few programs have
// most of the jobs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace {

constexpr unsigned kPrograms = 5000;
constexpr unsigned kUsers = 2000;
constexpr unsigned kAccounts = 300;
constexpr unsigned kPartitions = 5;
constexpr unsigned kCpus = 96;

class Site {
 public:
  explicit Site(std::uint32_t seed) : random_(seed) {}

  void write(std::uint64_t jobs) {
    text_ =
        "JobID|Cluster|Partition|Account|User|JobName|State|Start|End|ElapsedRaw|NNodes|NTasks|"
        "AllocCPUS|ReqCPUS|TotalCPU|MaxRSS|AllocTRES\n";
    for (std::uint64_t job = 1; job <= jobs; ++job) {
      add_job(job);
      if (text_.size() > (1U << 20U)) flush();
    }
    flush();
  }

 private:
  std::uint32_t below(std::uint32_t end) {
    return static_cast<std::uint32_t>((std::uint64_t{random_()} * end) >> 32U);
  }
  // Small numbers are far more frequent.
  std::uint32_t skewed_below(std::uint32_t end) {
    const double share = below(1U << 30U) / std::ldexp(1.0, 30);
    return static_cast<std::uint32_t>(end * share * share * share);
  }
  std::string_view time(std::uint64_t second) {
    time_.clear();
    fmt::format_to(std::back_inserter(time_), "2026-{:02}-{:02}T{:02}:{:02}:{:02}",
                   1 + second / 2419200 % 12, 1 + second / 86400 % 28, second / 3600 % 24,
                   second / 60 % 60, second % 60);
    return time_;
  }

  void add_job(std::uint64_t job) {
    const std::uint32_t program = skewed_below(kPrograms);
    const std::uint32_t user = (program * 7 + below(3)) % kUsers;
    const std::uint32_t nodes = below(10) < 6 ? 1 : 1U << (1 + skewed_below(8));
    const std::uint32_t per_node = 1U << below(7);
    const std::uint32_t tasks = nodes * per_node;
    const std::uint32_t elapsed = 60 + skewed_below(86400);
    const std::uint64_t start = job / 2;
    const std::string_view state = below(20) == 0 ? "FAILED" : "COMPLETED";
    const std::uint32_t cpus = below(10) == 0 ? per_node * nodes : kCpus * nodes;
    const std::uint32_t partition = program % kPartitions;
    const std::uint32_t account = user % kAccounts;
    const auto out = std::back_inserter(text_);
    const std::string begin(time(start));
    const std::string_view end = time(start + elapsed);
    const auto row = [&](std::string_view step, std::string_view user_cells, std::uint32_t of_nodes,
                         std::string_view of_tasks) {
      fmt::format_to(out, "{}{}|site|{}|{}|{}|{}|{}|{}|{}|", job, step, user_cells, state, begin,
                     end, elapsed, of_nodes, of_tasks);
    };
    cells_.clear();
    fmt::format_to(std::back_inserter(cells_), "part{}|acc{}|user{}|run_{}", partition, account,
                   user, job);
    row("", cells_, nodes, "");
    fmt::format_to(out, "{}|{}|12:00:00||billing={},cpu={},mem={}G,node={}\n", cpus, tasks, cpus,
                   cpus, 180 * nodes, nodes);
    cells_.clear();
    fmt::format_to(std::back_inserter(cells_), "|acc{}||batch", account);
    row(".batch", cells_, 1, "1");
    fmt::format_to(out, "{}|{}|00:01.250|{}K|cpu={}\n", kCpus, kCpus, 2000 + below(2000), kCpus);
    cells_.clear();
    fmt::format_to(std::back_inserter(cells_), "|acc{}||program_{}", account, program);
    row(".0", cells_, nodes, fmt::to_string(tasks));
    const std::uint64_t busy = std::uint64_t{elapsed} * tasks * 9 / 10;
    fmt::format_to(out, "{}|{}|{}-{:02}:{:02}:{:02}|{}K|cpu={}\n", cpus, tasks, busy / 86400,
                   busy / 3600 % 24, busy / 60 % 60, busy % 60,
                   (std::uint64_t{1} << (13 + program % 11)) * (90 + below(20)) / 100, cpus);
  }
  void flush() {
    if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size()) std::exit(1);
    text_.clear();
  }

  std::mt19937 random_;
  std::string text_;
  std::string time_;
  std::string cells_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t jobs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (jobs == 0) {
    std::fputs("usage: site_dump JOBS [SEED]\n", stderr);
    return 2;
  }
  Site(argc > 2 ? static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 1).write(jobs);
  return 0;
}
