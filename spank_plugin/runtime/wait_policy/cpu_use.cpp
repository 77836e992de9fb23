#include "spank_plugin/runtime/wait_policy/cpu_use.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <climits>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace huddle::runtime {
namespace {

/// The begin of a file, as much as the files that are read here have; empty if there is none.
class ShortFile {
 public:
  ShortFile(std::initializer_list<std::string_view> path) {
    std::array<char, PATH_MAX> name{};
    std::size_t size = 0;
    for (const std::string_view part : path) {
      if (size + part.size() >= name.size()) return;
      size += part.copy(name.data() + size, part.size());
    }
    const int file = ::open(name.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t count = ::read(file, text_.data(), text_.size());
    if (count > 0) size_ = static_cast<std::size_t>(count);
    ::close(file);
  }
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 4096> text_{};
  std::size_t size_ = 0;
};

/// Takes words off a text, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next(std::string_view ends = " \t\n") {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(ends), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(word.size());
    return word;
  }
  template <class Number>
  std::optional<Number> number() {
    const std::string_view word = next();
    Number value{};
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return value;
  }

 private:
  std::string_view rest_;
};

std::uint32_t limited(std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(value, kMost));
}

// "2.5" and the like, in hundredths; nothing if it is no such number.
std::optional<std::uint32_t> hundredths(std::string_view word) {
  std::uint64_t value = 0;
  int behind = -1;  // digits behind the point
  for (const char digit : word) {
    if (digit == '.' && behind < 0) {
      behind = 0;
      continue;
    }
    if (digit < '0' || digit > '9' || value > UINT32_MAX) return std::nullopt;
    if (behind == 2) continue;
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    if (behind >= 0) ++behind;
  }
  if (word.empty()) return std::nullopt;
  for (behind = std::max(behind, 0); behind < 2; ++behind) value *= 10;
  return limited(value);
}

// The number of CPUs in a list such as "0-3,8".
std::uint32_t members(std::string_view list) {
  std::uint32_t count = 0;
  Words ranges(list);
  for (std::string_view range = ranges.next(",\n"); !range.empty(); range = ranges.next(",\n")) {
    std::uint32_t first = 0;
    const char* const end = range.data() + range.size();
    auto [at, failure] = std::from_chars(range.data(), end, first);
    std::uint32_t last = first;
    if (failure == std::errc{} && at != end && *at == '-')
      failure = std::from_chars(at + 1, end, last).ec;
    if (failure != std::errc{} || last < first || last > 0xffff) return 0;
    count += last - first + 1;
  }
  return count;
}

// In thousandths. The columns of /proc/stat: proc(5).
std::optional<std::uint32_t> stolen_part(std::string_view stat) {
  constexpr int kSteal = 7;
  Words words(stat.substr(0, stat.find('\n')));
  if (words.next() != "cpu") return std::nullopt;
  std::uint64_t all = 0;
  std::uint64_t steal = 0;
  for (int column = 0; column <= kSteal; ++column) {
    const auto ticks = words.number<std::uint64_t>();
    if (!ticks || *ticks > UINT64_MAX / 1000 - all) return std::nullopt;
    all += *ticks;
    steal = *ticks;
  }
  if (all == 0) return std::nullopt;
  return limited(steal * 1000 / all);
}

void read_load(const char* root, CpuUse& use) {
  const ShortFile online{root, "/sys/devices/system/cpu/online"};
  const ShortFile loads{root, "/proc/loadavg"};
  const ShortFile stat{root, "/proc/stat"};
  Words words(loads.text());
  const auto load_1 = hundredths(words.next());
  const auto load_5 = hundredths(words.next());
  words.next();
  const auto running = hundredths(words.next(" /"));
  const auto stolen = stolen_part(stat.text());
  if (!load_1 || !load_5 || !running || !stolen) return;
  use.online = 100 * members(online.text());
  use.load_1 = *load_1;
  use.load_5 = *load_5;
  use.running = *running - std::min(*running, 100U);
  use.stolen = *stolen;
}

// In hundredths of CPUs; 0: no limit.
std::uint32_t share(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  if (!quota || !period || *period == 0 || *quota > UINT64_MAX / 100) return 0;
  return limited(std::max<std::uint64_t>(*quota * 100 / *period, 1));
}

void keep_least(std::uint32_t quota, CpuUse& use) {
  if (quota > 0 && (use.quota == 0 || quota < use.quota)) use.quota = quota;
}

// The limits of a group, and of all groups around it.
template <class Limit>
void read_limits(std::string_view group, const Limit& limit) {
  while (group.ends_with('/')) group.remove_suffix(1);
  for (; !group.empty(); group = group.substr(0, group.rfind('/'))) limit(group);
  limit(group);
}

bool has_cpu(std::string_view controllers) {
  Words words(controllers);
  std::string_view word = words.next(",");
  while (!word.empty() && word != "cpu") word = words.next(",");
  return word == "cpu";
}

// The lines of /proc/self/cgroup are NUMBER:CONTROLLERS:GROUP, with no controllers in version 2.
void read_quota(const char* root, CpuUse& use) {
  const ShortFile groups{root, "/proc/self/cgroup"};
  Words lines(groups.text());
  for (std::string_view line = lines.next("\n"); !line.empty(); line = lines.next("\n")) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty())
      read_limits(group, [&](std::string_view at) {
        const ShortFile file{root, "/sys/fs/cgroup", at, "/cpu.max"};
        Words words(file.text());
        const auto quota = words.number<std::uint64_t>();
        keep_least(share(quota, words.number<std::uint64_t>()), use);
      });
    else if (has_cpu(controllers))
      read_limits(group, [&](std::string_view at) {
        const ShortFile quota{root, "/sys/fs/cgroup/", controllers, at, "/cpu.cfs_quota_us"};
        const ShortFile period{root, "/sys/fs/cgroup/", controllers, at, "/cpu.cfs_period_us"};
        keep_least(share(Words(quota.text()).number<std::uint64_t>(),
                         Words(period.text()).number<std::uint64_t>()),
                   use);
      });
  }
}

}  // namespace

CpuUse cpu_use(const char* root) {
  CpuUse use;
  read_load(root, use);
  read_quota(root, use);
  return use;
}

}  // namespace huddle::runtime
