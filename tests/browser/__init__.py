"""Browser tests; pytest also explains failed assertions in the helper modules of this folder."""

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{module}" for module in ("notebook", "player_page", "server"))
)
