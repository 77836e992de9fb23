#pragma once

#include <cstdint>
#include <string_view>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::imports {

/// A complete profile of `ranks` ranks in which nobody sent anything: all times are 0 and the
/// nodes' names empty, and `notes` say that these are not known. `source` continues "imported
/// from", such as "a CSV matrix". Precondition: 1 to 2^31 ranks.
Profile blank_profile(std::uint32_t ranks, std::string_view source);

/// `messages` messages of `bytes` bytes together, booked under the size class of their mean size.
/// Precondition: at least one message.
SentMessages messages_of_mean_size(Rank receiver, std::uint64_t messages, Bytes bytes);

inline constexpr std::string_view kMeanSizeNote =
    "The sizes of single messages are not known: all messages of a pair count as of their mean "
    "size.";
inline constexpr std::string_view kOneMessageNote =
    "The numbers of messages are not known: what one rank sent to another counts as one message.";

}  // namespace huddle::imports
