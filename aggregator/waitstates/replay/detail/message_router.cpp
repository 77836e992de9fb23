#include "aggregator/waitstates/replay/detail/message_router.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

namespace huddle {
namespace {

// A parcel's first byte.
constexpr char kMessages = 'm';
constexpr char kToken = 't';
constexpr char kStandstill = 's';

constexpr std::size_t kFull = 32768;  // bytes

// As it is in memory: the processes are of one program, on machines of one kind.
template <class Plain>
void append(std::string& parcel, const Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  const std::size_t at = parcel.size();
  parcel.resize(at + sizeof value);
  std::memcpy(parcel.data() + at, &value, sizeof value);
}

}  // namespace

MessageRouter::MessageRouter(Exchange& exchange, Deliver deliver)
    : exchange_(exchange),
      deliver_(std::move(deliver)),
      parcels_(exchange.processes()),
      has_token_(exchange.process() == 0) {}

void MessageRouter::send(std::uint32_t process, const ReplayMessage& message) {
  std::string& parcel = parcels_[process];
  if (parcel.empty()) {
    parcel.reserve(kFull + sizeof message + 1);
    parcel.assign(1, kMessages);
  }
  append(parcel, message);
  if (parcel.size() >= kFull) send_parcel(process, std::exchange(parcel, {}));
}

void MessageRouter::send_parcel(std::uint32_t to, std::string&& parcel) {
  ++sent_;
  exchange_.send(to, std::move(parcel));
}

void MessageRouter::flush() {
  for (std::uint32_t process = 0; process < parcels_.size(); ++process)
    if (!parcels_[process].empty()) send_parcel(process, std::exchange(parcels_[process], {}));
}

void MessageRouter::deliver(const std::string& parcel) {
  ReplayMessage message;
  for (std::size_t at = 1; at + sizeof message <= parcel.size(); at += sizeof message) {
    std::memcpy(&message, parcel.data() + at, sizeof message);
    deliver_(message);
  }
}

bool MessageRouter::receive(bool wait) {
  if (parcels_.size() == 1) return false;
  bool standstill = false;
  for (const Exchange::Parcel& parcel : exchange_.receive(wait)) {
    switch (parcel.bytes.empty() ? kMessages : parcel.bytes[0]) {
      case kToken:
        std::memcpy(&token_, parcel.bytes.data() + 1, sizeof token_);
        has_token_ = true;
        break;
      case kStandstill:
        standstill = true;
        break;
      default:
        --sent_;
        received_ = true;
        deliver(parcel.bytes);
        break;
    }
  }
  return standstill;
}

void MessageRouter::pass(const Token& token) {
  std::string parcel(1, kToken);
  append(parcel, token);
  has_token_ = false;
  received_ = false;
  exchange_.send((exchange_.process() + 1) % exchange_.processes(), std::move(parcel));
}

bool MessageRouter::idle() {
  if (parcels_.size() == 1) return true;
  flush();
  if (!has_token_) return false;
  if (exchange_.process() != 0) {
    pass({token_.in_flight + sent_, token_.doubtful || received_});
    return false;
  }
  const bool still =
      token_went_round_ && !token_.doubtful && !received_ && token_.in_flight + sent_ == 0;
  token_went_round_ = !still;
  if (!still) {
    pass({});
    return false;
  }
  for (std::uint32_t process = 1; process < exchange_.processes(); ++process)
    exchange_.send(process, std::string(1, kStandstill));
  return true;
}

}  // namespace huddle
