#include "aggregator/waitstates/replay/access_epochs.hpp"

namespace huddle {

std::uint32_t AccessEpochs::open(std::uint32_t window, std::uint32_t group) {
  const std::uint32_t index = epochs_.acquire();
  epochs_[index] = AccessEpoch{};
  epochs_[index].window = window;
  epochs_[index].group = group;
  current_[window] = index;
  return index;
}

std::uint32_t AccessEpochs::current(std::uint32_t window) const {
  const auto known = current_.find(window);
  return known == current_.end() ? kNoIndex : known->second;
}

// The lower rank of two that posted at the same time, so that the order of news does not matter.
void AccessEpochs::note(AccessEpoch& epoch, const Post& post) {
  const bool later =
      post.time > epoch.last_post || (post.time == epoch.last_post && post.rank < epoch.last_rank);
  if (!later) return;
  epoch.last_post = post.time;
  epoch.last_activity = post.activity;
  epoch.last_rank = post.rank;
}

bool AccessEpochs::await(std::uint32_t epoch, const std::vector<std::uint32_t>& targets) {
  AccessEpoch& waiting = epochs_[epoch];
  waiting.registered = true;
  for (const std::uint32_t target : targets) {
    Meeting& meeting = meetings_[{waiting.window, target}];
    if (meeting.posts.empty()) {
      meeting.epochs.push_back(epoch);
      ++waiting.missing;
    } else {
      note(waiting, meeting.posts[0]);
      meeting.posts.pop_front();
    }
  }
  return waiting.missing == 0;
}

std::uint32_t AccessEpochs::post(std::uint32_t window, const Post& post) {
  Meeting& meeting = meetings_[{window, post.rank}];
  if (meeting.epochs.empty()) {
    meeting.posts.push_back(post);
    return kNoIndex;
  }
  const std::uint32_t index = meeting.epochs[0];
  meeting.epochs.pop_front();
  note(epochs_[index], post);
  return --epochs_[index].missing == 0 ? index : kNoIndex;
}

}  // namespace huddle
