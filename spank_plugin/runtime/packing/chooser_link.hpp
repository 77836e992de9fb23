#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "profiles/vocabulary/environment.hpp"

namespace huddle::runtime {

/// This rank's end of the connection to what chooses for its teams (huddle_chooser), which was
/// started before the program. Used by one thread of the recorder's own, which never waits for
/// longer than it says; none of the program's does.
class ChooserLink {
 public:
  /// The link of kChooserVariable, if that names a socket of this process: it is closed by exec()
  /// from now on. Else a null pointer.
  static std::unique_ptr<ChooserLink> from(const Environment& environment);
  /// Takes the descriptor, which is of a socket.
  explicit ChooserLink(int socket);
  ~ChooserLink();
  ChooserLink(const ChooserLink&) = delete;
  ChooserLink& operator=(const ChooserLink&) = delete;

  enum class State : std::uint8_t {
    kIdle,      ///< nothing was asked yet
    kAsking,    ///< go_on() is to be called again
    kAnswered,  ///< there is an answer; the connection is closed
    kLost,      ///< there will be none; the connection is closed
  };
  [[nodiscard]] State state() const { return state_.load(); }

  /// Asks by a document, as choice_request() has it; once.
  void ask(const std::string& document);
  /// Sends and receives what can be, and waits for more until then.
  void go_on(std::chrono::milliseconds patience);
  /// The choice.
  [[nodiscard]] const std::string& answer() const { return answer_; }

  /// From any thread: nobody waits for an answer any more.
  void give_up() noexcept;
  /// In a child of fork(): the connection is the parent's.
  void leave_in_child() noexcept;

 private:
  void close_as(State state) noexcept;
  [[nodiscard]] bool is_ours() const noexcept;
  [[nodiscard]] bool send_some();
  [[nodiscard]] bool receive_some();

  std::atomic<int> socket_;  // -1: closed
  std::uint64_t inode_ = 0;
  std::atomic<bool> given_up_ = false;
  std::mutex mutex_;  // held while it is closed, or shut down
  std::atomic<State> state_ = State::kIdle;
  std::string request_;
  std::size_t sent_ = 0;
  std::string answer_;
};

}  // namespace huddle::runtime
