"""Set-up for all tests of the classroom: journals are signed with a test key, not with the user's own."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_key(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
