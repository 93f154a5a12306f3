// Invisible characters in an id: a byte-order mark, which is left over when files are concatenated, a no-break space,
// which web pages and spreadsheets use instead of a blank, and a blank at the beginning or the end, which columns of fixed
// width leave behind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankprism {

inline bool is_ascii(std::string_view text) {
    unsigned char bits = 0;
    for (const char c : text) bits |= static_cast<unsigned char>(c);
    return bits < 0x80;
}

inline bool has_edge_blank(std::string_view id) {
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    return !id.empty() && (is_blank(id.front()) || is_blank(id.back()));
}

// How many ids have such a character, and the first of these ids.
struct Stray {
    struct Kind {
        std::int64_t ids = 0;
        std::string first;
    };
    Kind mark, space, edge;

    void look_at(std::string_view id) {
        add(mark, id, "\xEF\xBB\xBF");
        add(space, id, "\xC2\xA0");
        if (has_edge_blank(id) && edge.ids++ == 0) edge.first = id;
    }

    // Adds what was found in later ids.
    void add(const Stray& later) {
        add(mark, later.mark);
        add(space, later.space);
        add(edge, later.edge);
    }

  private:
    static void add(Kind& kind, const Kind& later) {
        if (kind.ids == 0) kind.first = later.first;
        kind.ids += later.ids;
    }

    static void add(Kind& kind, std::string_view id, std::string_view sign) {
        if (id.find(sign) == std::string_view::npos) return;
        if (kind.ids++ == 0) kind.first = id;
    }
};

}  // namespace rankprism
