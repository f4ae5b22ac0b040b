#ifndef SDYKIT_SPARSECORE_CHECKS_MODULE_H_
#define SDYKIT_SPARSECORE_CHECKS_MODULE_H_

#include <nanobind/nanobind.h>

namespace sdykit::checks {

// Adds the class `Checks`, by which tests compare the checks with those of the reference.
void Bind(nanobind::module_& m);

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_MODULE_H_
