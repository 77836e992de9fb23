// Accounts of what a run did, which can be held against each other number by number.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "profiles/formats/profile/profile.hpp"

/// Messages, or calls of a collective, and the bytes in all of them.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  Traffic& operator+=(const Traffic& more);
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Traffic by what it is, in words: "sent from 0 to 1", "allreduce by 0 of 0-3". The words of all
/// accounts are those of the functions below. Entries without messages are left out.
using Account = std::map<std::string, Traffic>;

/// The detail of an account: whether messages of different size classes are distinguished.
enum class Detail { kTotals, kSizeClasses };

/// One row of the rank x rank matrices: `kind` is "sent", "neighbours", "put" or "fetched".
std::string matrix_words(const std::string& kind, std::uint32_t rank, std::uint32_t peer,
                         Detail detail, unsigned size_class);

/// `members` is "world", or those of another communicator: a list of world ranks, and behind '|'
/// the other group of an intercommunicator.
std::string collective_words(const std::string& operation, std::uint32_t rank,
                             const std::string& members, Detail detail, unsigned size_class);

/// Lists as RankSet writes them, from lists in any of its forms. Throws Error.
std::string canonical_members(const std::string& members, std::uint32_t ranks);

/// The point-to-point messages of a profile.
Account messages_of(const huddle::Profile& profile, Detail detail);
/// The traffic of one-sided calls and neighbourhood collectives.
Account other_traffic_of(const huddle::Profile& profile, Detail detail);
/// Throws Error if the profile names a communicator that it does not describe.
Account collectives_of(const huddle::Profile& profile, Detail detail);

/// Says where a profile contradicts itself: collectives that were called more or less often than
/// the table of all calls says. Returns the number of contradictions.
int report_contradictions(const huddle::Profile& profile);

/// Prints each difference and a last line of sums. Returns 0 if there is no difference, else 1.
int compare(const Account& found, const Account& expected);
