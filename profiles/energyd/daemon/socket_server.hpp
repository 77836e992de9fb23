#pragma once

// A socket that many can ask at once, whatever they do to it.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::energyd {

/// Who is at the other end, as the kernel says.
struct Peer {
  uid_t user = 0;
  /// True if the process that connected is in the group that the service asks for.
  bool is_member = false;
};

/// Decides who may ask.
enum class Admission : std::uint8_t {
  kYes,
  kNo,
  /// It is not known yet: the connection waits, and the question comes again.
  kLater,
};

/// Answers packets of local clients (SOCK_SEQPACKET) one by one. Nobody is waited for: a client
/// that does not read loses its answer and its connection, one that says nothing for a while loses
/// its connection, and one that asks for more than its share waits. Where connections are too many
/// the oldest one of the user with the most of them ends, so that users with few always get in. For
/// one thread.
class SocketServer {
 public:
  struct Limits {
    std::size_t connections = 512;
    /// The most connections of one user other than root.
    std::size_t connections_of_user = 64;
    /// The most requests of one user other than root that are answered in a second, and at once.
    double requests_per_second = 200;
    double requests_at_once = 50;
    std::chrono::milliseconds idle = std::chrono::seconds(5);
  };
  /// Returns the answer to a packet; empty: none, and the connection ends.
  using Answer = std::function<std::string(std::string_view, const Peer&)>;
  /// The work that it does, and for whom.
  struct Service {
    Answer answer;
    /// Called for each connection; empty: everybody may ask.
    std::function<Admission(const Peer&)> admit = {};
    /// The last packet to those who may not. It is left out where they are many.
    std::function<std::string()> refusal = {};
    /// The last packet to those whose connection ends for another one.
    std::string displaced = {};
    /// See Peer::is_member.
    std::optional<gid_t> group = {};
  };

  /// Listens at `path`, which everybody may connect to, and removes an old socket there. Throws
  /// SystemError.
  SocketServer(std::filesystem::path path, std::size_t most_bytes, Service service,
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
    std::uint64_t number = 0;  // in the order in which they came
    Clock::time_point last;
    Admission admission = Admission::kYes;
    bool waits = false;
  };
  struct Share {
    std::size_t connections = 0;
    /// As of `filled`; so a new share is whole.
    double tokens = 0;
    Clock::time_point filled;
    /// Bytes that were sent and not read before the connection ended: memory of this process's that
    /// its user holds.
    double unread = 0;
  };

  void accept_all();
  void take(int client, const Peer& peer);
  void make_room_for(uid_t user);
  void decide();
  void refuse(int client);
  static bool takes_token(Share& share, double per_second, double at_once);
  bool may_ask(uid_t user);
  void serve_client(int client);
  void drop(int client);
  void look_after_clients();
  void watch(int client, bool whether) const;

  std::filesystem::path path_;
  std::size_t most_bytes_;
  Service service_;
  Limits limits_;
  files::OwnedDescriptor listening_;
  files::OwnedDescriptor events_;
  std::map<int, Client> clients_;
  std::map<uid_t, Share> shares_;
  std::uint64_t accepted_ = 0;
  Share of_refused_;
  Clock::time_point looked_after_;
};

}  // namespace huddle::energyd
