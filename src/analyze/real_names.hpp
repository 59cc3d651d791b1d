// The names of input files, as they lead to them now.
#pragma once

#include <quarry/inputs.hpp>

namespace quarry::analyze {

// Programs open files by links, and from directories of their own (../data/in.h5). The path of a
// file becomes the one without links, by which people know it; the others stay names of it, but for
// those that are gone: programs have made them for a while, it seems.
void use_real_names(InputFile& file);

}  // namespace quarry::analyze
