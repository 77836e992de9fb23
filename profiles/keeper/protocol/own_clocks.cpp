#include "profiles/keeper/protocol/own_clocks.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::keeper {

OwnClocks::OwnClocks(const std::filesystem::path& socket, const PuSet& own,
                     std::chrono::milliseconds patience)
    : client_(KeeperClient::connect(socket, own, patience)),
      before_(client_.clocks().size()),
      last_(client_.clocks().size()) {}

std::vector<Hertz> OwnClocks::steps() const {
  std::uint32_t least = 0;
  std::uint32_t most = client_.clocks().front().most_khz;
  for (const OfferedClock& clock : client_.clocks()) {
    least = std::max(least, clock.least_khz);
    most = std::min(most, clock.most_khz);
  }
  least = std::min(least, most);
  std::vector<Hertz> steps = {{least * 1e3}, {most * 1e3}};
  const std::vector<std::uint32_t>& known = client_.clocks().front().steps_khz;
  for (const std::uint32_t khz : known)
    if (khz > least && khz < most) steps.push_back({khz * 1e3});
  // Any frequency will do: as many as tables have.
  constexpr std::uint32_t kSteps = 16;
  for (std::uint32_t step = 1; known.empty() && step < kSteps; ++step)
    steps.push_back({(least + (most - least) * (step / double{kSteps})) * 1e3});
  return steps;
}

PuSet OwnClocks::pus_of_clock() const {
  return client_.clocks().size() == 1 ? client_.clocks().front().pus : PuSet();
}

void OwnClocks::ask(Hertz clock, Seconds lease) noexcept {
  const auto khz = static_cast<std::uint32_t>(std::lround(clock.value / 1e3));
  const std::chrono::nanoseconds until(static_cast<std::int64_t>(lease.value * 1e9));
  for (std::size_t i = 0; i < client_.clocks().size(); ++i) client_.ask(i, khz, until);
}

Hertz OwnClocks::achieved(std::uint64_t begin_ns, std::uint64_t now_ns) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const ClockAnswer answer = client_.answer(i);
    const double khz = answer.achieved_khz > 0 ? answer.achieved_khz : answer.written_khz;
    if (answer.changed_at_ns != last_[i].changed_at_ns) {
      before_[i] = last_[i];
      last_[i].changed_at_ns = answer.changed_at_ns;
    }
    last_[i].khz = khz;
    // A change in this period: before it, the clock was what it had been.
    const std::uint64_t changed = std::clamp(answer.changed_at_ns, begin_ns, now_ns);
    const double share = now_ns > begin_ns ? static_cast<double>(changed - begin_ns) /
                                                 static_cast<double>(now_ns - begin_ns)
                                           : 0;
    const double earlier = before_[i].khz > 0 ? before_[i].khz : khz;
    sum += share * earlier + (1 - share) * khz;
  }
  return {sum / static_cast<double>(last_.size()) * 1e3};
}

}  // namespace huddle::keeper
