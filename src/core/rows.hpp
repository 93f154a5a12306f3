// Computations along the documents of each ranking and aspect. numpy is slow on such short rows.
#pragma once

#include <cstdint>

namespace rankprism {

// The highest value of each row; 0 if none is above 0.
void highest_of_rows(const double* values, std::int64_t rows, std::int64_t docs, double* highest);

// For each value, the number of values above 0 that come before it in its row.
void count_before(const double* values, std::int64_t rows, std::int64_t docs, std::int32_t* count);

// The values of each topic's documents in a given order, which is the same for all aspects; 0 where the order is -1.
void put_in_order(const double* values, const std::int32_t* order, std::int64_t topics, std::int64_t aspects, std::int64_t docs,
                  double* ordered);

}  // namespace rankprism
