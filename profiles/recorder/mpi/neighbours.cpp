#include "profiles/recorder/mpi/neighbours.hpp"

namespace huddle::recorder {
namespace {

// In each direction first the one below, then the one above.
std::vector<int> on_grid(MPI_Comm comm) {
  int dimensions = 0;
  HUDDLE_REAL(Cartdim_get)(comm, &dimensions);
  std::vector<int> neighbours;
  for (int direction = 0; direction < dimensions; ++direction) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    HUDDLE_REAL(Cart_shift)(comm, direction, 1, &below, &above);
    neighbours.push_back(below);
    neighbours.push_back(above);
  }
  return neighbours;
}

std::vector<int> in_graph(MPI_Comm comm, int rank) {
  int count = 0;
  HUDDLE_REAL(Graph_neighbors_count)(comm, rank, &count);
  std::vector<int> neighbours(static_cast<std::size_t>(count));
  HUDDLE_REAL(Graph_neighbors)(comm, rank, count, neighbours.data());
  return neighbours;
}

std::vector<int> in_distributed_graph(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  HUDDLE_REAL(Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
  std::vector<int> sources(static_cast<std::size_t>(in));
  std::vector<int> source_weights(sources.size());
  std::vector<int> destinations(static_cast<std::size_t>(out));
  std::vector<int> weights(destinations.size());
  HUDDLE_REAL(Dist_graph_neighbors)
  (comm, in, sources.data(), source_weights.data(), out, destinations.data(), weights.data());
  return destinations;
}

std::vector<int> look_up(const UsedCommunicator& communicator) {
  int topology = MPI_UNDEFINED;
  HUDDLE_REAL(Topo_test)(communicator.handle, &topology);
  switch (topology) {
    case MPI_CART:
      return on_grid(communicator.handle);
    case MPI_GRAPH:
      return in_graph(communicator.handle, communicator.rank);
    case MPI_DIST_GRAPH:
      return in_distributed_graph(communicator.handle);
    default:
      return {};
  }
}

}  // namespace

const std::vector<int>& neighbours_of(UsedCommunicator& communicator) {
  if (!communicator.neighbours_known) {
    communicator.neighbours = look_up(communicator);
    communicator.neighbours_known = true;
  }
  return communicator.neighbours;
}

}  // namespace huddle::recorder
