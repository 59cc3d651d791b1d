#include "connector/carved_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <quarry/path_map.hpp>
#include <sstream>

#include "base/file_copy.hpp"
#include "base/file_times.hpp"
#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {
namespace {

namespace fs = std::filesystem;

std::mutex files_mutex;
[[maybe_unused]] const bool files_mutex_is_free = keep_free_across_fork<files_mutex>();
Immortal<std::map<std::string, std::unique_ptr<CarvedFile>>> files;  // null where there is none

// Libraries keep their own threads apart, but a file may be used through several of them.
std::mutex using_file;
[[maybe_unused]] const bool using_file_is_free = keep_free_across_fork<using_file>();

// Where copies are shown, and where their originals were when they were carved, both ways; only of
// those where the two differ.
Immortal<std::map<std::string, std::string>> carved_from;
Immortal<std::map<std::string, std::string>> shown_at;

std::string found_in(const std::map<std::string, std::string>& map, const std::string& path) {
    const auto found = map.find(path);
    return found != map.end() ? found->second : path;
}

// Not all are remembered: should one be taken for another later, its datasets do not have the marks
// of that one.
Immortal<std::map<OpenFile, MetFile>> carved_files;
Immortal<std::set<OpenFile>> whole_files;
Immortal<std::set<std::string>> places;
constexpr size_t kMostMet = 1000;

template <typename Known>
void make_room_in(Known& known) {
    if (known->size() >= kMostMet) known->clear();
}

// As carving has named it, whether it is there or not.
std::string real_path(const std::string& name) {
    char resolved[PATH_MAX];
    if (realpath(name.c_str(), resolved) != nullptr) return resolved;
    std::error_code error;
    return fs::absolute(name, error).lexically_normal();
}

// As it was carved by, also when it is opened where the copy lies.
std::string original_path(const std::string& path, const std::string& directory) {
    if (path.starts_with(directory + "/")) return path.substr(directory.size());
    return found_in(*carved_from, path);
}

void learn_places(const std::string& list) {
    if (list.empty()) return;
    const auto bytes = MappedFile::open(list);
    if (!bytes) return say({list, " cannot be read: ", bytes.error().message});
    std::istringstream pairs(std::string(bytes->bytes()));
    const std::lock_guard guard(files_mutex);
    for (std::string place, path;
         std::getline(pairs, place, '\0') && std::getline(pairs, path, '\0');) {
        carved_from->try_emplace(place, path);
        shown_at->try_emplace(path, place);
    }
}

std::unique_ptr<CarvedFile> look_up(const std::string& path, const std::string& directory) {
    const std::string table = missing_data_path(directory, path.substr(1));
    auto bytes = MappedFile::read(table);
    if (!bytes) return nullptr;
    const auto missing = MissingData::read(std::as_bytes(std::span(bytes->bytes())));
    if (missing) return std::make_unique<CarvedFile>(path, std::move(*bytes), *missing);
    say({table, " is damaged: ", missing.error().message, ". What was carved away from ", path,
         " cannot be read."});
    return nullptr;
}

// By the path of its original. Null if nothing is missing in it.
CarvedFile* file_at(const std::string& path, const std::string& directory) {
    const std::lock_guard guard(files_mutex);
    const auto [found, is_new] = files->try_emplace(path);
    if (is_new) found->second = look_up(path, directory);
    return found->second.get();
}

template <typename Bytes>
std::string_view as_text(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_mounted() {
    return !served_config.load()->originals.empty();
}

// Empty if there is none to be opened instead, whatever for.
std::string copy_in_place_of(const std::string& name) {
    const std::string& directory = served_config.load()->carved;
    if (is_mounted()) return "";
    const std::string path = real_path(name);
    if (path.starts_with(directory + "/")) return "";
    const std::string original = found_in(*carved_from, path);
    std::string copy = directory + original;
    struct stat of_copy{}, of_name{};
    if (stat(copy.c_str(), &of_copy) != 0 || !S_ISREG(of_copy.st_mode)) return "";
    if (stat(path.c_str(), &of_name) != 0) return "";
    // What is there may be the copy itself, or something that the program has made.
    const CarvedFile* carved = file_at(original, directory);
    const bool is_original = carved != nullptr && looks_like(of_name, carved->missing().original());
    return is_original ? copy : "";
}

bool is_same_file(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Programs can set the other times as they like.
bool is_unchanged(const struct stat& now, const struct stat& before) {
    return is_same_file(now, before) && now.st_size == before.st_size &&
           nanoseconds(now.st_ctim) == nanoseconds(before.st_ctim);
}

// 0, or an error number. Only to what `quarry run` has made: it is gone when that has ended.
int append(const std::string& path, std::string_view line) {
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return errno;
    const ssize_t written = write(file, line.data(), line.size());
    const int why = written < 0 ? errno : ENOSPC;
    close(file);
    return written == static_cast<ssize_t>(line.size()) ? 0 : why;
}

// Only `quarry run` puts files without anything in them there that nobody may open.
int why_not_open(const std::string& place, int error) {
    struct stat status{};
    const bool holds_a_place = error == EACCES && stat(place.c_str(), &status) == 0 &&
                               status.st_size == 0 && (status.st_mode & 07777) == 0;
    return holds_a_place ? ENOENT : error;
}

}  // namespace

const char* way_to_write() noexcept {
    return is_mounted() ? "`quarry run --writes copy`"
                        : "`quarry run --writes copy`, without --in-place,";
}

bool is_shown_copy(const char* name) {
    const std::string copy = served_config.load()->carved + found_in(*carved_from, real_path(name));
    struct stat of_copy{}, of_name{};
    if (stat(copy.c_str(), &of_copy) != 0 || stat(name, &of_name) != 0) return false;
    if (is_mounted()) return is_same_file(of_name, of_copy);
    return of_name.st_size == of_copy.st_size && modified(of_name) == modified(of_copy);
}

CarvedFile::CarvedFile(std::string path, MappedFile bytes, const MissingData& missing)
    : path_(std::move(path)),
      bytes_(std::move(bytes)),
      missing_(missing),
      mark_(mark_of(missing.original())) {}

bool CarvedFile::is_as_carved(const std::string& place) {
    const std::string copy = served_config.load()->carved + path_;
    struct stat here{}, carved{};
    if (stat(place.c_str(), &here) != 0 || stat(copy.c_str(), &carved) != 0) return false;
    if (is_same_file(here, carved)) return true;
    const std::lock_guard guard(using_file);
    if (is_unchanged(here, found_equal_)) return true;
    if (here.st_size != carved.st_size || !have_equal_bytes(place, copy)) return false;
    found_equal_ = here;
    return true;
}

std::string CarvedFile::place_of_original() {
    const std::lock_guard guard(using_file);
    struct stat now{};
    // What could not be looked at may be there the next time.
    const bool is_known = judged_ && stat(place_.c_str(), &now) == 0 && is_unchanged(now, *judged_);
    if (!is_known) find_original();
    return is_original_ ? place_ : "";
}

uint64_t CarvedFile::proof() {
    const std::lock_guard guard(using_file);
    return proof_;
}

bool CarvedFile::is_proved(int file) {
    const std::lock_guard guard(using_file);
    struct stat now{};
    return fstat(file, &now) == 0 && is_unchanged(now, proved_);
}

void CarvedFile::note_opening(const WhyNotOriginal& why) {
    const std::lock_guard guard(using_file);
    problem_ = why;
    if (!why.what.empty()) problem_.what = " from its original, " + name_ + ": " + why.what;
}

void CarvedFile::find_original() {
    const ConnectorConfig& config = *served_config.load();
    const std::string recorded = missing_.original().path;
    is_original_ = false;
    judged_.reset();
    if (!config.fetch) {
        problem_ = {": nothing is to be read from originals (--missing error)",
                    "Leave that out, or carve again with --keep."};
        return;
    }
    name_ = mapped_path(recorded, config.moved);
    // Without links, which could lead back to the copy.
    if (name_ == recorded) name_ = found_in(*shown_at, path_);
    place_ = config.originals + name_;
    problem_ = judge();
    is_original_ = problem_.what.empty();
    if (is_original_ && (proof_ == 0 || !is_same_file(*judged_, proved_))) ++proof_;
    if (is_original_)
        proved_ = *judged_;
    else
        problem_.what = " from its original, " + name_ + ": " + problem_.what;
}

WhyNotOriginal CarvedFile::judge() {
    const int file = open_original(place_);
    struct stat there{};
    // Before its bytes are looked at: then what is changed meanwhile is noticed later.
    if (file < 0 || fstat(file, &there) != 0) return not_there(why_not_open(place_, errno));
    judged_ = there;
    const bool is_copy = !is_mounted() && is_shown_copy(place_.c_str());
    const WhyNotOriginal why =
        is_copy ? not_there(ENOENT)
                : why_not_original(missing_.original(), file, served_config.load()->is_paranoid);
    close(file);
    return why;
}

bool CarvedFile::is_new(const std::string& note) {
    const std::lock_guard guard(using_file);
    return noted_.insert(note).second;
}

void CarvedFile::note_fetched(const MissingDataset& dataset, const Selection& selected) {
    const EncodedSelection selection = encode(selected);
    const std::string line = hex_of(path_) + " " + hex_of(as_text(dataset.token)) + " " +
                             hex_of(as_text(selection)) + "\n";
    const ConnectorConfig& config = *served_config.load();
    if (config.fetched.empty() || !is_new(line)) return;
    if (const int why = append(config.fetched, line); why != 0)
        give_notice(Notice::Fetched,
                    {"what is read from originals cannot be listed in ", config.fetched, ": ",
                     std::strerror(why),
                     ". Not all of it will be told at the end, or added by --grow; see to that "
                     "(TMPDIR says where such lists are), and run the program again"});
}

void CarvedFile::note_refused(const MissingDataset& dataset) {
    if (!is_new("refused " + dataset.path)) return;
    const std::lock_guard guard(using_file);
    const bool is_known = !problem_.what.empty();
    say({path_, ": what is asked for of ", dataset.path,
         " was left out by `quarry carve`, and cannot be read",
         is_known ? problem_.what : " from its original", ". ",
         is_known ? problem_.advice : "Carve again with --keep."});
}

void CarvedFile::note_unreadable(const MissingDataset& dataset) {
    if (!is_new("unreadable " + dataset.path)) return;
    say({path_, ": what is asked for of ", dataset.path,
         " was left out by `quarry carve`, and HDF5 cannot give it from the original either. The "
         "program was told why."});
}

void CarvedFile::note_unusable(const std::string& path, const char* why) {
    if (!is_new(path + why)) return;
    say({path_, ": data of ", path, " was left out by `quarry carve`, and ", why,
         ". Carve again with --keep."});
}

void CarvedFile::note_sources(const std::string& path) {
    if (!is_new("sources " + path)) return;
    say({path_, ": HDF5 cannot give what is asked for of ", path.empty() ? "one" : path,
         ", a virtual dataset. If it lies in a source that was left out by `quarry carve --drop`, "
         "carve again without that: sources are not read from originals."});
}

void CarvedFile::note_foreign(const MissingDataset& dataset) {
    if (!is_new("foreign " + dataset.path)) return;
    say({path_, ": ", dataset.path,
         " was left out by `quarry carve` of another file, or at another time, and that copy is in "
         "the place of this one now: it cannot be read. Run the program on the originals, or carve "
         "that file again with --keep."});
}

void begin_serving(const ConnectorConfig& config) noexcept {
    if (config.carved.empty() || is_serving()) return;
    try {
        ConnectorConfig served = config;
        served.carved = real_path(served.carved);
        learn_places(served.places);
        const auto* made = new ConnectorConfig(std::move(served));
        const ConnectorConfig* nobody = nullptr;
        if (!served_config.compare_exchange_strong(nobody, made)) delete made;
    } catch (const std::bad_alloc&) {
        say({"memory is short; carved files are not served"});
    }
}

namespace {

// Programs open the same files again and again, and to follow the links on the way to one takes
// longer than to see that it still is the same one.
std::string real_path_again(const std::string& name) {
    struct Led {
        std::string path;
        struct stat there{};
    };
    static Immortal<std::map<std::string, Led>> known;
    constexpr size_t kMostKnown = 1000;
    struct stat now{};
    if (stat(name.c_str(), &now) != 0) return real_path(name);
    {
        const std::lock_guard guard(files_mutex);
        const auto before = known->find(name);
        if (before != known->end() && is_unchanged(now, before->second.there))
            return before->second.path;
    }
    const std::string path = real_path(name);
    struct stat there{};
    // By a link that was changed meanwhile it would be another.
    if (stat(path.c_str(), &there) != 0 || !is_unchanged(there, now)) return path;
    const std::lock_guard guard(files_mutex);
    if (known->size() >= kMostKnown) known->clear();
    (*known)[name] = {path, now};
    return path;
}

}  // namespace

std::optional<MetFile> met_file(const OpenFile& file) {
    const std::lock_guard guard(files_mutex);
    if (whole_files->contains(file)) return MetFile{};
    const auto found = carved_files->find(file);
    if (found == carved_files->end()) return std::nullopt;
    return found->second;
}

MetFile meet_file(const OpenFile& file, const std::string& name, std::optional<bool> is_writable) {
    const std::string& directory = served_config.load()->carved;
    std::string place = real_path_again(name);
    CarvedFile* carved = file_at(original_path(place, directory), directory);
    if (const std::string copy = copy_in_place_of(place); !copy.empty()) place = copy;
    if (!is_writable) is_writable = access(place.c_str(), W_OK) == 0;
    const std::lock_guard guard(files_mutex);
    if (carved == nullptr) {
        make_room_in(whole_files);
        whole_files->insert(file);
        return {};
    }
    make_room_in(carved_files);
    const std::string* kept = &*places->insert(place).first;
    return (*carved_files)[file] = {carved, kept, *is_writable};
}

namespace {

void say_is_kept(const char* name) noexcept {
    say({name, " is served from a carved copy, which is not written to: ", way_to_write(),
         " lets the program write to a copy of it."});
}

}  // namespace

bool is_kept_from_writers(const char* name, unsigned flags) noexcept {
    if (!is_serving() || (flags & kWritable) == 0) return false;
    try {
        return !copy_in_place_of(name).empty() || is_shown_copy(name);
    } catch (const std::bad_alloc&) {
        say({"memory is short; whether ", name, " is a carved copy is not known"});
        return true;
    }
}

bool is_refused(const char* name, unsigned flags) noexcept {
    if (!is_kept_from_writers(name, flags)) return false;
    say_is_kept(name);
    // The system refuses it where it is mounted, and says so in its own words.
    return !is_mounted();
}

bool is_refused_anew(const char* name, unsigned flags) noexcept {
    const bool replaces = (flags & kTruncate) != 0;
    return replaces && is_serving() && !is_mounted() && is_refused(name, kWritable);
}

// Elsewhere it is the program's own.
void tell_if_kept(const char* name, unsigned flags) noexcept {
    const bool replaces = (flags & kTruncate) != 0;
    if (replaces && is_serving() && is_mounted() && is_kept_from_writers(name, kWritable))
        say_is_kept(name);
}

bool has_carved_copy(const char* name) noexcept {
    if (!is_serving()) return false;
    try {
        const std::string original = found_in(*carved_from, real_path_again(name));
        struct stat copy{};
        return stat((served_config.load()->carved + original).c_str(), &copy) == 0 &&
               S_ISREG(copy.st_mode);
    } catch (const std::bad_alloc&) {
        return false;
    }
}

std::string copy_instead_of(const char* name, unsigned flags) noexcept {
    if (!is_serving() || (flags & kWritable) != 0) return "";
    try {
        return copy_in_place_of(name);
    } catch (const std::bad_alloc&) {
        say({"memory is short; ", name, " is not served from its carved copy"});
        return "";
    }
}

}  // namespace quarry::connector
