"""What holds for all tests of the classroom: the key that journals are signed with is not the one of who runs them."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_key(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
