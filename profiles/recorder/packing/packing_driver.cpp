#include "profiles/recorder/packing/packing_driver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "profiles/recorder/packing/packing_refusal.hpp"

namespace huddle::recorder {

std::unique_ptr<PackingDriver> PackingDriver::from(const Environment& environment, bool libgomp) {
  const bool shakes = text_of(environment, kShakeVariable) == "1";
  if (!shakes && text_of(environment, kThreadsVariable) != kPackedThreads) return nullptr;
  std::optional<std::uint64_t> seed;
  if (shakes) seed = static_cast<std::uint64_t>(::getpid());
  return std::unique_ptr<PackingDriver>(
      new PackingDriver(why_not_packed(environment, libgomp), seed));
}

PackingDriver::PackingDriver(std::string refusal, std::optional<std::uint64_t> seed)
    : refusal_(std::move(refusal)) {
  if (seed && refusal_.empty()) shake_.emplace(packing_.home().members(), *seed);
}

void PackingDriver::refuse(const std::string& why) {
  refusal_ = why;
  shake_.reset();
}

std::uint32_t PackingDriver::region_begins(std::uint32_t team, std::uint32_t level) noexcept {
  if (shake_ && level == 0 && packing_.is_leader() && packing_.ended() == TeamPacking::End::kNone) {
    try {
      packing_.pack(shake_->next(team));
      ++changes_;
    } catch (const std::exception&) {  // it stays as it is
    }
  }
  return packing_.begin_region(team, level);
}

std::string PackingDriver::note() const {
  const std::string why = refusal_.empty() ? TeamPacking::text_of(packing_.ended()) : refusal_;
  return why.empty() ? "" : fmt::format("Threads were not packed: {}.", why);
}

}  // namespace huddle::recorder
