#pragma once

// A socket that many can ask at once, whatever they do to it.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// Who is at the other end, as the kernel says.
struct Peer {
  uid_t user = 0;
  /// All groups of the process that connected.
  std::vector<gid_t> groups;
};

/// Answers packets of local clients (SOCK_SEQPACKET) one by one. Nobody is waited for: a client
/// that does not read loses its answer and its connection, one that says nothing for a while loses
/// its connection, one that asks for more than its share waits, and no user can take the
/// connections of others. For one thread.
class SocketServer {
 public:
  struct Limits {
    std::size_t connections = 512;
    /// Of one user other than root.
    std::size_t connections_of_user = 64;
    /// How many requests of one user other than root are answered in a second, and how many at
    /// once.
    double requests_per_second = 200;
    double requests_at_once = 50;
    std::chrono::milliseconds idle = std::chrono::seconds(5);
  };
  /// Returns the answer to a packet; empty: none, and the connection ends.
  using Answer = std::function<std::string(std::string_view, const Peer&)>;

  /// Listens at `path`, which everybody may connect to, and removes an old socket there. Throws
  /// SystemError.
  SocketServer(std::filesystem::path path, std::size_t most_bytes, Answer answer,
               const Limits& limits);
  ~SocketServer();
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  /// Serves until `until`, or until one of `wake_by` can be read. Returns which, or a negative
  /// number.
  int serve(std::chrono::steady_clock::time_point until, const std::vector<int>& wake_by);

  [[nodiscard]] std::size_t connections() const { return clients_.size(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    Peer peer;
    Clock::time_point last;
    bool waits = false;
  };
  struct Share {
    std::size_t connections = 0;
    double tokens = 0;
    Clock::time_point filled;
  };

  void accept_all();
  bool takes(const Peer& peer) const;
  bool may_ask(uid_t user);
  void serve_client(int client);
  void drop(int client);
  void look_after_clients();
  void watch(int client, bool whether) const;

  std::filesystem::path path_;
  std::size_t most_bytes_;
  Answer answer_;
  Limits limits_;
  int listening_ = -1;
  int events_ = -1;
  std::map<int, Client> clients_;
  std::map<uid_t, Share> shares_;
  Clock::time_point looked_after_;
};

}  // namespace huddle
