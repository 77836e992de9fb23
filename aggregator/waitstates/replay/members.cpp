#include "aggregator/waitstates/replay/members.hpp"

namespace huddle {

bool Members::defined(std::uint32_t subject) const {
  if ((subject & kWindowSubject) == 0) return subject < definitions_.communicators.size();
  const std::uint32_t window = subject & ~kWindowSubject;
  return window < definitions_.windows.size() &&
         definitions_.windows[window].communicator < definitions_.communicators.size();
}

const TraceCommunicator& Members::communicator(std::uint32_t subject) const {
  if ((subject & kWindowSubject) == 0) return definitions_.communicators[subject];
  return definitions_.communicators[definitions_.windows[subject & ~kWindowSubject].communicator];
}

std::uint32_t Members::count(std::uint32_t subject) const {
  const TraceCommunicator& all = communicator(subject);
  return static_cast<std::uint32_t>(all.ranks.size() + all.remote.size());
}

std::uint32_t Members::first_side(std::uint32_t subject) const {
  return static_cast<std::uint32_t>(communicator(subject).ranks.size());
}

std::uint32_t Members::rank(std::uint32_t subject, std::uint32_t place) const {
  const TraceCommunicator& all = communicator(subject);
  return place < all.ranks.size() ? all.ranks[place] : all.remote[place - all.ranks.size()];
}

std::uint32_t Members::place(std::uint32_t subject, std::uint32_t rank) {
  std::uint32_t& known = places_[{subject, rank}];
  if (known == 0) {
    known = 1;
    const std::uint32_t members = count(subject);
    for (std::uint32_t place = 0; place < members && known == 1; ++place)
      if (this->rank(subject, place) == rank) known = place + 2;
  }
  return known == 1 ? kNobody : known - 2;
}

}  // namespace huddle
