// Stand-ins for filters and kinds of links that are not installed here. What is stored is copied as
// it is; HDF5 only wants to know that there is somebody who could make sense of it.
#pragma once

#include <hdf5.h>

namespace quarry::hdf5 {

void stand_in_for_filter(H5Z_filter_t filter, const char* name);
// For those of the list that HDF5 does not find.
void stand_in_for_filters(hid_t creation_list);
void stand_in_for_links(H5L_type_t kind);

// Whether the list names a filter that is only stood in for: what has to be decoded cannot be.
bool has_stand_in(hid_t creation_list);

}  // namespace quarry::hdf5
