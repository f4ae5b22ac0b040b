#include "python_objects.h"

#include <nanobind/stl/string.h>

#include <utility>

namespace nb = nanobind;

namespace sdykit {

void ReplaceHeld(PyObject*& held, nb::object made) {
  PyObject* next = made.is_none() ? nullptr : made.release().ptr();
  PyObject* old = std::exchange(held, next);
  Py_XDECREF(old);
}

std::string DescribeException(const nb::python_error& error) {
  const auto text = nb::cast<std::string>(nb::str(error.value()));
  const nb::handle type = error.type();
  const auto name = nb::cast<std::string>(type.attr("__name__"));
  if (text.empty()) return name;
  // Python's own exceptions say little without their type: "'width'".
  const auto module = nb::cast<std::string>(type.attr("__module__"));
  return module == "builtins" ? name + ": " + text : text;
}

}  // namespace sdykit
