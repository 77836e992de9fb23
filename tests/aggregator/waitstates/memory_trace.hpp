#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// A trace of lists of events, made call by call.
struct MemoryTrace : traces::Trace {
  /// One thread a rank, and a communicator 0 of them all.
  explicit MemoryTrace(std::uint32_t ranks);

  traces::TraceDefinitions all;
  std::vector<std::vector<traces::Event>> events;  ///< by location
  std::vector<std::size_t> damaged_after;  ///< by location: events that can be read; empty: all

  /// Another thread of a rank; returns its location.
  std::uint32_t add_thread(std::uint32_t rank);
  std::uint32_t add_communicator(std::vector<std::uint32_t> ranks,
                                 std::vector<std::uint32_t> remote = {});
  /// A window of a communicator.
  std::uint32_t add_window(std::uint32_t communicator = 0);
  std::uint32_t add_group(std::vector<std::uint32_t> ranks);
  std::uint32_t add_team(std::vector<std::uint32_t> locations);
  /// The region of this name: MPI's begin with MPI_, OpenMP's barriers with "omp barrier", and
  /// critical sections with "omp critical", others of its regions with "omp single".
  std::uint32_t region(const std::string& name);

  void enter(std::uint32_t location, std::uint64_t time, const std::string& name);
  void leave(std::uint32_t location, std::uint64_t time, const std::string& name);
  void add(std::uint32_t location, std::uint64_t time, traces::Event event);
  /// A region with events inside: those that begin something are at its enter, others at its leave.
  void call(std::uint32_t location, std::uint64_t from, std::uint64_t to, const std::string& name,
            std::initializer_list<traces::Event> inside = {});

  [[nodiscard]] const traces::TraceDefinitions& definitions() const override { return all; }
  std::unique_ptr<traces::EventStream> events_of(std::uint32_t location) override;
};

// Events, but for their times.
traces::Event sent(std::uint32_t to, std::uint32_t tag = 0, std::uint32_t communicator = 0);
traces::Event received(std::uint32_t from, std::uint32_t tag = 0, std::uint32_t communicator = 0);
traces::Event isend(std::uint64_t request, std::uint32_t to, std::uint32_t tag = 0,
                    std::uint32_t communicator = 0);
traces::Event isend_ends(std::uint64_t request);
traces::Event irecv(std::uint64_t request);
traces::Event irecv_ends(std::uint64_t request, std::uint32_t from, std::uint32_t tag = 0,
                         std::uint32_t communicator = 0);
traces::Event collective(traces::Collective kind, std::uint32_t root = traces::kNobody,
                         std::uint32_t communicator = 0);
traces::Event icollective(std::uint64_t request);
traces::Event icollective_ends(std::uint64_t request, traces::Collective kind,
                               std::uint32_t root = traces::kNobody,
                               std::uint32_t communicator = 0);
traces::Event of_window(traces::EventKind kind, std::uint32_t window,
                        std::uint32_t group = traces::kNobody);
traces::Event of_team(traces::EventKind kind, std::uint32_t team);

}  // namespace huddle::waitstates
