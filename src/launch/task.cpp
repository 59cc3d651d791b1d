#include "launch/task.hpp"

#include "base/secrets.hpp"
#include "base/text.hpp"
#include "trace/process_record.hpp"

namespace quarry {
namespace {

constexpr size_t kLongest = 200;

}  // namespace

std::string task_of(const Command& command, const Environment& environment) {
    for (const char* variable : trace::kWorkflowVariables) {
        if (environment.get(variable).value_or("") != "") return "";
    }
    Command shown = without_secrets(command);
    shown.front() = base_name(shown.front());
    std::string task;
    for (const std::string& word : shown) task += (task.empty() ? "" : " ") + word;
    if (task.size() > kLongest) task = task.substr(0, kLongest) + "...";
    return task;
}

}  // namespace quarry
