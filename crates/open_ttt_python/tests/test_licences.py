"""The package has the licences of what is in it."""

from importlib import metadata


def test_the_licences_of_other_authors_come_with_the_package() -> None:
    package = metadata.distribution("open_ttt")
    files = package.metadata.get_all("License-File") or []
    assert sorted(files) == ["LICENCES-OF-OTHERS.txt", "LICENSE"]
    for file in files:
        assert package.read_text(f"licenses/{file}")
    licences = package.read_text("licenses/LICENCES-OF-OTHERS.txt") or ""
    for crate in ["flate2", "ndarray", "numpy", "pyo3"]:
        assert f"\n  {crate} " in licences
    # That of the crate numpy.
    assert "Redistributions in binary form must reproduce the above copyright" in licences
