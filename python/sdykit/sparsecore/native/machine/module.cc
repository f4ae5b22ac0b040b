// The native module `sdykit.sparsecore._machine`: what compiled programs call.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../checks/module.h"
#include "apart.h"
#include "functions.h"
#include "interrupts.h"
#include "loading.h"
#include "processor.h"
#include "reports.h"
#include "run.h"
#include "stacks.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// The address of a function, and how many arguments it takes.
using Linked = std::pair<uintptr_t, size_t>;

template <typename Result, typename... Arguments>
Linked AddressOf(Result (*function)(Arguments...)) {
  return {reinterpret_cast<uintptr_t>(function), sizeof...(Arguments)};
}

std::map<std::string, Linked> Functions() {
  using namespace sdykit::machine;
  return {
      {"sc_barrier", AddressOf(&Barrier)},
      {"sc_dma", AddressOf(&StartTransfer)},
      {"sc_fetch_and_add", AddressOf(&FetchAndAdd)},
      {"sc_fill", AddressOf(&Fill)},
      {"sc_indirect", AddressOf(&StartIndirect)},
      {"sc_is_interrupted", AddressOf(&IsInterrupted)},
      {"sc_let_others", AddressOf(&LetOthers)},
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
      {"sc_spin", AddressOf(&Spin)},
      {"sc_spin_end", AddressOf(&EndSpin)},
      {"sc_touch", AddressOf(&Touch)},
      {"sc_touch_word", AddressOf(&TouchWord)},
      {"sc_wait", AddressOf(&Wait)},
  };
}

std::vector<uintptr_t> LoadObjects(const std::vector<nb::bytes>& objects,
                                   const std::vector<std::string>& symbols,
                                   const sdykit::machine::Addresses& known) {
  std::vector<std::string_view> contents;
  for (const nb::bytes& each : objects) contents.emplace_back(each.c_str(), each.size());
  return sdykit::machine::Load(contents, symbols, known);
}

}  // namespace

NB_MODULE(_machine, m) {
  m.doc() = "The runtime of compiled programs: agents, transfers, semaphores, failures.";
  // As sdykit.bridge._native: frames of an exception keep what they hold.
  nb::set_leak_warnings(false);
  m.attr("INTERFACE") = SDYKIT_INTERFACE;
  m.attr("HAS_REPORT") = sdykit::machine::kHasReport;
  m.def("functions", &Functions,
        "Return the address and the number of arguments of each function that programs call, by name.");
  m.def("load", &LoadObjects, "objects"_a, "symbols"_a, "known"_a,
        "Load object files and return the addresses of symbols; empty if LLVM has to link them.");
  m.def("processor", &sdykit::machine::Processor,
        "Return the numbers by which LLVM knows the processor; empty if they are not known.");
  m.def("set_interrupted",
        [](uintptr_t address) {
          sdykit::machine::SetInterrupted(
              reinterpret_cast<sdykit::machine::IsInterruptedFunction*>(address));
        },
        "address"_a, "Set the function that says whether the run of a thread is to end; 0: none is.");
  m.def("is_interrupted", [] { return sdykit::machine::IsInterrupted() != 0; },
        "Return whether the run of the calling thread is to end.");
  m.attr("HAS_WARNINGS") = sdykit::machine::kHasWarnings;
  m.attr("NO_MEMORY") = sdykit::machine::kNoMemory;
  m.def("stacks_made", &sdykit::machine::StacksMade,
        "Return how many stacks of agents the process has made, in use or not.");
  m.def("take_report", &sdykit::machine::TakeReport, "number"_a,
        "Return the report with a number and forget it; empty if there is none.");
  sdykit::checks::Bind(m);
}
