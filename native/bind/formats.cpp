// Binds native/formats.
#include "bind/bind.hpp"

void subiso::bind_formats(nb::module_&) {}
