#include "aggregator/planning/detail/store/plan_lock.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <thread>

#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {

std::filesystem::path PlanLock::file_for(const std::filesystem::path& plan) {
  return plan.parent_path() / fmt::format(".making-{}", plan.stem().string());
}

PlanLock::PlanLock(const std::filesystem::path& plan)
    : file_(file_for(plan)), descriptor_(files::open_own_file(file_)) {
  held_ = ::flock(descriptor_.number(), LOCK_EX | LOCK_NB) == 0;
  if (!held_) return;
  std::array<char, 16> text{};
  const ssize_t size = ::pread(descriptor_.number(), text.data(), text.size(), 0);
  if (size > 0) std::from_chars(text.data(), text.data() + size, attempts_);
}

void PlanLock::begin() {
  const std::string text = fmt::format("{}\n", ++attempts_);
  if (::pwrite(descriptor_.number(), text.data(), text.size(), 0) !=
      static_cast<ssize_t>(text.size()))
    throw SystemError("write", file_.string(), errno);
}

void PlanLock::done() {
  ::unlink(file_.c_str());
  attempts_ = 0;
}

PlannerLock::PlannerLock(const std::filesystem::path& part,
                         std::chrono::steady_clock::time_point deadline)
    : descriptor_(files::open_own_file(part / ".planner")) {
  constexpr std::chrono::milliseconds kPause{20};
  while (!(held_ = ::flock(descriptor_.number(), LOCK_EX | LOCK_NB) == 0) &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(kPause);
}

}  // namespace huddle::planning
