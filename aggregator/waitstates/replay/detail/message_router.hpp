#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/detail/replay_message.hpp"
#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

/// Carries messages between the processes of a replay, many in a parcel, and detects when none of
/// them can go on: all are idle, and nothing is in flight (Safra's algorithm: a token goes round,
/// which idle processes pass on, and counts the parcels sent less those received).
class MessageRouter {
 public:
  using Deliver = std::function<void(const ReplayMessage&)>;

  /// `exchange` lives longer than this.
  MessageRouter(Exchange& exchange, Deliver deliver);

  /// Goes out with others in a parcel, at the latest when this process is idle.
  void send(std::uint32_t process, const ReplayMessage& message);

  /// Sends parcels that are not full, too.
  void flush();

  /// Delivers what has come; waits for something if `wait`. True if it is known now that all
  /// processes stand still.
  bool receive(bool wait);

  /// This process can't go on without messages. True if it is known now that all processes stand
  /// still.
  bool idle();

 private:
  struct Token {
    std::int64_t in_flight = 0;
    bool doubtful = false;
  };
  void deliver(const std::string& parcel);
  void pass(const Token& token);
  void send_parcel(std::uint32_t to, std::string&& parcel);

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
