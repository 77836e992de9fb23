#pragma once

// Greeting and reply by which a rank and the keeper of its step's clocks meet: packets of text on a
// Unix socket (SOCK_SEQPACKET). Described in docs/formats/keeper.md.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::keeper {

/// A rank's packet is never longer.
inline constexpr std::size_t kMostGreetingBytes = 4096;
/// Nor is the keeper's.
inline constexpr std::size_t kMostReplyBytes = std::size_t{128} << 10U;
/// The most steps of a clock; drivers with tables have a few tens.
inline constexpr std::size_t kMostClockSteps = 256;

/// A rank's greeting, which says who it is.
struct KeeperGreeting {
  /// Those that it runs on. Not empty.
  PuSet pus;

  friend bool operator==(const KeeperGreeting&, const KeeperGreeting&) = default;
};

/// Two lines. Longer than kMostGreetingBytes for PUs in very many pieces: a keeper refuses that.
std::string text_of(const KeeperGreeting& greeting);
/// Nothing if it is no such text. Bounded by the length of the text and PuSet::kLimit. Throws
/// std::bad_alloc only.
std::optional<KeeperGreeting> parse_keeper_greeting(std::string_view text);

/// A clock that a rank may ask for; its number in the page is its place in the reply.
struct OfferedClock {
  /// Those that share it. Not empty.
  PuSet pus;
  /// The envelope: the clock's upper limit is never outside of it, in kHz.
  std::uint32_t least_khz = 0;
  std::uint32_t most_khz = 0;
  /// Frequencies that the driver offers, in kHz, ascending; empty if it takes any.
  std::vector<std::uint32_t> steps_khz;

  friend bool operator==(const OfferedClock&, const OfferedClock&) = default;
};

/// The keeper's reply to a greeting.
struct KeeperReply {
  /// Why it does not serve this process, for people; empty if it does.
  std::string refusal;
  /// Without a refusal 1 to kMostClocks of them.
  std::vector<OfferedClock> clocks;

  friend bool operator==(const KeeperReply&, const KeeperReply&) = default;
};

/// Lines. May be longer than kMostReplyBytes: then it must not be sent.
std::string text_of(const KeeperReply& reply);
/// Reads that form. Throws FormatError if it is something else, down to the last byte.
KeeperReply parse_keeper_reply(std::string_view text);

}  // namespace huddle::keeper
