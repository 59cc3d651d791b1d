#include "scenario.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

namespace scenario {
namespace {

std::map<std::string, void (*)()>& registered() {
    static std::map<std::string, void (*)()> all;
    return all;
}

thread_local std::string* story = nullptr;

// Chosen with --one-file: what H5Pset_vol is given.
const char* one_file_options = nullptr;

std::string message(hid_t id) {
    H5E_type_t kind;
    char words[256] = "";
    H5Eget_msg(id, &kind, words, sizeof words);
    return words;
}

herr_t say_error(unsigned number, const H5E_error2_t* error, void*) {
    char cls[64] = "";
    H5Eget_class_name(error->cls_id, cls, sizeof cls);
    const char* file = std::strrchr(error->file_name, '/');
    say("  error", number, cls, message(error->maj_num), "/", message(error->min_num), "in",
        error->func_name, file != nullptr ? file + 1 : error->file_name, error->line, ":",
        error->desc);
    return 0;
}

}  // namespace

Registration::Registration(const char* name, void (*run)()) {
    registered()[name] = run;
}

void say_line(const std::string& line) {
    if (story != nullptr) {
        *story += line + "\n";
        return;
    }
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);  // whatever comes next may crash
}

Told::Told() {
    scenario::story = &story;
}
Told::~Told() {
    scenario::story = nullptr;
}

void before_call() {
    errno = 0;
}

void say_errors() {
    const hid_t stack = H5Eget_current_stack();  // a copy: looking closer would clear the original
    H5Ewalk2(stack, H5E_WALK_UPWARD, say_error, nullptr);
    H5Eclose_stack(stack);
}

void say_call(const char* call, const std::string& result, int error, bool failed) {
    say_line(std::string(call) + " = " + result);
    if (!failed) return;
    say("  errno", error);
    say_errors();
}

Id said_id(const char* call, hid_t id) {
    const int error = errno;
    say_call(call, id >= 0 ? "id" : "failed", error, id < 0);
    return Id(id);
}

std::string text(const std::string& value) {
    return value;
}
std::string text(const char* value) {
    return value != nullptr ? value : "(null)";
}
std::string text(bool value) {
    return value ? "yes" : "no";
}

std::string text(double value) {
    char words[40];
    std::snprintf(words, sizeof words, "%.17g", value);
    return words;
}

std::string text_of_list(const std::vector<std::string>& items) {
    constexpr size_t kShown = 24;
    std::string all;
    for (const std::string& item : items) all += (all.empty() ? "" : " ") + item;
    if (items.size() <= kShown) return "[" + all + "]";
    std::string shown;
    for (size_t i = 0; i < kShown; ++i) shown += items[i] + " ";
    return "[" + shown + "... " + std::to_string(items.size()) + " in all, digest " +
           digest(all.data(), all.size()) + "]";
}

std::string digest(const void* bytes, size_t size) {
    uint64_t value = 1469598103934665603ULL;
    for (size_t i = 0; i < size; ++i) {
        value = (value ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211ULL;
    }
    char words[20];
    std::snprintf(words, sizeof words, "%016llx", static_cast<unsigned long long>(value));
    return words;
}

void Id::close() {
    const hid_t id = release();
    if (id < 0) return;
    herr_t answer = 0;
    before_call();
    switch (H5Iget_type(id)) {
        case H5I_FILE:
            answer = H5Fclose(id);
            break;
        case H5I_GROUP:
            answer = H5Gclose(id);
            break;
        case H5I_DATASET:
            answer = H5Dclose(id);
            break;
        case H5I_DATATYPE:
            answer = H5Tclose(id);
            break;
        case H5I_DATASPACE:
            answer = H5Sclose(id);
            break;
        case H5I_ATTR:
            answer = H5Aclose(id);
            break;
        case H5I_GENPROP_LST:
            answer = H5Pclose(id);
            break;
        case H5I_EVENTSET:
            answer = H5ESclose(id);
            break;
        case H5I_SPACE_SEL_ITER:
            answer = H5Ssel_iter_close(id);
            break;
        case H5I_BADID:
            say("closing something that is gone");
            break;
        default:
            answer = H5Idec_ref(id);
            break;
    }
    if (answer < 0) say_call("close", "failed", errno, true);
}

Id list(hid_t property_class, const std::function<void(hid_t)>& change) {
    Id made(H5Pcreate(property_class));
    change(made);
    return made;
}

Id access() {
    return list(H5P_FILE_ACCESS, [](hid_t made) {
        if (one_file_options == nullptr) return;
        const hid_t connector = H5VLregister_connector_by_name("quarry", H5P_DEFAULT);
        void* info = nullptr;
        if (H5VLconnector_str_to_info(one_file_options, connector, &info) < 0) std::abort();
        if (H5Pset_vol(made, connector, info) < 0) std::abort();
        H5VLfree_connector_info(connector, info);
        H5VLclose(connector);
    });
}

void touch_connector() {
    if (one_file_options != nullptr) {
        H5VLclose(H5VLregister_connector_by_name("quarry", H5P_DEFAULT));
    }
}

Id create(const char* name, const Id& list, hid_t creation) {
    say("create", name);
    return ID(H5Fcreate(name, H5F_ACC_TRUNC, creation, list));
}

Id open(const char* name, unsigned flags, const Id& list) {
    say("open", name, flags);
    return ID(H5Fopen(name, flags, list));
}

Id space(const Dims& dims, const Dims& largest) {
    return Id(H5Screate_simple(static_cast<int>(dims.size()), dims.data(),
                               largest.empty() ? nullptr : largest.data()));
}

Id chunked(const Dims& chunk) {
    return list(H5P_DATASET_CREATE, [&](hid_t made) {
        H5Pset_chunk(made, static_cast<int>(chunk.size()), chunk.data());
    });
}

Id dataset(hid_t place, const char* name, hid_t type, const Dims& dims, hid_t creation,
           const Dims& largest) {
    say("dataset", name, dims);
    const Id extent = space(dims, largest);
    return ID(H5Dcreate2(place, name, type, extent, H5P_DEFAULT, creation, H5P_DEFAULT));
}

size_t elements_of(hid_t dataset) {
    const Id extent(H5Dget_space(dataset));
    return static_cast<size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(extent), 0));
}

void attribute(hid_t object, const char* name, const std::vector<int>& values) {
    const Id extent = space({values.size()});
    say("attribute", name, values);
    const Id made = ID(H5Acreate2(object, name, H5T_STD_I32LE, extent, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Awrite(made, H5T_NATIVE_INT, values.data()));
}

std::vector<int> read_attribute(hid_t object, const char* name) {
    const Id opened = ID(H5Aopen(object, name, H5P_DEFAULT));
    const Id extent(H5Aget_space(opened));
    std::vector<int> values(
        static_cast<size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(extent), 0)));
    DO(H5Aread(opened, H5T_NATIVE_INT, values.data()));
    say("  attribute", name, values);
    return values;
}

void put_file(const char* name, const std::string& bytes) {
    std::ofstream(name, std::ios::binary) << bytes;
}

std::string get_file(const char* name) {
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Turn::Turn() {
    if (pipe(ends_) != 0) std::abort();
}

void Turn::give() {
    if (::write(ends_[1], "x", 1) != 1) std::abort();
}

void Turn::wait() {
    char turn;
    if (::read(ends_[0], &turn, 1) != 1) std::abort();
}

int fork_child(const char* name, const std::function<void()>& body) {
    const pid_t child = fork();
    if (child != 0) return child;
    if (std::freopen((std::string(name) + ".transcript").c_str(), "w", stdout) == nullptr)
        std::abort();
    if (std::freopen((std::string(name) + ".errors").c_str(), "w", stderr) == nullptr) std::abort();
    body();
    std::exit(0);
}

void await_child(int child) {
    int status = 0;
    waitpid(child, &status, 0);
    say("child ended with", status);
}

namespace {

int list_all() {
    for (const auto& [name, run] : registered()) std::printf("%s\n", name.c_str());
    return 0;
}

int run_one(const char* name) {
    const auto found = registered().find(name);
    if (found == registered().end()) {
        std::fprintf(stderr, "no scenario \"%s\"; see --list\n", name);
        return 2;
    }
    found->second();
    return 0;
}

}  // namespace
}  // namespace scenario

// scenarios [--one-file OPTIONS] NAME | --list
int main(int count, char** words) {
    if (count == 2 && std::strcmp(words[1], "--list") == 0) return scenario::list_all();
    if (count == 4 && std::strcmp(words[1], "--one-file") == 0) {
        scenario::one_file_options = words[2];
        return scenario::run_one(words[3]);
    }
    if (count == 2) return scenario::run_one(words[1]);
    std::fprintf(stderr, "usage: scenarios [--one-file OPTIONS] NAME | --list\n");
    return 2;
}
