#include "spank_plugin/runtime/packing/own_threads.hpp"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::runtime {

namespace {

// As many PUs as Linux can be built for. A kernel of fewer takes and gives the lower bits.
constexpr std::size_t kPus = 8192;

class Mask {
 public:
  Mask() = default;
  explicit Mask(const PuSet& pus) {
    for (const std::uint32_t pu : pus.members())
      if (pu < kPus) CPU_SET_S(pu, sizeof bits_, set());
  }
  bool read_of(pid_t thread) noexcept {
    return sched_getaffinity(thread, sizeof bits_, set()) == 0;
  }
  void give_to(pid_t thread) const noexcept {
    static_cast<void>(sched_setaffinity(thread, sizeof bits_, set()));
  }
  friend bool operator==(const Mask&, const Mask&) = default;

 private:
  [[nodiscard]] cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(bits_.data()); }  // NOLINT
  [[nodiscard]] const cpu_set_t* set() const {
    return reinterpret_cast<const cpu_set_t*>(bits_.data());  // NOLINT: sized by the macros
  }
  std::array<unsigned long, kPus / (8 * sizeof(unsigned long))> bits_{};
};

std::vector<pid_t> threads() {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  std::vector<pid_t> list;
  const std::unique_ptr<DIR, Close> directory(::opendir("/proc/self/task"));
  if (!directory) throw SystemError("list", "this process's threads", errno);
  while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT: no other thread has it
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (failure == std::errc{} && end == name.data() + name.size()) list.push_back(thread);
  }
  return list;
}

// A thread that is made meanwhile inherits the mask of its maker, old or new: so lists are read
// until one has no new thread.
void return_all(const Mask& from, const Mask& to) {
  std::set<pid_t> seen;
  for (bool news = true; news;) {
    news = false;
    for (const pid_t thread : threads()) {
      if (!seen.insert(thread).second) continue;
      news = true;
      Mask now;
      if (now.read_of(thread) && now == from) to.give_to(thread);
    }
  }
}

}  // namespace

void return_threads(const PuSet& from, const PuSet& to) noexcept {
  try {
    return_all(Mask(from), Mask(to));
  } catch (...) {  // then they stay where they are
  }
}

}  // namespace huddle::runtime
