// The native module `sdykit.bridge._native`.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "handler.h"
#include "interrupts.h"
#include "kernel.h"
#include "ordering.h"
#include "python_kernel.h"
#include "recorder.h"
#include "rendezvous.h"
#include "samples.h"
#include "xla/ffi/api/c_api.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using sdykit::Argument;
using sdykit::Kernel;
using sdykit::KernelHandle;

std::pair<int, int> XlaFfiApiVersion() {
  return {XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
}

nb::dict Handlers() {
  nb::dict handlers;
  handlers["instantiate"] =
      nb::capsule(reinterpret_cast<void*>(&sdykit::SdykitInstantiate));
  handlers["execute"] =
      nb::capsule(reinterpret_cast<void*>(&sdykit::SdykitExecute));
  return handlers;
}

// Makes the C library allocate large arrays in the heap and not in pages of their
// own, keep the heap, and use one for all threads: the heaps of threads have no
// room for more than 64 MiB.
bool KeepFreedMemory() {
#if defined(__GLIBC__)
  return mallopt(M_MMAP_THRESHOLD, 1 << 30) == 1 &&
         mallopt(M_TRIM_THRESHOLD, -1) == 1 && mallopt(M_ARENA_MAX, 1) == 1;
#else
  return false;
#endif
}

void MakeArgument(Argument* made, std::string name, const std::string& element,
                  std::vector<int64_t> sizes, int64_t alignment, int64_t work,
                  bool sampled) {
  const sdykit::Element* found = sdykit::FindElement(element);
  if (found == nullptr) {
    throw nb::value_error(
        ("unknown element type '" + element + "'; expected one of " + sdykit::ElementNames()).c_str());
  }
  if (alignment < 1) throw nb::value_error("alignment is less than 1; expected a number of bytes");
  new (made) Argument{std::move(name), found, std::move(sizes), alignment, work, sampled};
}

void MakeFigurePlan(sdykit::FigurePlan* made, int64_t devices, int64_t cores,
                    int64_t samples_per_core, int64_t tiles, int64_t pointers, bool minibatches,
                    bool is_counted, std::optional<size_t> words, std::optional<size_t> parts) {
  if (std::min({devices, cores, samples_per_core, tiles}) < 1 || pointers < devices * cores ||
      words.has_value() != parts.has_value() || (is_counted && devices > 1)) {
    throw nb::value_error(
        "a plan of figures is wrong; expected positive numbers, a row pointer for each partition, "
        "words with their parts or neither, and counted ids of one device only");
  }
  new (made) sdykit::FigurePlan{devices,     cores,      samples_per_core, tiles, pointers,
                                minibatches, is_counted, words,            parts};
}

void MakeSharedRun(sdykit::SharedRun* made, int64_t devices, size_t place, size_t offsets,
                   std::vector<std::tuple<size_t, std::vector<int64_t>, size_t>> workspaces) {
  std::vector<sdykit::Workspace> found;
  for (auto& [argument, sizes, bytes] : workspaces) {
    found.push_back({argument, std::move(sizes), bytes});
  }
  new (made) sdykit::SharedRun{devices, place, offsets, std::move(found)};
}

std::vector<sdykit::Alias> AliasesOf(const std::vector<std::pair<size_t, size_t>>& pairs) {
  std::vector<sdykit::Alias> aliases;
  for (const auto& [operand, result] : pairs) aliases.push_back({operand, result});
  return aliases;
}

KernelHandle MakePythonKernel(std::string name,
                              const std::vector<std::pair<size_t, size_t>>& pairs) {
  return {std::make_shared<const Kernel>(std::move(name), AliasesOf(pairs))};
}

void MakeKernel(
    KernelHandle* made, std::string name,
    const std::vector<std::pair<uintptr_t, uintptr_t>>& addresses,
    std::vector<Argument> arguments,
    const std::vector<std::pair<size_t, size_t>>& pairs,
    std::optional<size_t> status, std::optional<size_t> counters,
    std::optional<size_t> scope_times, std::optional<size_t> launch,
    std::optional<size_t> settings, const sdykit::MachineSettings& machine_settings,
    std::optional<sdykit::SharedRun> shared, size_t recorded,
    std::optional<sdykit::FigurePlan> figures, std::vector<std::string> messages,
    size_t scratch_bytes, int64_t serial_bytes, bool returns_status, bool asynchronous,
    bool described) {
  std::vector<sdykit::Phase> phases;
  for (const auto& [run, size] : addresses) {
    phases.push_back({reinterpret_cast<sdykit::RunPhase*>(run),
                      reinterpret_cast<sdykit::SizePhase*>(size)});
  }
  new (made) KernelHandle{std::make_shared<const Kernel>(
      std::move(name), std::move(phases), std::move(arguments),
      AliasesOf(pairs), status, counters, scope_times, launch, settings, machine_settings,
      std::move(shared), recorded, figures,
      returns_status, asynchronous, described,
      std::move(messages), scratch_bytes, serial_bytes)};
}

std::map<int32_t, std::pair<int64_t, std::vector<int64_t>>> CountsOf(
    const KernelHandle& handle) {
  std::map<int32_t, std::pair<int64_t, std::vector<int64_t>>> found;
  for (auto& [device, counts] : handle.kernel->TotalCounts()) {
    found[device] = {counts.runs, counts.sums};
  }
  return found;
}

std::vector<nb::bytes> BytesOf(const sdykit::Record& record) {
  std::vector<nb::bytes> found;
  for (const sdykit::Span& array : record.Arrays()) {
    found.emplace_back(array.data, array.size);
  }
  return found;
}

// Runs, left out runs and samples, of each sample its run, sizes and arrays, and runs with
// the times of their scopes.
nb::tuple StopRecording() {
  sdykit::Recording recording;
  {
    const nb::gil_scoped_release released;  // A run may be waiting for Python.
    recording = sdykit::TheRecorder().Stop();
  }
  nb::list inputs;
  for (const sdykit::RecordedInputs& each : recording.inputs) {
    nb::list arrays;
    for (const std::vector<char>& array : each.arrays) {
      arrays.append(nb::bytes(array.data(), array.size()));
    }
    inputs.append(nb::make_tuple(nb::bytes(&each.run, sizeof(each.run)), each.dims, arrays));
  }
  nb::list scopes;
  for (const sdykit::RecordedScopes& each : recording.scopes) {
    scopes.append(nb::make_tuple(
        nb::bytes(&each.run, sizeof(each.run)),
        nb::bytes(each.words.data(), each.words.size() * sizeof(int64_t))));
  }
  const size_t size = recording.count * sizeof(sdykit::RecordedRun);
  return nb::make_tuple(nb::bytes(recording.runs.get(), size), recording.left_out_runs,
                        recording.left_out_samples, inputs, scopes);
}

ptrdiff_t FirstBadSample(nb::handle samples, nb::handle weights,
                         std::optional<int32_t> last_id) {
  PyObject* const factors = weights.is_none() ? nullptr : weights.ptr();
  ptrdiff_t found = -1;
  if (!sdykit::FindBadSample(samples.ptr(), factors, last_id, &found)) {
    throw nb::python_error();
  }
  return found;
}

}  // namespace

NB_MODULE(_native, m) {
  m.doc() = "The native module: C++ against the XLA FFI headers of jaxlib.";
  // A process that ends with an exception keeps its frames and their objects; a
  // report of these as leaks would only hide the exception.
  nb::set_leak_warnings(false);
  m.attr("INTERFACE") = SDYKIT_INTERFACE;
  if (!sdykit::LoadNumpy()) throw nb::python_error();
  m.def("xla_ffi_api_version", &XlaFfiApiVersion,
        "Return the version (major, minor) of the XLA FFI API that this module was "
        "compiled against.");
  m.def("handlers", &Handlers,
        "Return the stages of the handler as capsules, for jax.ffi.register_ffi_target.");
  m.def("ordering",
        [] { return nb::capsule(reinterpret_cast<void*>(&sdykit::SdykitOrdering)); },
        "Return the handler of a call that orders others as a capsule, for "
        "jax.ffi.register_ffi_target.");
  m.def("set_compiler", &sdykit::SetCompiler, "compiler"_a.none(),
        "Set the function that compiles a spec to a Kernel, or None.");

  m.def("set_runner", &sdykit::SetRunner, "runner"_a.none(),
        "Set the function that runs a kernel of Python by its number, or None.");
  m.def("set_describer", &sdykit::SetDescriber, "describer"_a.none(),
        "Set the function that makes the text of a kernel's error, or None.");
  m.def("watch_interrupts", &sdykit::WatchInterrupts,
        "Count interrupts (SIGINT) from now on, so that programs end early; return whether it does.");
  m.def("is_interrupted_address",
        [] { return reinterpret_cast<uintptr_t>(&sdykit::IsInterrupted); },
        "Return the address of the function that says whether the run of a thread is to end.");
  m.def("python_kernel", &MakePythonKernel, "name"_a, nb::kw_only(), "aliases"_a,
        "Return a kernel that the runner runs.");
  m.def("set_record_reader", &sdykit::SetRecordReader, "reader"_a.none(),
        "Set the function that takes the records of all kernels when they take much "
        "memory, or None.");

  m.def("start_recording",
        [](size_t runs, size_t bytes) { sdykit::TheRecorder().Start(runs, bytes); },
        "max_runs"_a, "max_sample_bytes"_a,
        "Record the runs of all programs from now on, and the inputs of some.");
  m.def("stop_recording", &StopRecording,
        "End the recording; return its runs, how many runs and samples were left out, "
        "and the sampled inputs.");

  m.def("set_rendezvous_timeout",
        [](int64_t ms) { sdykit::SetRendezvousTimeout(std::chrono::milliseconds(ms)); },
        "milliseconds"_a,
        "Set how long devices wait for each other at a program that runs for all of them.");
  m.def("keep_freed_memory", &KeepFreedMemory,
        "Make the C library keep freed memory; return whether it can.");

  m.def("first_bad_sample", &FirstBadSample, "samples"_a, "weights"_a.none(),
        "last_id"_a.none(),
        "Return the position of the first sample that is not an int32 vector, "
        "whose weights are not a float32 vector of its length, or that has an id "
        "outside [0, last_id]; -1 if there is none.");

  nb::class_<Argument>(m, "Argument", "The expected type of an argument of a program.")
      .def("__init__", &MakeArgument, "name"_a, "element"_a, "sizes"_a,
           "alignment"_a = 1, "work"_a = 0, "sampled"_a = false)
      .def("__repr__", [](const Argument& argument) {
        return argument.name + ": " + sdykit::Describe(argument);
      });
  nb::class_<sdykit::Record>(m, "Record", "What is recorded of a run.")
      .def_prop_ro("device", &sdykit::Record::device, "The number of the device.")
      .def("arrays", &BytesOf, "Return the bytes of what was recorded: figures, or each operand.");
  nb::class_<sdykit::FigurePlan>(m, "FigurePlan", "How figures follow from the entries of a run.")
      .def("__init__", &MakeFigurePlan, nb::kw_only(), "devices"_a, "cores"_a,
           "samples_per_core"_a, "tiles"_a, "pointers"_a, "minibatches"_a, "is_counted"_a,
           "words"_a.none(),
           "parts"_a.none());
  nb::class_<sdykit::SharedRun>(m, "SharedRun", "How one run is for several devices.")
      .def("__init__", &MakeSharedRun, nb::kw_only(), "devices"_a, "place"_a, "offsets"_a,
           "workspaces"_a);
  nb::class_<KernelHandle>(m, "Kernel", "A compiled program.")
      .def("__init__", &MakeKernel, "name"_a, "phases"_a, "arguments"_a,
           nb::kw_only(), "aliases"_a, "status"_a.none(),
           "counters"_a.none() = nb::none(), "scope_times"_a.none() = nb::none(),
           "launch"_a.none() = nb::none(),
           "settings"_a.none() = nb::none(),
           "machine_settings"_a = sdykit::MachineSettings{},
           "shared"_a.none() = nb::none(),
           "recorded"_a = 0, "figures"_a.none() = nb::none(), "messages"_a,
           "scratch_bytes"_a,
           "serial_bytes"_a, "returns_status"_a = false, "asynchronous"_a = false,
           "described"_a = false)
      .def_prop_ro(
          "number", [](const KernelHandle& handle) { return handle.kernel->number(); },
          "Its number among all kernels of the process.")
      .def("counts", &CountsOf,
           "Return the counts: device -> number of runs, and the sum of each counter.")
      .def("forget_counts",
           [](const KernelHandle& handle) { handle.kernel->ForgetCounts(); },
           "Set all counts to 0, and forget the records.")
      .def("take_records",
           [](const KernelHandle& handle) { return handle.kernel->records().Take(); },
           "Return and forget the records of all runs.");
}
