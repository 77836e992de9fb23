// Sends what message_plan.hpp planned, and checks what arrives.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "tests/programs/message_plan.hpp"
#include "tests/programs/mpi_program.hpp"

namespace programs {

// Owns the communicators and datatypes of the plan. To be destroyed before MPI_Finalize.
class MessageRunner {
 public:
  // Collective over MPI_COMM_WORLD: one MPI_Comm_dup, one MPI_Comm_split.
  MessageRunner();
  ~MessageRunner();
  MessageRunner(const MessageRunner&) = delete;
  MessageRunner& operator=(const MessageRunner&) = delete;

  // Carries out the plan of a call in every group; besides, each rank sends once to MPI_PROC_NULL.
  // Returns false, having said what was wrong on standard error, if this rank received anything but
  // what the plan says: source, tag, count and contents. Collective over MPI_COMM_WORLD.
  bool run(SendCall call);

 private:
  // A message's elements as they lie in memory, gaps included.
  using Buffer = std::vector<char>;
  struct Place {
    SendCall call;
    Group group;
    MPI_Comm comm;
    int rank;
  };

  bool run_together(const Place& place, const Step& step);
  bool run_paired(const Place& place, const Step& step);
  std::optional<MPI_Request> send(const Place& place, const void* data, int count, Element element,
                                  int receiver, int tag) const;
  void attach_buffer_for(const Place& place, const Step& step);
  void detach_buffer(const Place& place);

  MPI_Datatype type(Element element) const { return types_[static_cast<std::size_t>(element)]; }
  Buffer empty(const Message& message) const;
  Buffer filled(const Place& place, const Message& message) const;
  bool arrived(const Place& place, const Message& message, const Buffer& buffer,
               const MPI_Status& status) const;

  std::array<MPI_Comm, kGroups> comms_{};
  std::array<MPI_Datatype, kElements> types_{};
  std::vector<char> attached_;
};

}  // namespace programs
