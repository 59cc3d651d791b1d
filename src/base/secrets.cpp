#include "base/secrets.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace quarry {
namespace {

constexpr std::string_view kHidden = "***";

// Any of these within the name of an option, a variable or a query's key.
constexpr std::array<std::string_view, 14> kSecretWords{
    "password",   "passwd",     "passphrase", "secret",       "token",
    "apikey",     "api_key",    "api-key",    "credential",   "signature",
    "access_key", "access-key", "accesskey",  "authorization"};
// Short ones only as the whole name.
constexpr std::array<std::string_view, 6> kSecretNames{"auth", "sig", "pwd", "pass", "key", "sas"};

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool names_secret(std::string_view name) {
    while (!name.empty() && name.front() == '-') name.remove_prefix(1);
    const std::string text = lower(name);
    if (std::find(kSecretNames.begin(), kSecretNames.end(), text) != kSecretNames.end())
        return true;
    return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                       [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// key=value&key=value
std::string query_without_secrets(std::string_view query) {
    std::string result;
    while (!query.empty()) {
        const size_t end = std::min(query.find_first_of("&;"), query.size());
        const std::string_view pair = query.substr(0, end);
        const size_t equals = pair.find('=');
        if (equals != std::string_view::npos && names_secret(pair.substr(0, equals))) {
            result += std::string(pair.substr(0, equals + 1)) + std::string(kHidden);
        } else {
            result += pair;
        }
        if (end < query.size()) result += query[end];
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return result;
}

bool is_option(std::string_view argument) {
    return argument.size() > 1 && argument.front() == '-';
}

// NAME=value, --name=value, or a URL.
std::string argument_without_secrets(std::string_view argument) {
    const size_t equals = argument.find('=');
    const bool is_pair = equals != std::string_view::npos && argument.find("://") > equals;
    if (!is_pair) return url_without_secrets(argument);
    const std::string name(argument.substr(0, equals + 1));
    if (names_secret(argument.substr(0, equals))) return name + std::string(kHidden);
    return name + url_without_secrets(argument.substr(equals + 1));
}

}  // namespace

std::string url_without_secrets(std::string_view url) {
    const size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return std::string(url);
    std::string result(url.substr(0, scheme + 3));
    std::string_view rest = url.substr(scheme + 3);
    const size_t host_end = std::min(rest.find_first_of("/?#"), rest.size());
    const size_t at = rest.substr(0, host_end).rfind('@');
    if (at != std::string_view::npos) {
        const std::string_view user = rest.substr(0, std::min(rest.find(':'), at));
        result += std::string(user) + (user.size() < at ? ":" + std::string(kHidden) : "") + "@";
        rest.remove_prefix(at + 1);
    }
    const size_t query = rest.find('?');
    if (query == std::string_view::npos) return result + std::string(rest);
    return result + std::string(rest.substr(0, query + 1)) +
           query_without_secrets(rest.substr(query + 1));
}

std::vector<std::string> without_secrets(std::vector<std::string> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const bool bare = argument.find('=') == std::string::npos;
        if (is_option(argument) && bare && names_secret(argument) && i + 1 < arguments.size() &&
            !is_option(arguments[i + 1])) {
            arguments[++i] = kHidden;
        } else {
            arguments[i] = argument_without_secrets(argument);
        }
    }
    return arguments;
}

}  // namespace quarry
