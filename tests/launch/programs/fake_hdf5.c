// Enough of an HDF5 library to be taken for one by looking at it. Never called.
extern const char H5_lib_vers_info_g[];
int H5open(void);

const char H5_lib_vers_info_g[] = "HDF5 library version: " FAKE_VERSION;

int H5open(void) {
    return H5_lib_vers_info_g[0];
}
