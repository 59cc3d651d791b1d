// Files as buffers in memory.
#include <hdf5_hl.h>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

std::string sample_image() {
    const Id file = create("sample.h5");
    write(dataset(file, "x", H5T_STD_I32LE, {6}), counted(6));
    DO(H5Fflush(file, H5F_SCOPE_LOCAL));
    std::string image(static_cast<size_t>(DO(H5Fget_file_image(file, nullptr, 0))), '\0');
    DO(H5Fget_file_image(file, image.data(), image.size()));
    DO(H5Fget_file_image(file, image.data(), 10));
    say("image", image.size(), digest(image.data(), image.size()));
    return image;
}

}  // namespace

SCENARIO(image_of_a_file) {
    put_file("image.h5", sample_image());
    const Id file = open("image.h5");
    describe(file);
}

SCENARIO(image_opened) {
    const std::string image = sample_image();
    for (const bool backed : {false, true}) {
        const Id list = access();
        DO(H5Pset_fapl_core(list, 4096, backed));
        std::string copy = image;
        DO(H5Pset_file_image(list, copy.data(), copy.size()));
        const Id file = open(backed ? "backed.h5" : "memory.h5", H5F_ACC_RDWR, list);
        const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
        read(set);
        write(set, counted(6, 100));
        attribute(file, "new", {1});
        DO(H5Fflush(file, H5F_SCOPE_LOCAL));
        DO(H5Fget_file_image(file, nullptr, 0));
        const Id back = ID(H5Fget_access_plist(file));
        void* buffer = nullptr;
        size_t size = 0;
        DO(H5Pget_file_image(back, &buffer, &size));
        say("image on the file's list", buffer != nullptr, size);
        H5free_memory(buffer);
    }
}

SCENARIO(image_high_level_flags) {
    {
        const Id file = create("witness.h5");
    }
    const std::string image = sample_image();
    constexpr unsigned kFlags[] = {
        0, H5LT_FILE_IMAGE_OPEN_RW, H5LT_FILE_IMAGE_OPEN_RW | H5LT_FILE_IMAGE_DONT_COPY,
        H5LT_FILE_IMAGE_OPEN_RW | H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE};
    for (const unsigned flags : kFlags) {
        say("flags", flags);
        void* copy = H5allocate_memory(image.size(), false);
        image.copy(static_cast<char*>(copy), image.size());
        Id file = ID(H5LTopen_file_image(copy, image.size(), flags));
        const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
        read(set);
        if ((flags & H5LT_FILE_IMAGE_OPEN_RW) != 0) write(set, counted(6, 7));
        H5Dclose(const_cast<Id&>(set).release());
        file.close();
        const bool ours =
            (flags & H5LT_FILE_IMAGE_DONT_COPY) == 0 || (flags & H5LT_FILE_IMAGE_DONT_RELEASE) != 0;
        if (!ours) continue;
        say("buffer changed",
            image.compare(0, image.size(), static_cast<char*>(copy), image.size()) != 0);
        H5free_memory(copy);
    }
    std::string rubbish(2000, 'x');
    const Id refused = ID(H5LTopen_file_image(rubbish.data(), rubbish.size(), 0));
}

SCENARIO(image_of_core_and_family_files) {
    {
        const Id list = access();
        DO(H5Pset_fapl_core(list, 4096, false));
        const Id file = create("core.h5", list);
        attribute(file, "a", {1});
        DO(H5Fflush(file, H5F_SCOPE_LOCAL));
        DO(H5Fget_file_image(file, nullptr, 0));
    }
    const Id list = access();
    DO(H5Pset_fapl_family(list, 2048, H5P_DEFAULT));
    const Id file = create("family%d.h5", list);
    DO(H5Fget_file_image(file, nullptr, 0));
}

}  // namespace scenario
