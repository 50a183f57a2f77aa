"""The hub for a class: what is written, what a student's server does, and what the page says of the limits.

`.ci/hub_works.py` runs the whole hub, with students who log in.
"""

import importlib.util
import os
import re
import stat
import sys
import types
from pathlib import Path

import pytest
import yaml

from autodiff_lab.__main__ import main
from autodiff_lab.classroom import hub
from autodiff_lab.classroom.hub import student_server
from autodiff_lab.jupyter.notebooks import DEFAULT_COPY, installed_notebooks

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8")
FOLDER = Path(hub.__file__).parent
VALUES = yaml.safe_load((FOLDER / "values.yaml").read_text(encoding="utf-8"))

on_unix = pytest.mark.skipif(os.name == "nt", reason="a hub runs on Linux")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "srv"
    assert main(["hub", "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Return the configuration as JupyterHub would read it, without JupyterHub."""
    from traitlets.config import Config

    class LocalProcessSpawner:
        def make_preexec_fn(self, name):
            return lambda: os.write(1, f"then {name}".encode())

    spawner = types.ModuleType("jupyterhub.spawner")
    spawner.LocalProcessSpawner = LocalProcessSpawner
    monkeypatch.setitem(sys.modules, "jupyterhub", types.ModuleType("jupyterhub"))
    monkeypatch.setitem(sys.modules, "jupyterhub.spawner", spawner)
    file = tmp_path / "jupyterhub_config.py"
    file.write_bytes((FOLDER / file.name).read_bytes())
    spec = importlib.util.spec_from_file_location("jupyterhub_config", file)
    module = importlib.util.module_from_spec(spec)
    module.get_config = Config
    spec.loader.exec_module(module)
    return module


def test_the_command_writes_the_configurations_and_the_students_notebooks(written):
    assert {path.name for path in written.iterdir()} == {*hub.FILES, hub.NOTEBOOKS}
    for name in hub.FILES:
        assert (written / name).read_bytes() == (FOLDER / name).read_bytes()
    students = {path.name for path in (written / hub.NOTEBOOKS).glob("*.ipynb")}
    assert students == {path.name for path in installed_notebooks().glob("*.ipynb")}
    assert not list((written / hub.NOTEBOOKS).rglob("for_lecturers.md")), "it has the answers"
    assert not (written / hub.NOTEBOOKS / "lectures").exists()


@on_unix
def test_a_students_secret_login_is_for_root_alone(written):
    for name in hub.FILES:
        assert stat.S_IMODE((written / name).stat().st_mode) == 0o600


def test_what_the_operator_changed_is_kept(written, capsys):
    mine = written / "jupyterhub_config.py"
    before = mine.read_bytes()
    mine.write_text("# mine\n", encoding="utf-8")
    assert main(["hub", "--out", str(written)]) == 0
    assert mine.read_text(encoding="utf-8") == "# mine\n"
    assert "jupyterhub_config.py" in capsys.readouterr().out
    mine.write_bytes(before)


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["hub", "--out", str(tmp_path / "file")]) == 1
    said = capsys.readouterr().err
    assert "the hub cannot be written into" in said and "autodiff-lab hub --out DIR" in said


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Start a student's server in a new home folder; return its command and its environment."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(Path, "home", lambda: home)
    ran = []
    monkeypatch.setattr(
        os, "execv", lambda program, command: ran.append((program, command, dict(os.environ)))
    )

    def start(*arguments):
        student_server.main([str(arguments[0]), *arguments[1:]])
        return ran.pop()

    start.own = home / DEFAULT_COPY
    return start


def test_a_students_server_copies_the_notebooks_and_becomes_jupyter(started, written):
    program, command, environment = started(written / hub.NOTEBOOKS, "--Some.option=1")
    assert program == sys.executable
    assert command[:4] == [sys.executable, "-P", "-m", "jupyterhub.singleuser"]
    assert f"--ServerApp.root_dir={started.own}" in command and command[-1] == "--Some.option=1"
    assert (started.own / "00_start_here.ipynb").is_file()
    labconfig = Path(environment["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0], "labconfig")
    assert labconfig.is_dir(), "no question about news"


def test_a_students_server_encrypts_its_kernels(started, written, monkeypatch):
    monkeypatch.setattr(student_server, "encryption_options", lambda: ["--encrypt"])
    _, command, _ = started(written / hub.NOTEBOOKS)
    assert "--encrypt" in command


def test_a_students_work_is_kept_and_what_is_new_arrives(started, tmp_path):
    source = tmp_path / "class"
    source.mkdir()
    (source / "one.ipynb").write_text("the class's", encoding="utf-8")
    started(source)
    (started.own / "one.ipynb").write_text("the student's", encoding="utf-8")
    (source / "two.ipynb").write_text("new", encoding="utf-8")
    started(source)
    assert (started.own / "one.ipynb").read_text(encoding="utf-8") == "the student's"
    assert (started.own / "two.ipynb").read_text(encoding="utf-8") == "new"


def test_a_student_whose_disk_is_full_gets_a_server_all_the_same(started, tmp_path, capsys):
    source = tmp_path / "class"
    source.mkdir()
    (source / "one.ipynb").write_text("", encoding="utf-8")
    started.own.write_text("no folder can be made here", encoding="utf-8")
    _, command, _ = started(source)
    assert "jupyterhub.singleuser" in command
    assert "cannot be copied" in capsys.readouterr().err


@on_unix
def test_a_new_server_is_under_the_limits_before_it_is_the_students(config):
    """The function that JupyterHub calls in the new process is called in one."""
    import resource

    become_student = config.LimitedSpawner().make_preexec_fn("ada")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        # A test runner may have more processes than a student is allowed.
        config.LIMITS.pop(resource.RLIMIT_NPROC)
        become_student()
        limits = {limit: resource.getrlimit(limit) for limit in config.LIMITS}
        same = limits == {limit: (most, most) for limit, most in config.LIMITS.items()}
        os._exit(0 if same and os.umask(0) == 0o077 else 1)
    os.close(write)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read) as said:
        assert said.read() == "then ada"
    assert os.waitstatus_to_exitcode(status) == 0


@on_unix
def test_the_page_says_the_limits_that_the_configuration_has(config):
    import resource

    rows = dict(re.findall(r"^\| ([a-z ]+) \| ([^|]+?) \|", GUIDE, re.MULTILINE))
    assert rows["private memory"] == f"{config.MEGABYTES} MB"
    assert rows["processes and threads"] == str(config.PROCESSES)
    assert rows["size of a file"] == f"{config.FILE_MEGABYTES} MB"
    assert rows["open files"] == str(config.OPEN_FILES)
    assert rows["servers at a time"] == str(config.SERVERS_AT_A_TIME)
    assert rows["an idle kernel"].startswith(f"stopped after {config.KERNEL_IDLE_S // 3600} hours")
    assert rows["an idle server"] == f"stopped after {config.SERVER_IDLE_S // 3600} hours"
    assert config.LIMITS[resource.RLIMIT_NPROC] == config.PROCESSES
    assert f"`{config.ADDRESS}`" in GUIDE


@on_unix
def test_kubernetes_gets_the_same_program_and_the_same_times(config):
    single = VALUES["singleuser"]
    module = config.c.Spawner.cmd[3]
    assert module == student_server.__name__ and module in single["cmd"]
    times = [option for option in config.c.Spawner.args if "Kernel" in option]
    assert [option for option in single["cmd"] if option.startswith("--")] == times
    assert single["defaultUrl"] == config.c.Spawner.default_url
    assert single["extraEnv"] == config.c.Spawner.environment
    (culler,) = config.c.JupyterHub.services
    assert f"--timeout={VALUES['cull']['timeout']}" in culler["command"]
    assert f"--cull-every={VALUES['cull']['every']}" in culler["command"]


@on_unix
def test_the_hubs_own_files_are_for_root_alone(config):
    assert stat.S_IMODE(config.STATE.stat().st_mode) == 0o700
    for path in (config.c.JupyterHub.cookie_secret_file, config.c.JupyterHub.db_url):
        assert str(config.STATE) in path


def test_what_was_not_tried_is_marked():
    text = (FOLDER / "values.yaml").read_text(encoding="utf-8")
    assert "UNTRIED" in text
    about = GUIDE[GUIDE.index("values.yaml") :].split("\n\n")[0]
    assert "haven't" in about
