// Takes passwords, keys and signatures out of what is written down about a program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quarry {

// The arguments of a command, with "***" in place of every value that looks like a secret: behind
// --password, --token and the like, in user:password@host, in the query of a signed URL.
std::vector<std::string> without_secrets(std::vector<std::string> arguments);

// The same for a single name of a file or a URL.
std::string url_without_secrets(std::string_view url);

}  // namespace quarry
