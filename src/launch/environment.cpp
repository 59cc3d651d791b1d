#include <unistd.h>

#include <quarry/launch.hpp>

namespace quarry {

Environment Environment::of_process() {
    Environment environment;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        // The first of two equal names is the one that getenv finds.
        environment.variables_.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return environment;
}

std::optional<std::string> Environment::get(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Environment::entries() const {
    std::vector<std::string> entries;
    for (const auto& [name, value] : variables_) entries.push_back(name + "=" + value);
    return entries;
}

Environment with_changes(Environment environment, const std::vector<EnvironmentChange>& changes) {
    for (const EnvironmentChange& change : changes) {
        if (change.value)
            environment.set(change.name, *change.value);
        else
            environment.unset(change.name);
    }
    return environment;
}

}  // namespace quarry
