#include "spank_plugin/keeper/rank_connection.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "profiles/processes/process_descriptor.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

bool send_packet(const files::OwnedDescriptor& socket, const std::string& text,
                 const std::array<int, 2>& files) {
  std::string bytes = text;
  struct iovec content {
    bytes.data(), bytes.size()
  };
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(files))> control{};
  struct msghdr message {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(files));
  std::memcpy(CMSG_DATA(rights), files.data(), sizeof(files));
  return ::sendmsg(socket.number(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace

std::optional<SocketPeer> peer_of(const files::OwnedDescriptor& socket) {
  struct ucred credentials {};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0 ||
      credentials.pid <= 0)
    return std::nullopt;
  SocketPeer peer{credentials.uid, credentials.pid, files::OwnedDescriptor()};
  peer.end = processes::descriptor_of(credentials.pid);
  if (!peer.end.valid() && errno != ENOSYS && errno != EPERM) return std::nullopt;
  return peer;
}

void refuse_rank(const files::OwnedDescriptor& socket, std::string_view reason) noexcept {
  try {
    const std::string text = text_of(KeeperReply{std::string(reason), {}});
    ::send(socket.number(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } catch (const std::bad_alloc&) {
    // Then it learns by the end of the connection alone.
  }
}

RankConnection::RankConnection(files::OwnedDescriptor socket, files::OwnedDescriptor end,
                               MonotonicNs greet_by, Allowance wakes_allowed) noexcept
    : wakes(wakes_allowed), socket_(std::move(socket)), end_(std::move(end)), greet_by_(greet_by) {}

RankConnection::Heard RankConnection::hear(KeeperGreeting& greeting) {
  std::array<char, kMostGreetingBytes + 1> packet{};
  const ssize_t size = ::recv(socket_.number(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Heard::kNothing;
  // There is one packet to send, no more.
  if (size <= 0 || served()) return Heard::kEnd;
  auto parsed = parse_keeper_greeting({packet.data(), static_cast<std::size_t>(size)});
  if (!parsed) {
    refuse_rank(socket_, "this is no greeting of version 1");
    return Heard::kEnd;
  }
  greeting = std::move(*parsed);
  return Heard::kGreeting;
}

bool RankConnection::hand_over(const KeeperReply& reply, std::vector<std::size_t> clocks) {
  const std::string text = text_of(reply);
  if (text.size() > kMostReplyBytes)
    throw Error(fmt::format("{} clocks do not fit into an answer", clocks.size()));
  files::OwnedDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) throw SystemError("make", "an eventfd", errno);
  files::OwnedDescriptor file;
  ClockPage page = ClockPage::make(static_cast<std::uint32_t>(clocks.size()), file);
  std::vector<ClockAsk> asked(clocks.size());
  if (!send_packet(socket_, text, {file.number(), wake.number()})) return false;
  page_ = std::move(page);
  wake_ = std::move(wake);
  asked_ = std::move(asked);
  clocks_ = std::move(clocks);
  return true;
}

}  // namespace huddle::keeper
