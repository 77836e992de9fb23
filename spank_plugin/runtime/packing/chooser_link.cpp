#include "spank_plugin/runtime/packing/chooser_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "profiles/chooser/protocol/chooser_protocol.hpp"

namespace huddle::runtime {
namespace {

// Numbers are used again: only by its inode is a descriptor the one that was meant.
bool is_socket_with(int descriptor, std::uint64_t inode) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode;
}

bool may_come_later() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

std::unique_ptr<ChooserLink> ChooserLink::from(const Environment& environment) {
  const std::string_view text = text_of(environment, kChooserVariable);
  const char* const end = text.data() + text.size();
  int descriptor = -1;
  std::uint64_t inode = 0;
  const auto [colon, no_descriptor] = std::from_chars(text.data(), end, descriptor);
  if (no_descriptor != std::errc() || colon == end || *colon != ':' || descriptor < 0)
    return nullptr;
  const auto [rest, no_inode] = std::from_chars(colon + 1, end, inode);
  if (no_inode != std::errc() || rest != end || !is_socket_with(descriptor, inode)) return nullptr;
  if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return nullptr;
  return std::make_unique<ChooserLink>(descriptor);
}

ChooserLink::ChooserLink(int socket) : socket_(socket) {
  struct stat status {};
  if (::fstat(socket, &status) == 0) inode_ = status.st_ino;
}

// Programs close descriptors that they do not know, and use their numbers for files of their own.
bool ChooserLink::is_ours() const noexcept {
  return socket_ >= 0 && is_socket_with(socket_, inode_);
}

ChooserLink::~ChooserLink() {
  close_as(State::kLost);
}

void ChooserLink::close_as(State state) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_ours()) ::close(socket_);
  socket_ = -1;
  state_ = state;
}

void ChooserLink::ask(const std::string& document) {
  if (state_ != State::kIdle) return;
  if (document.size() > chooser::kMostChoiceRequest) return close_as(State::kLost);
  request_ = text_of(chooser::ChoiceRequest{static_cast<std::uint64_t>(::getpid()), document});
  state_ = State::kAsking;
}

// False if there is no use in going on.
bool ChooserLink::send_some() {
  while (sent_ < request_.size()) {
    const ssize_t size = ::send(socket_, request_.data() + sent_, request_.size() - sent_,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0) return may_come_later();
    sent_ += static_cast<std::size_t>(size);
  }
  return true;
}

bool ChooserLink::receive_some() {
  std::array<char, 4096> bytes{};
  for (;;) {
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0) return may_come_later();
    if (size == 0) return false;
    answer_.append(bytes.data(), static_cast<std::size_t>(size));
    if (answer_.find('\n') != std::string::npos) return true;
    if (answer_.size() >= chooser::kMostChoiceAnswer) return false;
  }
}

void ChooserLink::go_on(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (state_ == State::kAsking) {
    if (given_up_ || !is_ours() || !send_some() || !receive_some()) return close_as(State::kLost);
    if (const std::size_t end = answer_.find('\n'); end != std::string::npos) {
      const auto chosen = chooser::chosen_in(std::string_view(answer_).substr(0, end),
                                             static_cast<std::uint64_t>(::getpid()));
      answer_ = chosen.value_or("");
      return close_as(chosen ? State::kAnswered : State::kLost);
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    const bool sends = sent_ < request_.size();
    struct pollfd waiting {
      socket_, static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0
    };
    ::poll(&waiting, 1, static_cast<int>(left.count()));
  }
}

// A call that is under way wakes up, and closes it.
void ChooserLink::give_up() noexcept {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  if (state_ == State::kAsking && is_ours()) ::shutdown(socket_, SHUT_RDWR);
}

// No lock: another thread of the parent may have held it.
void ChooserLink::leave_in_child() noexcept {
  if (is_ours()) ::close(socket_);
  socket_ = -1;
}

}  // namespace huddle::runtime
