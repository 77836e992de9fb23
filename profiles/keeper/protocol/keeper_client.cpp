#include "profiles/keeper/protocol/keeper_client.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "profiles/files/unix_socket.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

// Descriptors that come with the reply: the page and what wakes the keeper.
constexpr std::size_t kHandedOver = 2;

struct ReceivedReply {
  std::string text;
  std::array<files::OwnedDescriptor, kHandedOver> files;
};

// The kernel closes descriptors beyond those that there is space for.
void take_files(struct msghdr& message, ReceivedReply& reply) {
  std::size_t count = 0;
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t bytes = control->cmsg_len - CMSG_LEN(0);
    for (std::size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(control) + at, sizeof number);
      files::OwnedDescriptor file(number);
      if (count < kHandedOver) reply.files[count++] = std::move(file);
    }
  }
}

ReceivedReply received(const files::OwnedDescriptor& connection, const std::string& name) {
  ReceivedReply reply;
  reply.text.resize(kMostReplyBytes);
  struct iovec space {
    reply.text.data(), reply.text.size()
  };
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kHandedOver * sizeof(int))> control{};
  struct msghdr message {};
  message.msg_iov = &space;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t size = ::recvmsg(connection.number(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  // Who refuses before the greeting was read has said why all the same.
  if (size < 0 && errno == ECONNRESET)
    size = ::recvmsg(connection.number(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (size < 0) throw SystemError("ask", name, errno);
  take_files(message, reply);
  if (size == 0) throw SystemError("ask", name, ECONNRESET);
  if ((message.msg_flags & MSG_TRUNC) != 0) throw SystemError("ask", name, EMSGSIZE);
  reply.text.resize(static_cast<std::size_t>(size));
  return reply;
}

std::uint64_t lease_end(std::chrono::nanoseconds lease) {
  if (lease.count() <= 0) return 0;
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec) + static_cast<std::uint64_t>(lease.count());
}

}  // namespace

KeeperClient::KeeperClient(files::OwnedDescriptor connection, files::OwnedDescriptor wake,
                           ClockPage page, std::vector<OfferedClock> clocks) noexcept
    : connection_(std::move(connection)),
      wake_(std::move(wake)),
      page_(std::move(page)),
      clocks_(std::move(clocks)) {}

KeeperClient KeeperClient::connect(const std::filesystem::path& socket, const PuSet& own,
                                   std::chrono::milliseconds patience) {
  const Deadline deadline = std::chrono::steady_clock::now() + patience;
  const std::string name = socket.string();
  const std::string greeting = text_of(KeeperGreeting{own});
  if (own.empty() || greeting.size() > kMostGreetingBytes)
    throw Error(fmt::format("the keeper of clocks at {} can't be told of the PUs \"{}\"", name,
                            shortened(own.list())));
  files::OwnedDescriptor connection = files::connect_to(socket, deadline);
  if (::send(connection.number(), greeting.data(), greeting.size(), MSG_NOSIGNAL) < 0 &&
      errno != EPIPE && errno != ECONNRESET)  // it may have refused at once, and have said why
    throw SystemError("ask", name, errno);
  if (!files::wait_for_input(connection.number(), deadline))
    throw SystemError("ask", name, ETIMEDOUT);
  ReceivedReply reply = received(connection, name);
  KeeperReply said = parse_keeper_reply(reply.text);
  if (!said.refusal.empty())
    throw Error(fmt::format("the keeper of clocks at {} refuses: {}", name, said.refusal));
  if (!reply.files[0].valid() || !reply.files[1].valid())
    throw FormatError(name, "the keeper's answer", "no page", "a page and what wakes the keeper");
  ClockPage page = ClockPage::open(reply.files[0], static_cast<std::uint32_t>(said.clocks.size()));
  return {std::move(connection), std::move(reply.files[1]), std::move(page),
          std::move(said.clocks)};
}

bool KeeperClient::ask(std::size_t clock, std::uint32_t khz,
                       std::chrono::nanoseconds lease) noexcept {
  if (clock >= page_.view().clocks()) return false;
  if (!page_.view().ask(clock, {khz, lease_end(lease)})) return true;
  // The system call is made directly, since write(2) of the C library is a place where a thread can
  // be cancelled.
  const int kept = errno;
  const std::uint64_t one = 1;
  ::syscall(SYS_write, wake_.number(), &one, sizeof one);
  errno = kept;
  return true;
}

ClockAnswer KeeperClient::answer(std::size_t clock) const noexcept {
  return clock < page_.view().clocks() ? page_.view().answer_for(clock) : ClockAnswer{};
}

bool KeeperClient::answered() const noexcept {
  const ClockPageHead& head = page_.view().head();
  return head.answered_asks.load(std::memory_order_acquire) ==
         head.asks.load(std::memory_order_relaxed);
}

bool KeeperClient::alive() const noexcept {
  if (page_.view().clocks() == 0 || page_.view().head().ended.load(std::memory_order_acquire) != 0)
    return false;
  const int kept = errno;
  char byte = 0;
  // It never sends anything: there is nothing yet, or the end.
  const long size = ::syscall(SYS_recvfrom, connection_.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT,
                              nullptr, nullptr);
  const bool waiting = size < 0 && (errno == EAGAIN || errno == EINTR);
  errno = kept;
  return waiting;
}

}  // namespace huddle::keeper
