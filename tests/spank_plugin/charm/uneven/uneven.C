// Chares that take different times, the same in every step: uneven PIECES STEPS INTERVAL
// LONGEST_MS. They sleep instead of computing, so that a busy machine, and more PEs than it has
// cores, do not change what is measured. Prints what each step took.

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "uneven.decl.h"

CProxy_Main main_proxy;

class Main : public CBase_Main {
 public:
  explicit Main(CkArgMsg* arguments) {
    if (arguments->argc != 5) CkAbort("usage: uneven PIECES STEPS INTERVAL LONGEST_MS\n");
    steps_ = std::atoi(arguments->argv[2]);
    interval_ = std::atoi(arguments->argv[3]);
    const double longest_s = std::atof(arguments->argv[4]) / 1e3;
    main_proxy = thisProxy;
    pieces_ = CProxy_Piece::ckNew(longest_s, std::atoi(arguments->argv[1]));
    delete arguments;
    next();
  }

  void stepped() {
    CkPrintf("step %d took %.4f s\n", step_, CkWallTimer() - begun_);
    if (++step_ == steps_)
      CkExit();
    else
      next();
  }

 private:
  void next() {
    begun_ = CkWallTimer();
    pieces_.step(step_ % interval_ == interval_ - 1);
  }

  CProxy_Piece pieces_;
  int steps_ = 0;
  int interval_ = 1;
  int step_ = 0;
  double begun_ = 0;
};

class Piece : public CBase_Piece {
 public:
  /// From 1/160 of the longest to it, as in the published program (5 to 800 ms).
  explicit Piece(double longest_s) {
    usesAtSync = true;
    std::mt19937_64 random(static_cast<unsigned long>(thisIndex) + 7);
    random.discard(5);
    seconds_ = std::uniform_real_distribution<double>(longest_s / 160, longest_s)(random);
  }
  explicit Piece(CkMigrateMessage*) {}

  void step(bool balance) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    if (balance)
      AtSync();
    else
      ResumeFromSync();
  }

  void ResumeFromSync() override {
    contribute(CkCallback(CkReductionTarget(Main, stepped), main_proxy));
  }

  void pup(PUP::er& p) override { p | seconds_; }

 private:
  double seconds_ = 0;
};

#include "uneven.def.h"
