// What an ELF file says about itself: enough to know which libraries a program loads, and whether
// one is linked into it. Reads untrusted files: every offset is checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <quarry/result.hpp>
#include "base/mapped_file.hpp"

namespace quarry {

class ElfFile {
public:
    enum class SymbolTable { Dynamic, Any };

    // Only files of this machine's own word size and byte order.
    static Result<ElfFile> open(const std::string& path);

    // The dynamic loader it asks for; empty for a library and for a static program.
    const std::string& interpreter() const { return interpreter_; }
    // The libraries it asks for, by name.
    const std::vector<std::string>& needed() const { return needed_; }
    // Where the loader is to look for them, as it is written: "$ORIGIN/../lib:/opt/lib".
    const std::string& search_path() const { return search_path_; }

    // Whether it defines (not merely uses) a symbol. Dynamic: visible to other libraries.
    bool defines(std::string_view symbol, SymbolTable where) const;

    std::string_view bytes() const { return file_.bytes(); }
    // The parts that are loaded into memory: a program without its debug information.
    std::vector<std::string_view> loaded_bytes() const;

private:
    explicit ElfFile(MappedFile file) : file_(std::move(file)) {}
    void read_segments();
    void read_dynamic(size_t offset, size_t size);

    MappedFile file_;
    std::string interpreter_;
    std::vector<std::string> needed_;
    std::string search_path_;
};

}  // namespace quarry
