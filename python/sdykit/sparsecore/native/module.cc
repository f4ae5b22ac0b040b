// The native module `sdykit.sparsecore._kernels`: the loops of preprocessing.

#include <nanobind/nanobind.h>

#include "kernels.h"

NB_MODULE(_kernels, m) {
  m.doc() = "The compiled loops of preprocessing.";
  // As sdykit.bridge._native: frames of an exception keep what they hold.
  nanobind::set_leak_warnings(false);
  m.attr("INTERFACE") = SDYKIT_INTERFACE;
  sdykit::BindLists(m);
  sdykit::BindPack(m);
  sdykit::BindBuckets(m);
  sdykit::BindMinibatches(m);
  sdykit::BindCount(m);
  sdykit::BindIndex(m);
  sdykit::BindRawIds(m);
}
