// huddle_training_kernels: MPI programs of known kind, from bound by computing to bound by memory,
// for huddle train to learn from how ranks slow each other down. It needs an MPI library and
// nothing else. See --help.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "profiles/programs/training/kernel_exchange.hpp"
#include "profiles/programs/training/kernel_options.hpp"

namespace huddle::calibration {
namespace {

enum ExitCode { kRight = 0, kWrong = 1, kBadArguments = 2 };

// One kernel on one rank, between MPI_Init and MPI_Finalize.
class Run {
 public:
  Run(const Kernel& kernel, Computation& computation)
      : computation_(computation),
        parts_(parts_of(kernel.shape)),
        exchange_(make_exchange(kernel.shape, kernel.message_bytes)) {}

  void iterate(std::uint64_t iterations) {
    for (std::uint64_t end = passes_ + iterations; passes_ < end; ++passes_) {
      for (unsigned part = 0; part < parts_; ++part) {
        exchange_->before_part(passes_, part);
        computation_.compute(passes_, part, parts_);
        exchange_->after_part(passes_, part);
      }
      exchange_->exchange(passes_);
    }
  }

  // Batch by batch, each as large as what was done so far; rank 0's clock decides when it is
  // enough.
  void iterate_for(double seconds) {
    const double start = MPI_Wtime();
    std::uint64_t batch = 1;
    while (batch > 0) {
      iterate(batch);
      const double taken = MPI_Wtime() - start;
      const double left = (seconds - taken) / taken * static_cast<double>(passes_);
      batch = left < 1 ? 0 : std::min(passes_, static_cast<std::uint64_t>(left));
      MPI_Bcast(&batch, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    }
  }

  [[nodiscard]] std::uint64_t passes() const { return passes_; }
  [[nodiscard]] const std::string& wrong() const { return exchange_->wrong(); }

 private:
  Computation& computation_;
  unsigned parts_;
  std::unique_ptr<Exchange> exchange_;
  std::uint64_t passes_ = 0;
};

// The result of a run on one rank.
struct Outcome {
  int rank = 0;
  std::uint64_t passes = 0;
  std::string wrong;
};

Outcome run(const KernelOptions& options, Computation& computation) {
  Outcome outcome;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &outcome.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Run kernel(*options.kernel, computation);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (options.iterations > 0)
    kernel.iterate(options.iterations);
  else
    kernel.iterate_for(options.seconds);
  const double seconds = MPI_Wtime() - start;
  outcome.passes = kernel.passes();
  outcome.wrong = kernel.wrong();
  if (outcome.rank == 0)
    std::printf("kernel %s footprint %zu ranks %d iterations %llu seconds %.6f\n",
                options.kernel->name.data(), options.footprint, ranks,
                static_cast<unsigned long long>(outcome.passes), seconds);
  return outcome;
}

// Data are made before MPI_Init and looked at after MPI_Finalize: what is measured between the two
// is the kernel alone.
int run_checked(int* argc, char*** argv, const KernelOptions& options) {
  ComputationPtr computation;
  try {
    computation = options.kernel->computation(options.footprint);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "huddle_training_kernels: no memory for --footprint %zu\n",
                 options.footprint);
    return kWrong;
  }
  MPI_Init(argc, argv);
  Outcome outcome = run(options, *computation);
  MPI_Finalize();
  if (outcome.wrong.empty()) outcome.wrong = computation->wrong(outcome.passes);
  if (outcome.wrong.empty()) return kRight;
  std::fprintf(stderr, "huddle_training_kernels: %s: rank %d: wrong result: %s\n",
               options.kernel->name.data(), outcome.rank, outcome.wrong.c_str());
  return kWrong;
}

}  // namespace
}  // namespace huddle::calibration

int main(int argc, char** argv) {
  using namespace huddle::calibration;
  KernelOptions options;
  const std::string complaint = options.read(argc, argv);
  if (!complaint.empty()) {
    std::fprintf(stderr, "huddle_training_kernels: %s; see --help\n", complaint.c_str());
    return kBadArguments;
  }
  if (!options.text.empty()) {
    std::fputs(options.text.c_str(), stdout);
    return kRight;
  }
  return run_checked(&argc, &argv, options);
}
