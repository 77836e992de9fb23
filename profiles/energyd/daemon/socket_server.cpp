#include "profiles/energyd/daemon/socket_server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::chrono::milliseconds kLookAfter(100);
constexpr int kBacklog = 256;

int listening_socket(const std::filesystem::path& path) {
  const std::string name = path.string();
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof(address.sun_path)) throw SystemError("listen at", name, ENAMETOOLONG);
  std::copy(name.begin(), name.end(), address.sun_path);
  struct stat old {};
  if (::lstat(name.c_str(), &old) == 0 && S_ISSOCK(old.st_mode)) ::unlink(name.c_str());
  const int listening = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0) throw SystemError("make", "a socket", errno);
  constexpr mode_t kForAll = 0666;
  if (::bind(listening, reinterpret_cast<struct sockaddr*>(&address), sizeof(address)) != 0 ||
      ::chmod(name.c_str(), kForAll) != 0 || ::listen(listening, kBacklog) != 0) {
    const int failure = errno;
    ::close(listening);
    throw SystemError("listen at", name, failure);
  }
  return listening;
}

// What the kernel noted when the client connected. Nothing if it does not say.
bool peer_of(int client, Peer& peer) {
  struct ucred credentials {};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return false;
  peer.user = credentials.uid;
  peer.groups.resize(64);
  size = static_cast<socklen_t>(peer.groups.size() * sizeof(gid_t));
  const bool known =
      ::getsockopt(client, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &size) == 0;
  peer.groups.resize(known ? size / sizeof(gid_t) : 0);
  peer.groups.push_back(credentials.gid);
  return true;
}

}  // namespace

SocketServer::SocketServer(std::filesystem::path path, std::size_t most_bytes, Answer answer,
                           const Limits& limits)
    : path_(std::move(path)),
      most_bytes_(most_bytes),
      answer_(std::move(answer)),
      limits_(limits),
      listening_(listening_socket(path_)),
      events_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (events_ < 0) throw SystemError("make", "an epoll", errno);
  watch(listening_, true);
}

SocketServer::~SocketServer() {
  for (const auto& [client, state] : clients_) ::close(client);
  ::close(events_);
  ::close(listening_);
  ::unlink(path_.c_str());
}

void SocketServer::watch(int descriptor, bool whether) const {
  struct epoll_event event {};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  ::epoll_ctl(events_, whether ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, descriptor, &event);
}

bool SocketServer::takes(const Peer& peer) const {
  // What root needs is kept free for root.
  const std::size_t most = limits_.connections - (peer.user == 0 ? 0 : limits_.connections / 16);
  if (clients_.size() >= most) return false;
  const auto share = shares_.find(peer.user);
  return peer.user == 0 || share == shares_.end() ||
         share->second.connections < limits_.connections_of_user;
}

// At most some at once: who floods the queue must not keep the others from being served.
void SocketServer::accept_all() {
  constexpr int kAtOnce = 32;
  for (int i = 0; i < kAtOnce; ++i) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return;
    Peer peer;
    if (!peer_of(client, peer) || !takes(peer)) {
      ::close(client);
      continue;
    }
    Share& share = shares_[peer.user];
    ++share.connections;
    if (share.filled == Clock::time_point()) {
      share.filled = Clock::now();
      share.tokens = limits_.requests_at_once;
    }
    clients_[client] = Client{std::move(peer), Clock::now(), false};
    watch(client, true);
  }
}

bool SocketServer::may_ask(uid_t user) {
  if (user == 0) return true;
  Share& share = shares_[user];
  const Clock::time_point now = Clock::now();
  share.tokens +=
      std::chrono::duration<double>(now - share.filled).count() * limits_.requests_per_second;
  share.tokens = std::min(share.tokens, limits_.requests_at_once);
  share.filled = now;
  if (share.tokens < 1) return false;
  share.tokens -= 1;
  return true;
}

void SocketServer::drop(int client) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  const auto share = shares_.find(found->second.peer.user);
  // A share that is used up stays, or a new connection would fill it.
  if (share != shares_.end()) --share->second.connections;
  clients_.erase(found);
  ::close(client);
}

void SocketServer::serve_client(int descriptor) {
  Client& client = clients_.at(descriptor);
  if (!may_ask(client.peer.user)) {
    client.waits = true;
    return watch(descriptor, false);
  }
  std::string request(most_bytes_ + 1, '\0');
  const ssize_t size = ::recv(descriptor, request.data(), request.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0 || static_cast<std::size_t>(size) > most_bytes_) return drop(descriptor);
  request.resize(static_cast<std::size_t>(size));
  client.last = Clock::now();
  const std::string answer = answer_(request, client.peer);
  if (answer.empty() || ::send(descriptor, answer.data(), answer.size(),
                               MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(answer.size()))
    drop(descriptor);
}

void SocketServer::look_after_clients() {
  const Clock::time_point now = Clock::now();
  if (now - looked_after_ < kLookAfter) return;
  looked_after_ = now;
  std::vector<int> idle;
  for (auto& [descriptor, client] : clients_) {
    if (now - client.last > limits_.idle) {
      idle.push_back(descriptor);
    } else if (client.waits) {
      client.waits = false;
      watch(descriptor, true);
    }
  }
  for (const int descriptor : idle) drop(descriptor);
  // Of users who are gone nothing is kept once their share would be whole again.
  std::erase_if(shares_, [&](const auto& share) {
    return share.second.connections == 0 && now - share.second.filled > std::chrono::seconds(1);
  });
}

int SocketServer::serve(Clock::time_point until, const std::vector<int>& wake_by) {
  for (const int descriptor : wake_by) watch(descriptor, true);
  int woken = -1;
  while (woken < 0 && Clock::now() < until) {
    look_after_clients();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
    // Without clients there is nothing to look after.
    const long most = clients_.empty() ? left : std::min<long>(left, kLookAfter.count());
    std::array<struct epoll_event, 64> events{};
    const int count = ::epoll_wait(events_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(std::max<long>(most, 0)));
    for (int i = 0; i < count; ++i) {
      const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
      if (descriptor == listening_)
        accept_all();
      else if (clients_.contains(descriptor))
        serve_client(descriptor);
      else
        woken = descriptor;
    }
  }
  for (const int descriptor : wake_by) watch(descriptor, false);
  return woken;
}

}  // namespace huddle
