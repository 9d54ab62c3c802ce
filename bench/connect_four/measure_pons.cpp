// Measures Pascal Pons' solver as `cargo bench --bench connect_four` measures this
// library: reads lines of moves and a value, solves each position with an empty table,
// and writes the microseconds of CPU time and the nodes of a position on average. A
// wrong value ends it with an error.
//
// With its sources in FOLDER (github.com/PascalPons/connect4), for a table of 2^24
// entries, and of 2^17 with TABLE_SIZE changed in a copy of Solver.hpp:
//
//     g++ --std=c++11 -O3 -DNDEBUG -I FOLDER bench/connect_four/measure_pons.cpp \
//         FOLDER/Solver.cpp -o pons

#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>

#include "Solver.hpp"

using namespace GameSolver::Connect4;

static double cpu_micros() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

int main() {
  Solver solver;
  std::string moves;
  int value;
  double micros = 0, nodes = 0;
  long count = 0;
  while (std::cin >> moves >> value) {
    Position position;
    if (position.play(moves) != moves.size()) {
      std::fprintf(stderr, "%s: an illegal move\n", moves.c_str());
      return 1;
    }
    solver.reset();
    const double since = cpu_micros();
    const int found = solver.solve(position);
    micros += cpu_micros() - since;
    nodes += solver.getNodeCount();
    count += 1;
    if (found != value) {
      std::fprintf(stderr, "%s: %d instead of %d\n", moves.c_str(), found, value);
      return 1;
    }
  }
  if (count > 0) std::printf("%f %f\n", micros / count, nodes / count);
}
