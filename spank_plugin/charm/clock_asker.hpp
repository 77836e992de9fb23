#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::charm {

/// The way for a PE to ask for its clock. Only root sets clocks; a process of the node does it for
/// those who ask, the keeper. One thread: that of the PE.
class ClockAsker {
 public:
  ClockAsker() = default;
  ClockAsker(const ClockAsker&) = delete;
  ClockAsker& operator=(const ClockAsker&) = delete;
  virtual ~ClockAsker() = default;

  /// For the CPUs that the calling thread may run on: one, if it is bound. After `lease` without
  /// another call of ask() the clock is to be at the top again; 0: never by itself. Neither waits
  /// nor throws. Returns whether the clock will be had, as far as that is known.
  virtual bool ask(Hertz clock, Seconds lease) = 0;
  /// Returns the average clock of those CPUs since the last call, or since there is a keeper;
  /// nothing if that is not known. Then it is taken to be what was asked for and granted.
  virtual std::optional<Hertz> achieved() { return std::nullopt; }
};

/// Prints one line, which comes without its end.
using Say = std::function<void(std::string_view line)>;

/// Where there is no keeper: says so once, when a clock is asked for first, and does nothing.
class NoKeeper : public ClockAsker {
 public:
  explicit NoKeeper(Say say) : say_(std::move(say)) {}
  bool ask(Hertz clock, Seconds lease) override;

 private:
  Say say_;
};

/// Returns the asker for this node: the keeper that HUDDLE_KEEPER names, if it serves this process,
/// for the PUs that the calling thread may run on; else no keeper, with a line that says why if one
/// was named.
std::unique_ptr<ClockAsker> make_clock_asker(Say say);

}  // namespace huddle::charm
