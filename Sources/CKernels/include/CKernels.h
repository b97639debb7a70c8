// Vector kernels over plain arrays, with wider instructions chosen when the program runs.
//
// Nothing here knows records or predicates. Every kernel gives the same answer on every processor, except where a
// comment allows rounding to differ.
#ifndef CKERNELS_H
#define CKERNELS_H

#include <stddef.h>
#include <stdint.h>

/// Instruction sets: that of every processor, and with vectors of 256 or 512 bits.
enum { KERNELS_PLAIN = 0, KERNELS_AVX2 = 1, KERNELS_AVX512 = 2 };

/// Uses nothing above `level`, for tests of every way through the kernels; returns the level in use from now on, which is
/// at most what the processor has.
int32_t kernels_limit_level(int32_t level);

/// A circle on the ellipsoid for `kernels_select_near`, from the point of view of rows of latitude and longitude.
typedef struct {
    /// Degrees: rows outside this box are certainly beyond the circle.
    double south, north, center_longitude, longitude_reach;
    /// Geocentric coordinates of the centre in metres.
    double x, y, z;
    /// Squared chords in square metres. Rows between the first two are members; rows below the third or above the fourth
    /// are none; the others are undecided.
    double surely_above, surely_below, surely_under, surely_over;
    /// Whether valid rows outside the box are members.
    int32_t beyond_is_member;
} kernels_circle;

/// Classifies `count` rows by their straight-line distance from a centre, 64 rows to a word, lowest row first.
///
/// Chords are computed to a tenth of a millimetre; allow for it in the thresholds. Rows that are no place on Earth are in
/// neither set.
/// Writes (count + 63) / 64 words to `members` and to `undecided`; returns whether any row is undecided.
int32_t kernels_select_near(const double *latitudes, const double *longitudes, size_t count,
                            const kernels_circle *circle, uint64_t *members, uint64_t *undecided);

/// What is asked of squared chords from a centre, as in `kernels_circle`.
typedef struct {
    float x, y, z;
    float surely_above, surely_below, surely_under, surely_over;
} kernels_chord_test;

/// Classifies 16 boxes, given as 16 each of least x, greatest x, least y, greatest y, least z, greatest z: returns those
/// all of whose points are members, lowest box in the lowest bit, and sets `outside` to those none of whose points is.
uint32_t kernels_boxes_classify(const float *boxes, const kernels_chord_test *test, uint32_t *outside);

/// Classifies 64 points: returns the members and sets `undecided` to those the test does not decide.
uint64_t kernels_points_classify(const float *x, const float *y, const float *z, const kernels_chord_test *test,
                                 uint64_t *undecided);

/// The squared chords from (`x`, `y`, `z`) to the nearest corner or face of 16 boxes, and to 64 points.
void kernels_boxes_chords(const float *boxes, float x, float y, float z, float *out);
void kernels_points_chords(const float *xs, const float *ys, const float *zs, float x, float y, float z, float *out);

// Bitmaps: 64 members to a word, the lowest in the lowest bit. The result may be one of the operands.

/// out = a AND b over `count` words; returns the number of bits set. The others likewise.
uint64_t kernels_words_and(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out);
uint64_t kernels_words_or(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out);
uint64_t kernels_words_and_not(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out);
uint64_t kernels_words_xor(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out);

/// Number of bits set.
uint64_t kernels_words_count(const uint64_t *words, size_t count);

/// Number of bits set in both.
uint64_t kernels_words_and_count(const uint64_t *a, const uint64_t *b, size_t count);

/// Room for members that `kernels_words_extract` wants before it starts on a word: the word's, and half a vector's.
#define KERNELS_EXTRACT_ROOM 80

/// Writes the numbers of the bits set, ascending, from word `*position` on, and moves `*position` behind the last
/// word read: to `count`, or to where fewer than KERNELS_EXTRACT_ROOM of the `capacity` numbers are free.
/// Returns how many it wrote.
size_t kernels_words_extract(const uint64_t *words, size_t count, size_t *position, uint32_t *out, size_t capacity);

// Lists: ascending without repetition. Members of lists that meet a bitmap are below 64 times its number of words.

/// Sets the bits of a list, which need not be ascending.
void kernels_list_set_bits(const uint32_t *list, size_t count, uint64_t *words);

/// Writes the members of the list whose bit is `bit`, 0 or 1; returns how many. `out` has room for `count` numbers and
/// may be `list`.
size_t kernels_list_filter(const uint32_t *list, size_t count, const uint64_t *words, uint32_t bit, uint32_t *out);

/// Number of members of the list whose bit is set.
size_t kernels_list_filter_count(const uint32_t *list, size_t count, const uint64_t *words);

/// Writes the members of both lists; returns how many. `out` has room for the shorter list and 16 numbers more, and is
/// neither of the lists.
size_t kernels_list_intersect(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t *out);

/// Writes the members of the first list alone; returns how many. `out` has room for `a` and is neither of the lists.
size_t kernels_list_subtract(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t *out);

// Columns: one value a row.

/// Selects the rows whose value is within `low` and `high`, both included; NaN is not. Writes (count + 63) / 64 words.
void kernels_select_range_i64(const int64_t *values, size_t count, int64_t low, int64_t high, uint64_t *words);
void kernels_select_range_f64(const double *values, size_t count, double low, double high, uint64_t *words);

/// Selects the rows of one code. Writes (count + 63) / 64 words.
void kernels_select_code(const uint32_t *codes, size_t count, uint32_t code, uint64_t *words);

/// Selects the rows whose code has its bit set. Codes are below 64 times the number of words of `wanted`.
void kernels_select_codes(const uint32_t *codes, size_t count, const uint64_t *wanted, uint64_t *words);

/// Writes those of `rows` whose value is within `low` and `high`, both included; returns how many. `out` has room for
/// `count` rows and may be `rows`.
size_t kernels_list_filter_range_i64(const uint32_t *rows, size_t count, const int64_t *values, int64_t low,
                                     int64_t high, uint32_t *out);
size_t kernels_list_filter_range_f64(const uint32_t *rows, size_t count, const double *values, double low, double high,
                                     uint32_t *out);

// Programs: numbers computed from columns and compared, 64 rows after another, by a machine with an accumulator and
// memory of 64 lanes a cell.

/// The most columns a program reads, and the most cells of memory it has.
#define KERNELS_INPUT_LIMIT 16
#define KERNELS_MEMORY_LIMIT 16

/// What a step works with beside the accumulator. "Whole" are 64-bit integers, all others doubles. Rows for which
/// arithmetic of 64 bits or of doubles does not give the exact integer become undecided where it says so.
enum kernels_operand {
    KERNELS_NO_OPERAND,
    KERNELS_CONSTANT,
    /// An input or a cell as it is.
    KERNELS_VALUES,
    /// Whole numbers as doubles, rounded beyond 2^53, or undecided there.
    KERNELS_WIDENED, KERNELS_WIDENED_EXACTLY,
    /// Bits as the whole numbers 0 and 1.
    KERNELS_TRUTH,
    /// Bits of whole numbers, or of doubles where the input `bits` has a bit set, as doubles; undecided for whole ones
    /// beyond 2^53.
    KERNELS_NUMBERS
};

/// What a step does. The accumulator is on the left.
enum kernels_operation {
    KERNELS_LOAD,
    /// Into the cell `source`.
    KERNELS_STORE,
    KERNELS_WIDEN, KERNELS_WIDEN_EXACTLY,
    KERNELS_ADD, KERNELS_SUBTRACT, KERNELS_MULTIPLY, KERNELS_DIVIDE,
    /// Integers by a constant from 2^-500 to 2^500, whose reciprocal is given too.
    KERNELS_DIVIDE_INTEGER,
    KERNELS_FLOOR, KERNELS_CEILING, KERNELS_TRUNCATE, KERNELS_MAGNITUDE, KERNELS_ROOT,
    /// Undecided beyond 2^53 and for NaN.
    KERNELS_CHECK_EXACT,
    /// Undecided where 64 bits overflow.
    KERNELS_ADD_WHOLE, KERNELS_SUBTRACT_WHOLE, KERNELS_MULTIPLY_WHOLE,
    /// Towards zero, by a constant that is neither 0 nor -1.
    KERNELS_DIVIDE_WHOLE,
    /// Undecided for the least number.
    KERNELS_MAGNITUDE_WHOLE,
    /// Select rows: NaN equals NaN and is more than all else.
    KERNELS_LESS, KERNELS_MORE, KERNELS_EQUAL, KERNELS_LESS_WHOLE, KERNELS_MORE_WHOLE, KERNELS_EQUAL_WHOLE
};

/// What becomes of the rows that a step selects.
enum { KERNELS_IGNORE = 0, KERNELS_SET = 1, KERNELS_AND = 2, KERNELS_OR = 3, KERNELS_NEGATED = 4 };

/// One step. `source` numbers inputs from 0 and cells from KERNELS_INPUT_LIMIT on; the constant is the bits of a number
/// of the operation's kind.
typedef struct {
    int32_t operation, operand, source, bits, combination;
    int64_t constant;
    double reciprocal;
} kernels_step;

/// A column: one number of 64 bits a row, or one bit a row.
typedef struct {
    const uint64_t *values;
    int32_t is_bits;
} kernels_input;

typedef struct {
    const kernels_step *steps;
    size_t step_count;
    const kernels_input *inputs;
    size_t input_count;
} kernels_program;

/// Runs a program over `count` rows: those listed in `rows`, or, without a list, those from `first` on, a multiple of 64.
///
/// Writes (count + 63) / 64 words to `members` and to `undecided`, the first row in the lowest bit; returns whether any
/// row is undecided. `undecided` may be null where no step leaves rows undecided. `among` may be null; it covers the same
/// rows, and others are neither members nor undecided.
int32_t kernels_program_run(const kernels_program *program, const uint32_t *rows, size_t first, size_t count,
                            const uint64_t *among, uint64_t *members, uint64_t *undecided);

// Texts: row `r` is `bytes[offsets[r]] ..< bytes[offsets[r + 1]]`; there is an offset more than rows.

/// Sets the bits of the rows that hold an ASCII text, small letters in it standing for capitals too when `ignores_case`.
/// A row goes to `sure` when the text stands between ASCII characters or ends of the row somewhere; to `unsure` when it
/// was found next to another character.
void kernels_text_find(const uint8_t *bytes, const uint32_t *offsets, size_t rows, const uint8_t *text, size_t length,
                       int32_t ignores_case, uint64_t *sure, uint64_t *unsure);

/// The same for the rows of a set: `among` has a bit for each row.
void kernels_text_find_among(const uint8_t *bytes, const uint32_t *offsets, size_t rows, const uint8_t *text,
                             size_t length, int32_t ignores_case, const uint64_t *among, uint64_t *sure,
                             uint64_t *unsure);

/// The first place from `start` on, up to `end`, whose byte is not ASCII; `end` when there is none.
size_t kernels_first_non_ascii(const uint8_t *bytes, size_t start, size_t end);

/// A finite automaton over bytes. States are places in `table`: the state after a byte is `table[state + classes[byte]]`.
/// States below `sinks` are never left.
typedef struct {
    const uint16_t *table;
    const uint8_t *classes;
    /// What it means to end in the state at a place of the table: 0 no, 1 yes, 2 neither can be told.
    const uint8_t *outcomes;
    /// Whether a text that ends in the byte may have an outcome other than no.
    const uint8_t *last_bytes;
    uint32_t start, sinks;
    /// The least byte, up to 256, of texts that the automaton does not read.
    uint32_t limit;
} kernels_automaton;

/// The outcome of a text, whatever its bytes.
int32_t kernels_automaton_run(const kernels_automaton *automaton, const uint8_t *bytes, size_t count);

/// Sorts the rows whose bits are set in `candidates` by outcome: those of outcome 1 into `yes`, those of outcome 2 and
/// those with a byte from the limit on into `unknown`. `yes` may be `candidates`.
void kernels_text_match(const kernels_automaton *automaton, const uint8_t *bytes, const uint32_t *offsets, size_t rows,
                        const uint64_t *candidates, uint64_t *yes, uint64_t *unknown);

// Groups: rows that have the number of a group each. `present` has a bit a row for those with a value; NULL for all.
// `rows` are `count` rows, `groups` the numbers of their groups, for which the results have room.

/// Numbers rows by the numbers of their codes, 0 for rows without a value.
void kernels_group_numbers(const uint32_t *codes, const uint64_t *present, const uint32_t *rows, size_t count,
                           const uint32_t *numbers, uint32_t *out);

/// Numbers rows by their bits: the first of two numbers for 0, the second for 1, and 0 for rows without a value.
void kernels_group_bit_numbers(const uint64_t *bits, const uint64_t *present, const uint32_t *rows, size_t count,
                               const uint32_t *numbers, uint32_t *out);

/// Adds one to the count of each row's group.
void kernels_group_count(const uint32_t *groups, size_t count, int64_t *counts);

/// Adds one for each row to the counts of the groups in its list, once a group. The elements of row `r` are those from
/// `offsets[r]` to below `offsets[r + 1]`; those in `element_present` have a value, whose group is the number of its
/// code. `last` has an element for each group, at first 0, and belongs to the kernel for all rows of a column.
/// Returns how many rows are in no group.
size_t kernels_group_count_lists(const uint32_t *codes, const uint64_t *element_present, const uint32_t *offsets,
                                 const uint64_t *present, const uint32_t *rows, size_t count,
                                 const uint32_t *numbers, uint32_t *last, int64_t *counts);

/// A sum: `high` · 2^32 + `low`, exactly, or `fraction`, added in order; and how many were added.
typedef struct {
    int64_t high;
    uint64_t low;
    double fraction;
    int64_t count;
} kernels_total;

/// Adds the values of rows to the totals of their groups; exact for less than 2^31 rows.
void kernels_group_sum_i64(const int64_t *values, const uint64_t *present, const uint32_t *rows,
                           const uint32_t *groups, size_t count, kernels_total *totals);
void kernels_group_sum_f64(const double *values, const uint64_t *present, const uint32_t *rows,
                           const uint32_t *groups, size_t count, kernels_total *totals);

/// The first row of the smallest (`sign` below 0) or largest value of each group; `best` is -1 where there is none yet.
void kernels_group_best_i64(const int64_t *values, const uint64_t *present, const uint32_t *rows,
                            const uint32_t *groups, size_t count, int32_t sign, int64_t *best);

/// Writes the values of rows that have one, and the first parts of their groups, which have four each. Gives how many.
size_t kernels_group_words(const int64_t *values, const uint64_t *present, const uint32_t *rows,
                           const uint32_t *groups, size_t count, uint64_t *words, uint32_t *parts);

/// Puts words into `out` by their parts, those of one part by the first bits of their hashes: 2^`bits` places a part. `ends`
/// become the ends of all places. `multiplier` is odd and chosen by chance.
void kernels_partition_hashed(const uint64_t *words, const uint32_t *parts, size_t count, uint64_t multiplier,
                              uint32_t bits, size_t *ends, size_t end_count, uint64_t *out);

/// The number of different words, by a hash table of 2^`bits` slots: at least twice as many as words, and 2 or more.
/// The words have the first `known` bits of their hashes in common.
size_t kernels_count_distinct(const uint64_t *words, size_t count, uint64_t *slots, uint32_t bits, uint32_t known,
                              uint64_t multiplier);

#endif
