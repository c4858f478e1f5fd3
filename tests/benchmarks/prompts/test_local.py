"""What is missing, gated, changed, renamed, empty or broken is told in one line with file, revision, hash and fix."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from equipoise.benchmarks.prompts.local import FOLDER_VARIABLE, Wanted, find_files, hub_trouble, tree_hash
from equipoise.benchmarks.prompts.sources import Host, SourceFile, address
from equipoise.benchmarks.prompts.tables import nearest, read_table
from equipoise.errors import DependencyError, InputError, UpstreamError, UsageError
from prompts_data import DATA, NAMES, loader

HUB = SourceFile(
    id="rows", host=Host.HUB, repository="somebody/some-data", path="folder/rows.csv", revision="abc1234",
    sha256="0" * 64, licence="CC0", columns=("prompt",), gated=True,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    for name in (FOLDER_VARIABLE, "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)


class GatedRepoError(Exception):
    """Named as the hub's own."""

    def __init__(self, status: int) -> None:
        super().__init__("long\ntext")
        self.response = SimpleNamespace(status_code=status)


class RevisionNotFoundError(GatedRepoError):
    pass


@pytest.mark.parametrize("name", NAMES)
def test_without_the_data_every_set_says_what_to_get_from_where_and_where_to_put_it(name):
    with pytest.raises(UsageError) as error:
        loader(name).load()
    text = str(error.value)
    source = next(item for item in loader(name).sources if item.path in text or item.host is Host.AUTHORS)
    assert len(text.splitlines()) == 1
    assert source.repository in text
    if source.host is not Host.AUTHORS:
        assert (source.revision or "not pinned") in text
        assert FOLDER_VARIABLE in text
        assert address(source) in text
    else:
        assert "on request" in text


def test_a_gated_set_also_names_the_token():
    with pytest.raises(UsageError, match="accept its terms there and set HF_TOKEN"):
        loader("toxigen").load()


def test_the_folder_of_the_environment_is_read(monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(DATA))
    assert len(loader("or_bench").load(files="toxic")) == 2
    with pytest.raises(UsageError, match="or-bench-80k.csv") as error:
        loader("or_bench").load(files="80k")
    assert str(DATA / "or_bench" / "or-bench-80k.csv") in str(error.value)


def test_another_revision_is_refused_with_both_hashes_unless_it_is_allowed_and_then_recorded(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("prompt\nHello\n")
    with pytest.raises(InputError) as error:
        find_files(HUB, Wanted(benchmark="b", data=file))
    text = str(error.value)
    for part in (str(file), "0" * 64, "abc1234", "--allow-changed", address(HUB)):
        assert part in text
    found = find_files(HUB, Wanted(benchmark="b", data=file, allow_changed=True))
    assert found.changed
    assert found.to_dict()["sha256"] != found.to_dict()["pinned_sha256"]
    assert str(tmp_path) not in str(found.to_dict())


def test_the_pinned_copy_is_taken_as_it_is(tmp_path):
    from equipoise.ids import bytes_hash

    file = tmp_path / "rows.csv"
    file.write_text("prompt\nHello\n")
    pinned = SourceFile(
        id="rows", host=Host.HUB, repository="a/b", path="rows.csv", revision="1", sha256=bytes_hash(file.read_bytes()),
        licence="CC0", columns=(),
    )  # fmt: skip
    assert not find_files(pinned, Wanted(benchmark="b", data=tmp_path)).changed


def test_the_hash_of_several_files_sees_every_byte_and_no_folder(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        for name in ("a", "b"):
            (tmp_path / folder / name).write_text(name)
    one, two = (sorted((tmp_path / folder).iterdir()) for folder in ("one", "two"))
    assert tree_hash(one) == tree_hash(reversed(two))
    two[1].write_text("B")
    assert tree_hash(one) != tree_hash(two)


@pytest.mark.parametrize(
    ("error", "token", "words"),
    [
        (GatedRepoError(401), False, "asks for a token (401)"),
        (GatedRepoError(403), True, "refused the token (403)"),
        (RevisionNotFoundError(404), True, "no longer has that revision"),
        (type("RemoteEntryNotFoundError", (Exception,), {})(), True, "has no such file"),
        (type("RepositoryNotFoundError", (Exception,), {})(), False, "hides it without a token"),
        (ConnectionError("x"), False, "cannot be reached"),
        (RuntimeError("first line\nsecond"), False, "RuntimeError: first line"),
    ],
)
def test_what_goes_wrong_at_the_hub_names_file_revision_hash_and_fix(error, token, words):
    if isinstance(error, RevisionNotFoundError):
        error.__class__ = type("RevisionNotFoundError", (Exception,), {})
    elif type(error).__name__ == "RemoteEntryNotFoundError":
        error = type("EntryNotFoundError", (Exception,), {})()
    text = hub_trouble(HUB, error, token=token)
    assert words in text
    assert len(text.splitlines()) == 1
    for part in ("folder/rows.csv", "abc1234", "0" * 64):
        assert part in text


def test_the_hub_is_asked_only_when_that_was_said_at_the_pinned_revision_with_the_token(monkeypatch, tmp_path):
    asked = []

    def download(repository, path, **more):
        asked.append((repository, path, more))
        (tmp_path / "rows.csv").write_text("prompt\nHello\n")
        return str(tmp_path / "rows.csv")

    module = ModuleType("huggingface_hub")
    module.hf_hub_download = download
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    with pytest.raises(UsageError, match="--download"):
        find_files(HUB, Wanted(benchmark="b"))
    assert asked == []
    wanted = Wanted(benchmark="b", download=True, allow_changed=True, environment={"HF_TOKEN": "secret"})
    assert find_files(HUB, wanted).downloaded
    assert asked == [
        ("somebody/some-data", "folder/rows.csv", {"repo_type": "dataset", "revision": "abc1234", "token": "secret"})
    ]

    def refuse(*arguments, **more):
        raise GatedRepoError(403)

    module.hf_hub_download = refuse
    with pytest.raises(UpstreamError, match="refused the token") as error:
        find_files(HUB, wanted)
    assert "secret" not in str(error.value)


def test_without_the_hubs_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(DependencyError, match=r"equipoise\[hub\]"):
        find_files(HUB, Wanted(benchmark="b", download=True))


def test_what_lies_at_github_is_not_sought_at_the_hub():
    with pytest.raises(UsageError, match="github.com/amazon-science/bold"):
        loader("bold").load(download=True)


def test_a_renamed_column_names_the_nearest_there_is(tmp_path):
    file = tmp_path / "or-bench-hard-1k.csv"
    file.write_text("prompts,category\nHello,x\n")
    with pytest.raises(InputError) as error:
        loader("or_bench").load(file)
    text = str(error.value)
    assert "the column 'prompt' is missing; the nearest there is: 'prompts'" in text
    assert "e36d8b8" in text
    assert nearest("toxicity_human", {"human_toxicity": 0, "text": 0}) == "human_toxicity"
    assert nearest("prompt", {"zzz": 0}) == ""


FORMS = {
    "csv": 'prompt,n\n"one, with a comma",1\n"two\nlines",2\n',
    "tsv": "prompt\tn\none, with a comma\t1\ntwo\t2\n",
    "json": '{"rows": [{"prompt": "one, with a comma", "n": 1}, {"prompt": "two", "n": 2}]}',
    "jsonl": '{"prompt": "one, with a comma", "n": 1}\n\n{"prompt": "two", "n": 2}\n',
}


@pytest.mark.parametrize("form", [*FORMS, "parquet"])
def test_every_form_gives_the_same_records(tmp_path, form):
    file = tmp_path / f"rows.{form}"
    if form == "parquet":
        pq.write_table(pa.table({"prompt": ["one, with a comma", "two"], "n": [1, 2]}), file)
    else:
        file.write_text(FORMS[form])
    records = read_table(file, ("prompt", "n"))
    assert [record["prompt"] for record in records][:1] == ["one, with a comma"]
    assert [str(record["n"]) for record in records] == ["1", "2"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("rows.csv", b"", "holds no record"),
        ("rows.csv", b"prompt\n", "holds no record"),
        ("rows.json", b"  ", "holds no record"),
        ("rows.jsonl", b"\n", "holds no record"),
        ("rows.parquet", b"", "holds no record"),
        ("rows.parquet", b"no parquet", "not a Parquet file"),
        ("rows.csv", b"prompt\ncaf\xe9\n", "not UTF-8"),
        ("rows.csv", b"prompt,n\nonly one\n", "expected 2 cells"),
        ("rows.jsonl", b'{"prompt": "x"}\n{broken\n', "not valid JSON"),
        ("rows.jsonl", b'{"prompt": "x"}\n{"other": "y"}\n', "record 2 has no 'prompt'"),
        ("rows.json", b"[1, 2]", "expected a list of objects"),
        ("rows.xlsx", b"x", "expected a file that ends in .csv"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line_that_names_it(tmp_path, name, content, words):
    file: Path = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InputError, match=words) as error:
        read_table(file, ("prompt",))
    assert str(file) in str(error.value)
    assert len(str(error.value).splitlines()) == 1
