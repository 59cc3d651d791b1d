#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <memory>

#include "analyze/event.hpp"

namespace quarry {
namespace {

using namespace analyze;

// docs/formats/export.md tells what is in them.
constexpr const char* kSchema = R"(
CREATE TABLE task(id INTEGER PRIMARY KEY, name TEXT, begin INTEGER, end INTEGER);
CREATE TABLE process(id INTEGER PRIMARY KEY, host TEXT, pid INTEGER, parent_pid INTEGER, rank INTEGER,
    command TEXT, directory TEXT, begin INTEGER, end INTEGER, incomplete TEXT);
CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT, size INTEGER, driver TEXT);
CREATE TABLE object(id INTEGER PRIMARY KEY, file INTEGER REFERENCES file, path TEXT, kind TEXT,
    description TEXT);
CREATE TABLE file_open(time INTEGER, duration INTEGER, process INTEGER REFERENCES process,
    thread INTEGER, task INTEGER REFERENCES task, operation INTEGER, file INTEGER REFERENCES file,
    name TEXT, writable INTEGER, created INTEGER, failed INTEGER);
CREATE TABLE object_open(time INTEGER, duration INTEGER, process INTEGER REFERENCES process,
    thread INTEGER, task INTEGER REFERENCES task, operation INTEGER,
    object INTEGER REFERENCES object, created INTEGER);
CREATE TABLE access(time INTEGER, duration INTEGER, process INTEGER REFERENCES process,
    thread INTEGER, task INTEGER REFERENCES task, operation INTEGER,
    object INTEGER REFERENCES object, writes INTEGER, elements INTEGER, bytes INTEGER,
    selection TEXT, chunk INTEGER, failed INTEGER);
CREATE TABLE touch(time INTEGER, duration INTEGER, process INTEGER REFERENCES process,
    thread INTEGER, task INTEGER REFERENCES task, operation INTEGER,
    object INTEGER REFERENCES object, what TEXT, name TEXT, writes INTEGER, bytes INTEGER);
CREATE TABLE io(time INTEGER, duration INTEGER, process INTEGER REFERENCES process, thread INTEGER,
    task INTEGER REFERENCES task, operation INTEGER, file INTEGER REFERENCES file,
    object INTEGER REFERENCES object, object_by_address INTEGER REFERENCES object,
    object_by_operation INTEGER REFERENCES object, writes INTEGER, address INTEGER, bytes INTEGER,
    kind TEXT, failed INTEGER);
CREATE TABLE other_file(time INTEGER, duration INTEGER, process INTEGER REFERENCES process,
    thread INTEGER, task INTEGER REFERENCES task, file INTEGER REFERENCES file, writable INTEGER,
    created INTEGER, mapped INTEGER, bytes_read INTEGER, bytes_written INTEGER);
CREATE TABLE derived(time INTEGER, process INTEGER REFERENCES process, thread INTEGER,
    task INTEGER REFERENCES task, operation INTEGER, file INTEGER REFERENCES file,
    object INTEGER REFERENCES object, what TEXT, writes INTEGER, elements INTEGER, bytes INTEGER,
    selection TEXT, linear INTEGER, at_most INTEGER, failed INTEGER);
CREATE TABLE unseen(time INTEGER, process INTEGER REFERENCES process, program TEXT, why TEXT);
)";

constexpr const char* kIndexes = R"(
CREATE INDEX io_by_object ON io(object);
CREATE INDEX access_by_object ON access(object);
)";

class Database {
public:
    explicit Database(const std::string& path) {
        fine_ = sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                nullptr) == SQLITE_OK;
        // All or nothing is the caller's business: the file is removed if anything fails.
        run("PRAGMA journal_mode=OFF");
        run("PRAGMA synchronous=OFF");
        run("BEGIN");
        run(kSchema);
    }
    ~Database() {
        for (const auto& [table, statement] : statements_) sqlite3_finalize(statement);
        sqlite3_close(handle_);
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    template <typename... Values>
    void insert(const char* table, const Values&... values) {
        sqlite3_stmt* statement = statement_for(table, sizeof...(values));
        if (!fine_) return;
        int place = 0;
        ((fine_ = fine_ && bind(statement, ++place, values) == SQLITE_OK), ...);
        fine_ = fine_ && sqlite3_step(statement) == SQLITE_DONE;
        sqlite3_reset(statement);
    }

    void run(const char* commands) {
        fine_ = fine_ && sqlite3_exec(handle_, commands, nullptr, nullptr, nullptr) == SQLITE_OK;
    }

    bool fine() const { return fine_; }
    std::string problem() const { return sqlite3_errmsg(handle_); }

private:
    sqlite3_stmt* statement_for(const char* table, size_t columns) {
        sqlite3_stmt*& statement = statements_[table];
        if (statement == nullptr && fine_) {
            std::string text = std::string("INSERT INTO ") + table + " VALUES(";
            for (size_t i = 0; i < columns; ++i) text += i == 0 ? "?" : ",?";
            fine_ = sqlite3_prepare_v2(handle_, (text + ")").c_str(), -1, &statement, nullptr) ==
                    SQLITE_OK;
        }
        return statement;
    }

    static int bind(sqlite3_stmt* statement, int place, uint64_t value) {
        return sqlite3_bind_int64(statement, place, static_cast<sqlite3_int64>(value));
    }
    static int bind(sqlite3_stmt* statement, int place, const std::string& value) {
        return sqlite3_bind_text64(statement, place, value.data(), value.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
    }
    static int bind(sqlite3_stmt* statement, int place, std::optional<uint64_t> value) {
        return value ? bind(statement, place, *value) : sqlite3_bind_null(statement, place);
    }

    sqlite3* handle_ = nullptr;
    bool fine_ = false;
    std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

using Maybe = std::optional<uint64_t>;

Maybe known(uint32_t number) {
    return number != kNobody ? Maybe(number) : std::nullopt;
}

uint64_t whole(bool flag) {
    return flag ? 1 : 0;
}

void add_facts(Database& database, const TraceFacts& facts) {
    uint64_t id = 0;
    for (const TaskFacts& task : facts.tasks)
        database.insert("task", id++, task.name, task.begin, task.end);
    id = 0;
    for (const ProcessFacts& process : facts.processes) {
        std::string command;
        for (const std::string& word : process.command)
            command += (command.empty() ? "" : " ") + word;
        database.insert("process", id++, process.host, uint64_t{process.pid},
                        uint64_t{process.parent_pid}, known(static_cast<uint32_t>(process.rank)),
                        command, process.directory, process.begin, process.end, process.incomplete);
    }
    id = 0;
    for (const FileFacts& file : facts.files)
        database.insert("file", id++, file.path, file.size, file.driver);
    id = 0;
    for (const ObjectFacts& object : facts.objects)
        database.insert("object", id++, uint64_t{object.file}, object.path,
                        std::string(name_of(object.kind)), object.description);
}

void add_event(Database& database, const Event& event) {
    const uint64_t process = event.process;
    const uint64_t thread = event.thread;
    const uint64_t operation = event.operation;
    const Maybe task = known(event.task);
    const Maybe file = known(event.file);
    const Maybe object = known(event.object);
    const std::string what = event.what;
    switch (event.kind) {
        case EventKind::FileOpened:
            database.insert("file_open", event.time, event.duration, process, thread, task,
                            operation, file, event.name, whole(event.writes), whole(event.created),
                            whole(event.failed));
            break;
        case EventKind::Opened:
            database.insert("object_open", event.time, event.duration, process, thread, task,
                            operation, object, whole(event.created));
            break;
        case EventKind::Read:
        case EventKind::Write:
            database.insert("access", event.time, event.duration, process, thread, task, operation,
                            object, whole(event.writes), event.elements, event.bytes,
                            event.selection ? to_string(*event.selection) : std::string(),
                            whole(event.chunk), whole(event.failed));
            break;
        case EventKind::Touch:
            database.insert("touch", event.time, event.duration, process, thread, task, operation,
                            object, what, event.name, whole(event.writes), event.bytes);
            break;
        case EventKind::Io:
            database.insert("io", event.time, event.duration, process, thread, task, operation,
                            file, object, known(event.object_by_address),
                            known(event.object_by_operation), whole(event.writes), event.address,
                            event.bytes, what, whole(event.failed));
            break;
        case EventKind::OtherFile:
            database.insert("other_file", event.time, event.duration, process, thread, task, file,
                            whole(event.writes), whole(event.created), whole(event.mapped),
                            event.bytes, event.bytes_written);
            break;
        case EventKind::Derived:
            database.insert("derived", event.time, process, thread, task, operation, file, object,
                            what, whole(event.writes), event.elements, event.bytes,
                            event.selection ? to_string(*event.selection) : std::string(),
                            whole(event.linear), whole(event.at_most), whole(event.failed));
            break;
        case EventKind::Unseen:
            database.insert("unseen", event.time, process, event.name, what);
            break;
        case EventKind::Task:
        case EventKind::FileClosed:
        case EventKind::Closed:
            break;
    }
}

}  // namespace

Result<TraceFacts> export_sqlite(const std::string& directory, const std::string& path,
                                 const Progress& progress) {
    auto index = index_trace(directory);
    if (!index) return index.error();
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
        return Error{path +
                     " is there already, and nothing that exists is overwritten. Choose "
                     "another name, or remove it."};
    std::string problem;
    {
        Database database(path);
        add_facts(database, index->facts);
        each_event(*index, progress, [&](const Event& event) { add_event(database, event); });
        database.run(kIndexes);
        database.run("COMMIT");
        if (!database.fine()) problem = database.problem();
    }
    if (!problem.empty()) {
        std::filesystem::remove(path, ignored);
        return Error{path + " cannot be written: " + problem + "."};
    }
    return std::move(index->facts);
}

}  // namespace quarry
