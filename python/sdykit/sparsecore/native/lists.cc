#include "lists.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "pool.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

Source::Source(const char* function, const nb::tuple& given, int64_t cores) {
  CheckTuple({function, "source"}, given, 4);
  for (const nb::handle each : nb::cast<nb::tuple>(given[0])) {
    features_.emplace_back(function, nb::cast<nb::tuple>(each), cores);
  }
  combiner_ = nb::cast<int>(given[1]);
  CheckRange({function, "combiner"}, combiner_, kSum, kSqrtn);
  gain_ = nb::cast<std::optional<float>>(given[2]);
  if (!given[3].is_none()) limits_.emplace(function, nb::cast<nb::tuple>(given[3]), cores);
}

bool Source::is_in_order() const {
  const auto has_one_id = [](const Feature& feature) { return feature.valency() == 1; };
  return !has_limits() && std::all_of(features_.begin(), features_.end(), has_one_id);
}

int64_t Source::Count(int64_t core) const {
  int64_t count = 0;
  for (const Feature& feature : features_) count += feature.Count(core);
  CheckRange({"a list", "number of ids"}, count, 0, kRowMask);
  return count;
}

std::optional<List> Source::Fill(int64_t core, Scratch& scratch, uint8_t* codes) const {
  const int64_t count = Count(core);
  uint64_t* const words = scratch.words.Get(count);
  float* const gains = is_weighted() ? scratch.gains.Get(std::max<int64_t>(count, 1)) : nullptr;
  int64_t end = 0;
  for (const Feature& feature : features_) {
    const int64_t own = feature.Count(core);
    uint8_t& code = *codes++;
    if (gains != nullptr && feature.Gains(core, own, combiner_, gains + end)) code |= kDoubtful;
    if (!feature.Words(core, own, words + end)) {
      code |= kBadId;
      return std::nullopt;
    }
    end += own;
  }
  const List list{words, gains, gain_.value_or(1.0F), count};
  return has_limits() ? limits_->Limit(core, list, scratch) : list;
}

namespace {

// Writes the lists of SparseCores one after another; returns the number of dropped ids.
int64_t FillLists(const Source& source, Range cores, const Array<int64_t>& starts,
                  const Array<uint64_t>& words, const Array<float>& gains, uint8_t* codes) {
  HeldScratch scratch;
  int64_t position = 0, dropped = 0;
  starts.data()[0] = 0;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    const std::optional<List> list = source.Fill(core, *scratch, codes);
    if (!list) return dropped;
    dropped += source.Count(core) - list->count;
    std::copy_n(list->words, list->count, words.data() + position);
    if (source.is_weighted()) {
      std::copy_n(list->gains, list->count, gains.data() + position);
    }
    position += list->count;
    starts.data()[core - cores.first + 1] = position;
  }
  return dropped;
}

int64_t BindFillLists(Range cores, const nb::tuple& source, nb::handle starts, nb::handle words,
                      nb::handle gains, nb::handle codes) {
  constexpr const char* kFunction = "fill_lists";
  CheckRange({kFunction, "cores"}, cores.first, 0, cores.second);
  const Source features(kFunction, source, cores.second);
  const Array<int64_t> begins({kFunction, "starts"}, starts);
  begins.Needs(cores.second - cores.first + 1);
  const Array<uint64_t> list({kFunction, "words"}, words);
  const Array<float> factors({kFunction, "gains"}, gains);
  const Array<uint8_t> found({kFunction, "codes"}, codes);
  found.Needs(features.features());
  int64_t ids = 0;
  for (int64_t core = cores.first; core < cores.second; ++core) ids += features.Count(core);
  list.Needs(ids);
  if (features.is_weighted()) factors.Needs(ids);
  nb::gil_scoped_release release;
  return FillLists(features, cores, begins, list, factors, found.data());
}

}  // namespace

void BindLists(nb::module_& m) {
  m.attr("SUM") = static_cast<int>(kSum);
  m.attr("MEAN") = static_cast<int>(kMean);
  m.attr("SQRTN") = static_cast<int>(kSqrtn);
  m.attr("BAD_ID") = static_cast<int>(kBadId);
  m.attr("DOUBTFUL") = static_cast<int>(kDoubtful);
  m.def("fill_lists", &BindFillLists, "cores"_a, "source"_a, "starts"_a, "words"_a, "gains"_a,
        "codes"_a);
}

}  // namespace sdykit
