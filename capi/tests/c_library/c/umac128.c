/* umac.c the second time, as OpenSSH compiles it. The header comes first, before its names are others. */
#include <sys/types.h>

#include "umac.h"

#define UMAC_OUTPUT_LEN 16
#define umac_new umac128_new
#define umac_update umac128_update
#define umac_final umac128_final
#define umac_delete umac128_delete

#include "../../../openssh/umac.c"
