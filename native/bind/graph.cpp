// Binds native/graph.
#include "bind/bind.hpp"

void subiso::bind_graph(nb::module_&) {}
