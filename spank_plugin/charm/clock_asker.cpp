#include "spank_plugin/charm/clock_asker.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "profiles/keeper/protocol/own_clocks.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::charm {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// Asks the keeper of the step.
class Kept final : public ClockAsker {
 public:
  explicit Kept(keeper::OwnClocks clocks) : clocks_(std::move(clocks)) {}

  bool ask(Hertz clock, Seconds lease) override {
    clocks_.ask(clock, lease);
    return clocks_.alive();
  }
  std::optional<Hertz> achieved() override {
    const std::uint64_t now = now_ns();
    const Hertz mean = clocks_.achieved(std::exchange(since_ns_, now), now);
    if (mean.value <= 0) return std::nullopt;
    return mean;
  }

 private:
  keeper::OwnClocks clocks_;
  std::uint64_t since_ns_ = now_ns();
};

}  // namespace

bool NoKeeper::ask(Hertz, Seconds) {
  if (const Say say = std::exchange(say_, nullptr))
    say("no keeper of clocks was found on this node: clocks stay as they are");
  return false;
}

std::unique_ptr<ClockAsker> make_clock_asker(Say say) {
  const char* socket = std::getenv(kKeeperVariable);  // NOLINT(concurrency-mt-unsafe): at the start
  if (socket == nullptr) return std::make_unique<NoKeeper>(std::move(say));
  try {
    return std::make_unique<Kept>(keeper::OwnClocks(socket, PuSet::of_this_thread()));
  } catch (const Error& failure) {
    if (say) say(failure.what());
    return std::make_unique<NoKeeper>(std::move(say));
  }
}

}  // namespace huddle::charm
