#include "module.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "checks.h"
#include "loops.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit::checks {

namespace {

// Owner, first byte, sizes and strides, bytes of an element, where rows begin.
using GivenMemory = std::tuple<int64_t, int64_t, std::vector<std::pair<int64_t, int64_t>>, int64_t,
                               std::vector<int64_t>>;

// Kind, agent, place, action, transfer, other, other_place, other_action, address.
using Found = std::vector<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                     int64_t, int64_t>>;

Memory MemoryOf(const GivenMemory& given) {
  const auto& [owner, first, sizes, width, starts] = given;
  std::vector<Region::Dimension> dimensions;
  for (const auto& [size, stride] : sizes) dimensions.push_back({size, stride});
  return {owner, Region(first, std::move(dimensions), width, starts)};
}

Found TuplesOf(const std::vector<Finding>& findings) {
  Found found;
  for (const Finding& each : findings) {
    found.emplace_back(each.kind, each.agent, each.place, static_cast<int64_t>(each.action),
                       each.transfer, each.other, each.other_place,
                       static_cast<int64_t>(each.other_action), each.address);
  }
  return found;
}

Found Enqueue(Checks& checks, int64_t agent, int64_t place, int64_t semaphore, int64_t amount,
              const GivenMemory& source, const GivenMemory& target, int64_t action,
              const std::optional<GivenMemory>& offsets, const std::optional<nb::bytes>& same,
              std::optional<int64_t> source_semaphore, int64_t source_amount, bool remote) {
  // Of each byte of the target, in the order of its elements: whether it stays as it is.
  const Same is_same = [&same](int64_t begin, int64_t end) {
    return std::all_of(same->c_str() + begin, same->c_str() + end, [](char c) { return c != 0; });
  };
  std::optional<Memory> offsets_memory;
  if (offsets) offsets_memory = MemoryOf(*offsets);
  return TuplesOf(checks.Enqueue({agent, place, static_cast<Action>(action), semaphore, amount,
                                  MemoryOf(source), MemoryOf(target), std::move(offsets_memory),
                                  same ? &is_same : nullptr, remote, source_semaphore,
                                  source_amount}));
}

Found Touch(Checks& checks, int64_t agent, int64_t place, const GivenMemory& memory,
            int64_t action) {
  return TuplesOf(
      checks.Touch(agent, place, MemoryOf(memory).region, static_cast<Action>(action)));
}

// Iteration, place and action of each access that one conflicts with.
std::vector<std::tuple<int64_t, int64_t, int64_t>> TouchInLoop(ParallelLoop& loop, int64_t begin,
                                                               int64_t end, int64_t place,
                                                               int64_t action) {
  std::vector<std::tuple<int64_t, int64_t, int64_t>> found;
  for (const LoopAccess& each : loop.Touch(begin, end, place, static_cast<Action>(action))) {
    found.emplace_back(each.iteration, each.place, static_cast<int64_t>(each.action));
  }
  return found;
}

}  // namespace

void Bind(nb::module_& m) {
  nb::class_<Checks>(m, "Checks", "The checks of a run of a kernel, by its events.")
      .def(
          "__init__",
          [](Checks* self, int64_t agents, size_t most) {
            new (self) Checks(agents, nullptr, most);
          },
          "agents"_a, "most"_a)
      .def("enqueue", &Enqueue, "agent"_a, "place"_a, "semaphore"_a, "amount"_a, "source"_a,
           "target"_a, "action"_a, "offsets"_a.none(), "same"_a.none(),
           "source_semaphore"_a.none(), "source_amount"_a, "remote"_a)
      .def("touch", &Touch, "agent"_a, "place"_a, "memory"_a, "action"_a)
      .def("signal", &Checks::Signal, "agent"_a, "semaphore"_a)
      .def("wait", &Checks::Wait, "agent"_a, "semaphore"_a, "amount"_a)
      .def(
          "barrier",
          [](Checks& checks, const std::vector<int64_t>& agents) {
            checks.Barrier(agents.data(), static_cast<int64_t>(agents.size()));
          },
          "agents"_a)
      .def("add_earlier", &Checks::AddEarlier, "semaphore"_a, "amount"_a)
      .def(
          "fetch_and_add",
          [](Checks& checks, int64_t agent, int64_t place, int64_t word) {
            return TuplesOf(checks.FetchAndAdd(agent, place, word));
          },
          "agent"_a, "place"_a, "word"_a)
      .def(
          "touch_word",
          [](Checks& checks, int64_t agent, int64_t place, int64_t word, int64_t action) {
            return TuplesOf(checks.TouchWord(agent, place, word, static_cast<Action>(action)));
          },
          "agent"_a, "place"_a, "word"_a, "action"_a)
      .def_prop_ro("access_count", &Checks::access_count);
  nb::class_<ParallelLoop>(m, "ParallelLoop", "A loop whose iterations are compared.")
      .def(nb::init<int64_t>(), "place"_a)
      .def("next", &ParallelLoop::Next)
      .def("forget", &ParallelLoop::Forget, "begin"_a, "end"_a)
      .def("touch", &TouchInLoop, "begin"_a, "end"_a, "place"_a, "action"_a);
}

}  // namespace sdykit::checks
