#include "handler.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "frame.h"
#include "ieee.h"
#include "job.h"
#include "python_kernel.h"
#include "python_objects.h"
#include "recorder.h"
#include "rendezvous.h"
#include "threads.h"
#include "xla/ffi/api/ffi.h"

namespace nb = nanobind;
namespace ffi = xla::ffi;

namespace sdykit {

// What instantiation passes to the executions of a call.
struct State {
  static ffi::TypeId id;
  std::shared_ptr<const Kernel> kernel;
  int32_t call_site = NextCallSite();
};

ffi::TypeId State::id = XLA_FFI_UNKNOWN_TYPE_ID;

}  // namespace sdykit

// A future costs more than a small program, so it is made for large ones only.
template <ffi::ExecutionStage stage>
struct xla::ffi::ResultEncoding<stage, sdykit::Outcome> {
  static std::variant<XLA_FFI_Error*, XLA_FFI_Future*> Encode(
      const XLA_FFI_Api* api, XLA_FFI_ExecutionContext* ctx,
      sdykit::Outcome outcome) {
    if (outcome.future.has_value()) {
      return ResultEncoding<stage, Future>::Encode(api, ctx,
                                                   *std::move(outcome.future));
    }
    return ResultEncoding<stage, Error>::Encode(api, ctx,
                                                std::move(outcome.error));
  }
};

namespace sdykit {

namespace {

constexpr char kSpec[] = "spec";

// Not nb::objects, whose destructors would run when Python has ended.
PyObject* compiler = nullptr;
PyObject* record_reader = nullptr;

ffi::ErrorOr<std::unique_ptr<State>> Fail(std::string text) {
  return ffi::Unexpected(ffi::Error::InvalidArgument(std::move(text)));
}

ffi::ErrorOr<std::unique_ptr<State>> Compile(std::string_view spec) {
  // Constants are rounded as the program computes.
  const IeeeArithmetic ieee;
  nb::object made = nb::borrow(compiler)(nb::str(spec.data(), spec.size()));
  KernelHandle* handle = nullptr;
  if (!nb::try_cast(made, handle) || handle == nullptr) {
    return Fail("the compiler of kernels returned " +
                nb::cast<std::string>(nb::repr(made)) + "; expected a Kernel");
  }
  auto state = std::make_unique<State>();
  state->kernel = handle->kernel;
  return state;
}

ffi::ErrorOr<std::unique_ptr<State>> Instantiate(std::string_view spec) {
  if (!Py_IsInitialized()) return Fail("Python has ended; programs can be compiled only before");
  nb::gil_scoped_acquire gil;
  if (compiler == nullptr) {
    return Fail("no compiler of kernels is set; import sdykit.bridge.ffi");
  }
  try {
    return Compile(spec);
  } catch (const nb::python_error& error) {
    return Fail(DescribeException(error));
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
}

// Lets Python take the records, so that their memory is free.
void ReadRecords() {
  if (!Py_IsInitialized()) return;
  nb::gil_scoped_acquire gil;
  // Another thread may have called it meanwhile.
  if (record_reader != nullptr && Records::AreLarge()) {
    nb::borrow(record_reader)();
  }
}

// Returns the maximum number of threads, the calling one included. XLA's pool
// can have more threads than the machine has cores, and other devices may use
// some of them.
int64_t MaxThreads(const ffi::ThreadPool& pool) {
  static const auto cores =
      static_cast<int64_t>(std::thread::hardware_concurrency());
  return std::min(pool.num_threads(), cores - ThreadsRunning());
}

void WorkInParallel(const std::shared_ptr<Job>& job, ffi::ThreadPool& pool) {
  for (int64_t i = 1; i < job->num_threads(); ++i) {
    pool.Schedule([job] { job->Work(); });
  }
  job->Work();
}

ffi::Future RunParallel(std::shared_ptr<Job> job, ffi::ThreadPool& pool) {
  ffi::Future future = job->Completion();
  WorkInParallel(job, pool);
  job->Linger();
  return future;
}

// Leaves the calling thread, and those of the pool, to other work.
ffi::Future RunAsynchronously(std::shared_ptr<Job> job) {
  ffi::Future future = job->Completion();
  for (int64_t i = 0; i < job->num_threads(); ++i) {
    RunOnOwnThread([job] { job->Work(); });
  }
  return future;
}

// Returns the maximum number of threads that run a program.
int64_t ThreadsFor(const Kernel& kernel, const Frame& frame, const ffi::ThreadPool& pool) {
  if (frame.work <= kernel.serial_bytes()) return 1;
  return std::max<int64_t>(1, MaxThreads(pool));
}

// Takes part in a run for several devices.
Outcome RunShared(const State& state, Frame& frame, ffi::ThreadPool& pool) {
  const auto threads = [&](const Frame& joint) {
    return ThreadsFor(*state.kernel, joint, pool);
  };
  const auto start = [&](const std::shared_ptr<Job>& job) { WorkInParallel(job, pool); };
  return Meet(state.kernel, state.call_site, frame, threads, start);
}

Outcome Run(const State& state, ffi::ThreadPool& pool, int32_t device,
            ffi::RunId execution, ffi::RemainingArgs operands,
            ffi::RemainingRets results) {
  const Kernel& kernel = *state.kernel;
  if (Records::AreLarge()) ReadRecords();
  Frame& frame = ThreadFrame();
  frame.device = device;
  frame.launch = execution.run_id;
  frame.run = {};
  frame.is_sampled = false;
  if (TheRecorder().IsOn()) {
    frame.run = TheRecorder().Begin(kernel.number(), state.call_site, device,
                                    execution.run_id);
    frame.is_sampled = TheRecorder().IsSampled(frame.run);
  }
  if (kernel.runs_in_python()) {
    return {RunInPython(kernel, operands, results, frame), std::nullopt};
  }
  ffi::Error error = Bind(kernel, operands, results, frame);
  if (error.failure()) return {std::move(error), std::nullopt};
  if (frame.is_sampled) TheRecorder().Sample(frame.run, kernel, frame);
  if (kernel.shared().has_value()) return RunShared(state, frame, pool);
  const int64_t threads = ThreadsFor(kernel, frame, pool);
  if (threads > 1 || kernel.asynchronous()) {
    auto job = std::make_shared<Job>(state.kernel, frame, threads);
    if (kernel.asynchronous()) {
      return {ffi::Error::Success(), RunAsynchronously(std::move(job))};
    }
    if (job->num_threads() > 1) {
      return {ffi::Error::Success(), RunParallel(std::move(job), pool)};
    }
  }
  return {RunSerial(kernel, frame), std::nullopt};
}

Outcome Execute(State* state, ffi::ThreadPool pool, int32_t device,
                ffi::RunId execution, ffi::RemainingArgs operands,
                ffi::RemainingRets results) {
  Outcome outcome;
  try {
    outcome = Run(*state, pool, device, execution, operands, results);
  } catch (const std::exception& error) {
    outcome.error = ffi::Error::Internal("@" + state->kernel->name() + ": " + error.what());
  }
  if (outcome.error.failure()) FailExecution(execution.run_id, outcome.error);
  return outcome;
}

bool AsksForMetadata(const XLA_FFI_CallFrame* frame) {
  return frame->extension_start != nullptr &&
         frame->extension_start->type == XLA_FFI_Extension_Metadata;
}

}  // namespace

void SetCompiler(nb::object made) { ReplaceHeld(compiler, std::move(made)); }

void SetRecordReader(nb::object made) {
  ReplaceHeld(record_reader, std::move(made));
}

extern "C" XLA_FFI_Error* SdykitInstantiate(XLA_FFI_CallFrame* frame) {
  // The type of the state has to be registered after the backend exists and
  // before the handler: that is when XLA asks for the handler's metadata.
  if (AsksForMetadata(frame) && State::id == XLA_FFI_UNKNOWN_TYPE_ID) {
    static constexpr XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<State>();
    XLA_FFI_Error* error = ffi::Ffi::RegisterTypeId(
        frame->api, "sdykit_sparsecore_state", &State::id, &info);
    if (error != nullptr) return error;
  }
  static const auto* handler = ffi::Ffi::BindInstantiate()
                                   .Attr<std::string_view>(kSpec)
                                   .To(Instantiate)
                                   .release();
  return handler->Call(frame);
}

extern "C" XLA_FFI_Error* SdykitExecute(XLA_FFI_CallFrame* frame) {
  static const auto* handler = ffi::Ffi::BindExecute()
                                   .Ctx<ffi::State<State>>()
                                   .Ctx<ffi::ThreadPool>()
                                   .Ctx<ffi::DeviceOrdinal>()
                                   .Ctx<ffi::RunId>()
                                   .RemainingArgs()
                                   .RemainingRets()
                                   .To(Execute)
                                   .release();
  return handler->Call(frame);
}

}  // namespace sdykit
