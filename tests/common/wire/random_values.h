#ifndef MUSTER_TESTS_COMMON_WIRE_RANDOM_VALUES_H_
#define MUSTER_TESTS_COMMON_WIRE_RANDOM_VALUES_H_

#include "common/base/error_detail.h"
#include "common/base/random.h"
#include "common/session/session.h"

// Values that may cross the wire, drawn at random: every optional part is there in some and missing
// in others, lists have 0 to a few entries, numbers come from their whole range.
namespace muster {

JobSpec RandomJobSpec(Random& random);
Report RandomReport(Random& random);
Hello RandomHello(Random& random);

// Its spec, if it has one, is a RandomJobSpec().
Assignment RandomAssignment(Random& random);

// Small enough to be encoded without losing anything.
ErrorDetail RandomErrorDetail(Random& random);

// Of 1 to `max_bytes` letters, some of them of several bytes.
std::string RandomText(Random& random, size_t max_bytes);

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_WIRE_RANDOM_VALUES_H_
