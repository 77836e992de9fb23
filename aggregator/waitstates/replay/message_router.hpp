#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/exchange.hpp"
#include "aggregator/waitstates/replay/replay_message.hpp"

namespace huddle {

/// Carries notices between the processes of a replay, many in a parcel, and finds out when none of
/// them can go on any more: nobody has anything to do, and nothing is on its way (Safra's
/// algorithm: a token goes round; it is passed on by who is idle, and counts what was sent and
/// received).
class MessageRouter {
 public:
  using Deliver = std::function<void(const ReplayMessage&)>;

  /// `exchange` lives longer than this.
  MessageRouter(Exchange& exchange, Deliver deliver);

  /// Leaves with others in a parcel, at the latest when this process is idle.
  void tell(std::uint32_t process, const ReplayMessage& notice);

  /// Parcels that are not full leave, too.
  void flush();

  /// Delivers what has come; waits for something if `wait`. True if it is known now that all
  /// processes stand still.
  bool receive(bool wait);

  /// This process can't go on without news. True if it is known now that all processes stand still.
  bool idle();

 private:
  struct Token {
    std::int64_t on_their_way = 0;
    bool doubtful = false;
  };
  void deliver(const std::string& parcel);
  void pass(const Token& token);
  void send(std::uint32_t to, std::string&& parcel);

  Exchange& exchange_;
  Deliver deliver_;
  std::vector<std::string> parcels_;  // to each process, being filled
  Token token_;
  bool has_token_ = false;
  bool token_went_round_ = false;
  bool received_ = false;  // since the token was here
  std::int64_t sent_ = 0;  // parcels, less those received
};

}  // namespace huddle
