#include "profiles/energyd/daemon/socket_server.hpp"

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "profiles/files/unix_socket.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

constexpr std::chrono::milliseconds kLookAfter(100);
constexpr int kBacklog = 256;
// Who is refused may keep the packet that says so: some of them get one, and the others are told by
// the end of their connection.
constexpr double kRefusalsAtOnce = 100;
constexpr double kRefusalsPerSecond = 0.2;
// Answers that a user had sent and keeps unread, in bytes, and how fast that is forgotten.
constexpr double kMostUnread = 256 << 10;
constexpr double kUnreadPerSecond = kMostUnread / 600;

files::OwnedDescriptor listening_socket(const std::filesystem::path& path) {
  const std::string name = path.string();
  const struct sockaddr_un address = files::socket_address(path);
  struct stat old {};
  if (::lstat(name.c_str(), &old) == 0 && S_ISSOCK(old.st_mode)) ::unlink(name.c_str());
  files::OwnedDescriptor listening = files::new_packet_socket();
  constexpr mode_t kForAll = 0666;
  if (::bind(listening.number(), reinterpret_cast<const struct sockaddr*>(&address),
             sizeof(address)) != 0 ||
      ::chmod(name.c_str(), kForAll) != 0 || ::listen(listening.number(), kBacklog) != 0)
    throw SystemError("listen at", name, errno);
  return listening;
}

// All groups of the process that connected; none if the kernel does not say.
std::vector<gid_t> groups_of(int client) {
  std::vector<gid_t> groups(64);
  for (;;) {
    auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const bool known = ::getsockopt(client, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0;
    const bool more = !known && errno == ERANGE && size > groups.size() * sizeof(gid_t);
    groups.resize(known || more ? size / sizeof(gid_t) : 0);
    if (!more) return groups;
  }
}

// The client's rights, as the kernel noted them when it connected. False if it does not say.
bool peer_of(int client, std::optional<gid_t> group, Peer& peer) {
  struct ucred credentials {};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return false;
  peer.user = credentials.uid;
  if (!group) return true;
  const std::vector<gid_t> groups = groups_of(client);
  peer.is_member =
      credentials.gid == *group || std::find(groups.begin(), groups.end(), *group) != groups.end();
  return true;
}

// False if not all of it could be sent at once.
bool send_packet(int client, std::string_view text) {
  return ::send(client, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

// Bytes that the other end has not read.
int unread_of(int client) {
  int bytes = 0;
  return ::ioctl(client, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

}  // namespace

SocketServer::SocketServer(std::filesystem::path path, std::size_t most_bytes, Service service,
                           const Limits& limits)
    : path_(std::move(path)),
      most_bytes_(most_bytes),
      service_(std::move(service)),
      limits_(limits),
      listening_(listening_socket(path_)),
      events_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!events_.valid()) throw SystemError("make", "an epoll", errno);
  watch(listening_.number(), true);
}

SocketServer::~SocketServer() {
  for (const auto& [client, state] : clients_) ::close(client);
  ::unlink(path_.c_str());
}

void SocketServer::watch(int descriptor, bool whether) const {
  struct epoll_event event {};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  ::epoll_ctl(events_.number(), whether ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, descriptor, &event);
}

// At most some at once: who floods the queue must not keep the others from being served.
void SocketServer::accept_all() {
  constexpr int kAtOnce = 32;
  for (int i = 0; i < kAtOnce; ++i) {
    const int client =
        ::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return;
    Peer peer;
    if (peer_of(client, service_.group, peer))
      take(client, peer);
    else
      ::close(client);
  }
}

void SocketServer::take(int client, const Peer& peer) {
  const Admission admission = service_.admit ? service_.admit(peer) : Admission::kYes;
  if (admission == Admission::kNo) return refuse(client);
  const auto known = shares_.find(peer.user);
  if (known != shares_.end() && known->second.unread > kMostUnread) {
    ::close(client);
    return;
  }
  make_room_for(peer.user);
  ++shares_[peer.user].connections;
  clients_[client] = Client{peer, ++accepted_, Clock::now(), admission, false};
  if (admission == Admission::kYes) watch(client, true);
}

// Root's connections are the last to end.
void SocketServer::make_room_for(uid_t user) {
  const auto held_by = [&](uid_t one) {
    const auto share = shares_.find(one);
    return share == shares_.end() ? 0 : share->second.connections;
  };
  const bool has_too_many = user != 0 && held_by(user) >= limits_.connections_of_user;
  if (!has_too_many && clients_.size() < limits_.connections) return;
  int ending = -1;
  std::size_t most = 0;
  std::uint64_t oldest = 0;
  for (const auto& [descriptor, client] : clients_) {
    if (has_too_many && client.peer.user != user) continue;
    const std::size_t held = client.peer.user == 0 ? 0 : held_by(client.peer.user);
    if (ending >= 0 && (held < most || (held == most && client.number > oldest))) continue;
    ending = descriptor;
    most = held;
    oldest = client.number;
  }
  if (ending < 0) return;
  if (!service_.displaced.empty()) send_packet(ending, service_.displaced);
  drop(ending);
}

// Those of whom it was not known whether they may ask.
void SocketServer::decide() {
  std::vector<int> waiting;
  for (const auto& [descriptor, client] : clients_)
    if (client.admission == Admission::kLater) waiting.push_back(descriptor);
  for (const int descriptor : waiting) {
    Client& client = clients_.at(descriptor);
    client.admission = service_.admit(client.peer);
    if (client.admission == Admission::kYes) watch(descriptor, true);
    if (client.admission == Admission::kNo) refuse(descriptor);
  }
}

void SocketServer::refuse(int client) {
  if (service_.refusal && takes_token(of_refused_, kRefusalsPerSecond, kRefusalsAtOnce))
    send_packet(client, service_.refusal());
  if (clients_.contains(client))
    drop(client);
  else
    ::close(client);
}

// One more, if as many fit into the time.
bool SocketServer::takes_token(Share& share, double per_second, double at_once) {
  const Clock::time_point now = Clock::now();
  share.tokens += std::chrono::duration<double>(now - share.filled).count() * per_second;
  share.tokens = std::min(share.tokens, at_once);
  share.filled = now;
  if (share.tokens < 1) return false;
  share.tokens -= 1;
  return true;
}

bool SocketServer::may_ask(uid_t user) {
  return user == 0 ||
         takes_token(shares_[user], limits_.requests_per_second, limits_.requests_at_once);
}

void SocketServer::drop(int client) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  const auto share = shares_.find(found->second.peer.user);
  // A share that is used up stays, or a new connection would fill it.
  if (share != shares_.end()) {
    --share->second.connections;
    if (found->second.peer.user != 0) share->second.unread += unread_of(client);
  }
  clients_.erase(found);
  ::close(client);
}

void SocketServer::serve_client(int descriptor) {
  Client& client = clients_.at(descriptor);
  if (client.admission != Admission::kYes) return;
  if (!may_ask(client.peer.user)) {
    client.waits = true;
    return watch(descriptor, false);
  }
  std::string request(most_bytes_ + 1, '\0');
  const ssize_t size = ::recv(descriptor, request.data(), request.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0 || static_cast<std::size_t>(size) > most_bytes_) return drop(descriptor);
  // The answers that nobody reads take this process's memory: one of each connection at most.
  if (unread_of(descriptor) > 0) return drop(descriptor);
  request.resize(static_cast<std::size_t>(size));
  client.last = Clock::now();
  const std::string answer = service_.answer(request, client.peer);
  if (answer.empty() || !send_packet(descriptor, answer)) drop(descriptor);
}

void SocketServer::look_after_clients() {
  const Clock::time_point now = Clock::now();
  if (now - looked_after_ < kLookAfter) return;
  const double passed = std::chrono::duration<double>(now - looked_after_).count();
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
  for (auto& [user, share] : shares_)
    share.unread = std::max(share.unread - passed * kUnreadPerSecond, 0.0);
  // Users who are gone are forgotten once their share would be whole again.
  std::erase_if(shares_, [&](const auto& share) {
    return share.second.connections == 0 && !(share.second.unread > 0) &&
           now - share.second.filled > std::chrono::seconds(1);
  });
}

int SocketServer::serve(Clock::time_point until, const std::vector<int>& wake_by) {
  decide();
  for (const int descriptor : wake_by) watch(descriptor, true);
  int woken = -1;
  while (woken < 0 && Clock::now() < until) {
    look_after_clients();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
    // Without clients there is nothing to look after.
    const long most = clients_.empty() ? left : std::min<long>(left, kLookAfter.count());
    std::array<struct epoll_event, 64> events{};
    const int count = ::epoll_wait(events_.number(), events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(std::max<long>(most, 0)));
    for (int i = 0; i < count; ++i) {
      const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
      if (descriptor == listening_.number())
        accept_all();
      else if (clients_.contains(descriptor))
        serve_client(descriptor);
      else if (std::find(wake_by.begin(), wake_by.end(), descriptor) != wake_by.end())
        woken = descriptor;  // else one that made room for another
    }
  }
  for (const int descriptor : wake_by) watch(descriptor, false);
  return woken;
}

}  // namespace huddle::energyd
