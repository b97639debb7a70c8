// Linked for what it does before the tests begin: it limits how many run at a time.

import _TestWidth
