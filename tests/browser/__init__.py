"""Browser tests; what the modules beside the tests assert is shown in full, as in the tests themselves."""

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{module}" for module in ("notebook", "player_page", "server"))
)
