// The native module `sdykit.sparsecore._machine`: what compiled programs call.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <string>

#include "../checks/module.h"
#include "apart.h"
#include "functions.h"
#include "reports.h"
#include "run.h"
#include "stacks.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename Function>
uintptr_t AddressOf(Function* function) {
  return reinterpret_cast<uintptr_t>(function);
}

std::map<std::string, uintptr_t> Functions() {
  using namespace sdykit::machine;
  return {
      {"sc_barrier", AddressOf(&Barrier)},
      {"sc_dma", AddressOf(&StartTransfer)},
      {"sc_fetch_and_add", AddressOf(&FetchAndAdd)},
      {"sc_fill", AddressOf(&Fill)},
      {"sc_indirect", AddressOf(&StartIndirect)},
      {"sc_log", AddressOf(&Log)},
      {"sc_loop_begin", AddressOf(&BeginLoop)},
      {"sc_loop_end", AddressOf(&EndLoop)},
      {"sc_loop_next", AddressOf(&NextIteration)},
      {"sc_run_apart", AddressOf(&RunApart)},
      {"sc_run_together", AddressOf(&RunTogether)},
      {"sc_scope_begin", AddressOf(&BeginScope)},
      {"sc_scope_end", AddressOf(&EndScope)},
      {"sc_sem_check", AddressOf(&CheckSemaphores)},
      {"sc_sem_read", AddressOf(&ReadSemaphore)},
      {"sc_sem_take", AddressOf(&TakeSemaphore)},
      {"sc_signal", AddressOf(&Signal)},
      {"sc_touch", AddressOf(&Touch)},
      {"sc_wait", AddressOf(&Wait)},
  };
}

}  // namespace

NB_MODULE(_machine, m) {
  m.doc() = "The runtime of compiled programs: agents, transfers, semaphores, failures.";
  // As sdykit.bridge._native: frames of an exception keep what they hold.
  nb::set_leak_warnings(false);
  m.attr("HAS_REPORT") = sdykit::machine::kHasReport;
  m.def("functions", &Functions, "Return the address of each function that programs call, by name.");
  m.attr("HAS_WARNINGS") = sdykit::machine::kHasWarnings;
  m.attr("NO_MEMORY") = sdykit::machine::kNoMemory;
  m.def("stacks_made", &sdykit::machine::StacksMade,
        "Return how many stacks of agents the process has made, in use or not.");
  m.def("take_report", &sdykit::machine::TakeReport, "number"_a,
        "Return the report with a number and forget it; empty if there is none.");
  sdykit::checks::Bind(m);
}
