// PostgreSQL's client library, as the system has it.
#include <libpq-fe.h>
