#include "aggregator/waitstates/criticalpath/detail/look_back.hpp"

#include <algorithm>

#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

namespace huddle::waitstates {

LookBack::LookBack(const ActivityLog& log, std::size_t most_bytes) : log_(log) {
  // Most activities meet others once or twice.
  constexpr std::size_t kBytes =
      kPiece * (sizeof(PastActivity) + sizeof(std::uint32_t) + 2 * sizeof(PastMeeting));
  const std::uint64_t ranks = std::max(log.ranks(), 1U);
  slots_ = std::clamp<std::uint64_t>(most_bytes / kBytes / ranks, 1, kReach / kPiece + 1);
  pieces_.resize(slots_ * log.ranks());
}

const PastActivity& LookBack::at(std::uint32_t rank, std::uint64_t activity) {
  const Piece& piece = piece_of(rank, activity);
  return piece.activities[activity - piece.first];
}

std::span<const PastMeeting> LookBack::meetings_of(std::uint32_t rank, std::uint64_t activity) {
  const Piece& piece = piece_of(rank, activity);
  const std::uint32_t* const first = &piece.first_meeting[activity - piece.first];
  return std::span(piece.meetings).subspan(first[0], first[1] - first[0]);
}

LookBack::Piece& LookBack::piece_of(std::uint32_t rank, std::uint64_t activity) {
  const std::uint64_t number = (activity - log_.first_of(rank)) / kPiece;
  const std::uint64_t first = log_.first_of(rank) + number * kPiece;
  Piece& piece = pieces_[rank * slots_ + number % slots_];
  if (piece.first != first) fill(piece, rank, first);
  return piece;
}

void LookBack::fill(Piece& piece, std::uint32_t rank, std::uint64_t first) const {
  piece.first = first;
  piece.activities.clear();
  piece.first_meeting.assign(1, 0);
  piece.meetings.clear();
  const std::uint64_t end = std::min(first + kPiece, log_.first_of(rank + 1));
  for (std::uint64_t activity = first; activity < end; ++activity) {
    piece.activities.push_back(copied(rank, activity));
    for (const ActivityLink& link : log_.links_of(activity)) {
      if (link.kind == DependencyKind::kMessage || link.kind == DependencyKind::kReceiver)
        piece.meetings.push_back({link.on, link.which});
      else if (link.ends && log_.collectives()[link.on].kind == CollectiveInstance::Kind::kAll)
        piece.meetings.push_back({link.on, PastMeeting::kCollective});
    }
    piece.first_meeting.push_back(static_cast<std::uint32_t>(piece.meetings.size()));
    keep_mapped_files_small();
  }
}

PastActivity LookBack::copied(std::uint32_t rank, std::uint64_t activity) const {
  const Activity& it = log_[activity];
  const ActivityLog::Cause cause = log_.cause_of(activity);
  PastActivity past;
  past.enter = it.enter;
  past.leave = it.leave;
  past.computed = log_.computation_before(rank, activity);
  past.waited = it.leave - it.enter - log_.transfer_of(activity, cause.time);
  past.cause = cause.activity;
  past.before = it.before;
  past.call_path = it.call_path;
  return past;
}

}  // namespace huddle::waitstates
