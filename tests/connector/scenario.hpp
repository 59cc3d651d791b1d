// What a scenario is written with: plain HDF5 calls, each of which leaves a line in a transcript.
//
// A scenario is run with and without the connector and the transcripts are compared, so nothing
// that differs between two native runs may be said: no ids, no addresses in memory, no times of
// day.
#pragma once

#include <hdf5.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace scenario {

using Dims = std::vector<hsize_t>;

// Registers `void name()` to be run by `scenarios name`.
#define SCENARIO(name)                                                         \
    static void name();                                                        \
    static const ::scenario::Registration registration_of_##name{#name, name}; \
    static void name()

struct Registration {
    Registration(const char* name, void (*run)());
};

// Calls: `ID(H5Fopen(...))` for those that answer with an id, `DO(H5Dread(...))` for all others.
// Both say the call and what came of it, and after a failure HDF5's whole error stack and errno.
#define ID(...) (::scenario::before_call(), ::scenario::said_id(#__VA_ARGS__, __VA_ARGS__))
#define DO(...) (::scenario::before_call(), ::scenario::said_value(#__VA_ARGS__, __VA_ARGS__))

// An id, closed at the end of its scope; a close that fails is said.
class Id {
public:
    Id() = default;
    explicit Id(hid_t id) : id_(id) {}
    Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Id& operator=(Id&& other) noexcept {
        if (this != &other) {
            close();
            id_ = std::exchange(other.id_, H5I_INVALID_HID);
        }
        return *this;
    }
    ~Id() { close(); }

    operator hid_t() const { return id_; }
    void close();
    hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

private:
    hid_t id_ = H5I_INVALID_HID;
};

// The transcript.
void say_line(const std::string& line);
void say_errors();
void before_call();

std::string text(const std::string& value);
std::string text(const char* value);
std::string text(bool value);
std::string text(double value);
inline std::string text(float value) {
    return text(static_cast<double>(value));
}
template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
std::string text(T value) {
    return std::to_string(value);
}
std::string text_of_list(const std::vector<std::string>& items);
template <typename T>
std::string text(const std::vector<T>& values) {
    std::vector<std::string> items;
    for (const T& value : values) items.push_back(text(value));
    return text_of_list(items);
}

template <typename... Parts>
void say(const Parts&... parts) {
    std::string line;
    ((line += (line.empty() ? "" : " ") + text(parts)), ...);
    say_line(line);
}

Id said_id(const char* call, hid_t id);
void say_call(const char* call, const std::string& result, int error, bool failed);

template <typename T>
T said_value(const char* call, T value) {
    const int error = errno;
    if constexpr (std::is_pointer_v<T>) {
        say_call(call, value != nullptr ? "something" : "nothing", error, value == nullptr);
    } else {
        // Sizes and addresses are unsigned, and say 0 or "undefined" when they fail.
        const bool failed = std::is_signed_v<T> ? static_cast<int64_t>(value) < 0
                                                : static_cast<uint64_t>(value) == HADDR_UNDEF;
        say_call(call, failed ? "failed" : text(value), error, failed);
    }
    return value;
}

// While it lives, this thread's transcript goes into a string: threads tell their story one by one.
class Told {
public:
    Told();
    ~Told();
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;
    std::string story;
};

// A file-access list; in the mode "one-file" it chooses the connector, and is the only thing that
// does.
Id access();

// In that mode: looks the connector up by its name and lets it go again, as another part of a
// program would. HDF5 does not find one that only open files hold, and registers it once more.
void touch_connector();

Id create(const char* name, const Id& list = access(), hid_t creation = H5P_DEFAULT);
Id open(const char* name, unsigned flags = H5F_ACC_RDWR, const Id& list = access());

Id space(const Dims& dims, const Dims& largest = {});
Id chunked(const Dims& chunk);
Id dataset(hid_t place, const char* name, hid_t type, const Dims& dims,
           hid_t creation = H5P_DEFAULT, const Dims& largest = {});

// A list of the class, changed by `change`.
Id list(hid_t property_class, const std::function<void(hid_t)>& change = [](hid_t) {});

template <typename T>
hid_t memory_type() {
    if constexpr (std::is_same_v<T, int>) return H5T_NATIVE_INT;
    if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
    if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
    if constexpr (std::is_same_v<T, short>) return H5T_NATIVE_SHORT;
    if constexpr (std::is_same_v<T, unsigned char>) return H5T_NATIVE_UCHAR;
    if constexpr (std::is_same_v<T, long long>) return H5T_NATIVE_LLONG;
}

// first, first + step, …
template <typename T = int>
std::vector<T> counted(size_t count, T first = 0, T step = 1) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<T>(first + static_cast<T>(i) * step);
    return values;
}

size_t elements_of(hid_t dataset);

template <typename T>
void write(hid_t set, const std::vector<T>& values, hid_t memory = H5S_ALL, hid_t file = H5S_ALL) {
    DO(H5Dwrite(set, memory_type<T>(), memory, file, H5P_DEFAULT, values.data()));
}

// Says what was read, too.
template <typename T = int>
std::vector<T> read(hid_t set, hid_t memory = H5S_ALL, hid_t file = H5S_ALL, size_t count = 0) {
    std::vector<T> values(count != 0 ? count : elements_of(set), T{});
    DO(H5Dread(set, memory_type<T>(), memory, file, H5P_DEFAULT, values.data()));
    say("  values", values);
    return values;
}

void attribute(hid_t object, const char* name, const std::vector<int>& values);
std::vector<int> read_attribute(hid_t object, const char* name);

// Small helpers without HDF5.
void put_file(const char* name, const std::string& bytes);
std::string get_file(const char* name);
std::string digest(const void* bytes, size_t size);

// Runs `body` in a child that is forked before HDF5 is used here; its transcript goes to the file
// `name`.transcript. `Turn`s let the two go step by step.
class Turn {
public:
    Turn();
    void give();
    void wait();

private:
    int ends_[2];
};
int fork_child(const char* name, const std::function<void()>& body);
void await_child(int child);

}  // namespace scenario
